// What pages do by script, beside reading: values of charts on hover and by arrow keys, buttons of legends, sorted and
// chosen rows of tables, the slider of the threshold, and the section in view. All content is there without.
"use strict";

const minus = (text) => text.replace("-", "−");
// significant is a number with three digits that count, fixed one with decimals; as number.go has them.
const significant = (v) => {
  const a = Math.abs(v);
  if (a > 0 && a < 1e-3 && Math.abs(a * 1e4 - Math.round(a * 1e4)) > 1e-6) {
    const [mantissa, exponent] = v.toExponential(2).split("e");
    return minus(+mantissa + "·10" + [...exponent.replace("+", "")].map((c) => "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"["-0123456789".indexOf(c)]).join(""));
  }
  return minus(a >= 100 || Number.isInteger(v) ? Math.round(v).toLocaleString("en") : String(+(+v.toPrecision(3)).toFixed(4)));
};
const fixed = (v, decimals) => (decimals < 0 ? significant(v) : minus(v.toFixed(decimals)));

function svgElement(name, attributes, text) {
  const e = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const key in attributes) e.setAttribute(key, attributes[key]);
  if (text !== undefined) e.textContent = text;
  return e;
}

// place is where a value is on an axis, from 0 to 1.
function place(axis, v) {
  const f = axis.log ? Math.log : (x) => x;
  return Math.min(1, Math.max(0, (f(Math.max(v, axis.log ? axis.a : v)) - f(axis.a)) / (f(axis.b) - f(axis.a))));
}

const percent = (share) => (100 * share).toFixed(2) + "%";

function chart(plot) {
  const data = JSON.parse(plot.dataset.chart);
  const svg = plot.firstElementChild;
  const hover = svg.appendChild(svgElement("g", {}));
  const tip = plot.appendChild(document.createElement("div"));
  const off = new Set();
  tip.className = "tip";
  tip.hidden = true;
  svg.tabIndex = 0;
  let now = -1;

  const visible = () => data.s.filter((s) => !off.has(s.g) && s.x.length > 0);
  const leader = () => visible().reduce((a, s) => (a && a.x.length >= s.x.length ? a : s), null);
  const order = (s) => (s.order ??= s.x.map((_, i) => i).sort((a, b) => s.x[a] - s.x[b]));
  function nearest(s, x, y) {
    let best = 0, least = Infinity;
    for (let i = 0; i < s.x.length; i++) {
      const dx = (place(data.x, s.x[i]) - x) * svg.clientWidth;
      const dy = y === undefined ? 0 : (1 - place(data.y, s.y[i]) - y) * svg.clientHeight;
      if (dx * dx + dy * dy < least) {
        least = dx * dx + dy * dy;
        best = i;
      }
    }
    return best;
  }
  function hide() {
    tip.hidden = true;
    hover.replaceChildren();
  }
  // show shows point i of the leading series and what the others have there.
  function show(i) {
    const first = leader();
    if (!first) return hide();
    const x = place(data.x, first.x[i]);
    now = order(first).indexOf(i);
    hover.replaceChildren(svgElement("line", { x1: percent(x), x2: percent(x), y1: 0, y2: "100%", class: "ax" }));
    tip.replaceChildren((data.x.n.replace(/ \[.*|, log$/, "") + " " + (data.x.l?.[first.x[i]] ?? fixed(first.x[i], data.x.d))).trim());
    for (const s of first.dots ? [first] : visible()) {
      const k = s === first ? i : nearest(s, x);
      if (Math.abs(place(data.x, s.x[k]) - x) > 0.1) continue; // the series ends before
      hover.append(svgElement("circle", { cx: percent(place(data.x, s.x[k])), cy: percent(1 - place(data.y, s.y[k])), r: 4, fill: `var(--${s.c})`, stroke: "var(--bg)" }));
      const line = document.createElement("span"), name = document.createElement("b"), colour = document.createElement("i");
      colour.style.background = `var(--${s.c})`;
      name.append(colour, s.n);
      line.append(name, s.t ? s.t[k] : fixed(s.y[k], data.y.d));
      tip.append(line);
    }
    tip.hidden = false;
    const room = plot.clientWidth, width = tip.offsetWidth, at = x * room;
    tip.style.left = Math.max(0, Math.min(room - width, at + 12 + width < room ? at + 12 : at - 12 - width)) + "px";
  }
  svg.addEventListener("pointermove", (event) => {
    const box = svg.getBoundingClientRect(), first = leader();
    if (first) show(nearest(first, (event.clientX - box.left) / box.width, first.dots ? (event.clientY - box.top) / box.height : undefined));
  });
  svg.addEventListener("pointerleave", hide);
  svg.addEventListener("blur", hide);
  svg.addEventListener("focus", () => svg.matches(":focus-visible") && leader() && show(order(leader())[Math.max(now, 0)]));
  svg.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (event.key === "Escape") hide();
    if (!step || !leader()) return;
    event.preventDefault();
    const all = order(leader());
    show(all[Math.min(all.length - 1, Math.max(0, now + step))]);
  });
  for (const button of plot.parentElement.querySelectorAll("[data-group]")) {
    button.addEventListener("click", () => {
      const group = +button.dataset.group, on = button.getAttribute("aria-pressed") !== "true";
      button.setAttribute("aria-pressed", on);
      if (on) off.delete(group);
      else off.add(group);
      for (const e of svg.querySelectorAll(`[data-g="${group}"]`)) e.classList.toggle("off", !on);
      hide();
    });
  }
  // move moves the dot of the threshold.
  plot.move = (x, y) => {
    const dot = svg.querySelector(".at");
    dot.setAttribute("cx", percent(place(data.x, x)));
    dot.setAttribute("cy", percent(1 - place(data.y, y)));
  };
  // mark moves the mark to a value and names it.
  plot.mark = (x, text) => {
    const at = place(data.x, x), left = at < 0.55;
    const line = svg.querySelector(".mark line"), name = svg.querySelector(".mark text");
    for (const key of ["x1", "x2"]) line.setAttribute(key, percent(at));
    for (const [key, value] of Object.entries({ x: percent(at), dx: left ? 6 : -6, "text-anchor": left ? "start" : "end" })) name.setAttribute(key, value);
    name.textContent = text;
  };
  // redraw draws the first series with other values, on another logarithmic axis.
  plot.redraw = (values) => {
    const least = Math.max(1e-9, Math.min(...values.filter((v) => v > 0))), most = Math.max(...values, least * 2);
    data.y.a = 10 ** Math.floor(Math.log10(least));
    data.y.b = 10 ** Math.ceil(Math.log10(most) - 1e-9);
    data.s[0].y = values;
    const grid = svg.querySelector(".ygrid");
    grid.replaceChildren();
    const decades = Math.round(Math.log10(data.y.b / data.y.a));
    for (let e = 0; e <= decades; e += Math.ceil(decades / 6)) {
      for (const k of decades < 2 ? [1, 2, 5] : [1]) {
        const v = k * data.y.a * 10 ** e, y = percent(1 - place(data.y, v));
        if (v > data.y.b * 1.001) continue;
        grid.append(svgElement("line", { x2: "100%", y1: y, y2: y, class: "g" }), svgElement("text", { x: -8, y, dy: 4.5, "text-anchor": "end" }, significant(v)));
      }
    }
    const d = values.map((v, i) => `${i ? "L" : "M"}${1e4 * place(data.x, data.s[0].x[i])} ${1e4 * (1 - place(data.y, v))}`).join("");
    svg.querySelector("path").setAttribute("d", d);
    hide();
  };
}

// ---- tables

document.addEventListener("click", (event) => {
  const button = event.target.closest?.("th button");
  if (button) sortBy(button.parentElement);
});

// sortBy sorts the rows of a table by a column, the largest first, then the other way round.
function sortBy(head) {
  const table = head.closest("table"), column = [...head.parentElement.children].indexOf(head);
  const rising = head.getAttribute("aria-sort") === "descending";
  for (const h of head.parentElement.children) h.removeAttribute("aria-sort");
  head.setAttribute("aria-sort", rising ? "ascending" : "descending");
  const value = (row) => {
    const cell = row.cells[column], text = cell.dataset.v ?? cell.textContent;
    return text === "" || isNaN(+text) ? text : +text;
  };
  const body = table.tBodies[0];
  body.append(...[...body.rows].sort((a, b) => {
    const x = value(a), y = value(b);
    const by = typeof x === typeof y ? (x < y ? -1 : x > y ? 1 : 0) : typeof x === "number" ? 1 : -1;
    return rising ? by : -by;
  }));
}

// kinds shows the rows of one kind.
function kinds(buttons) {
  const rows = buttons.nextElementSibling.querySelectorAll("tbody tr");
  for (const button of buttons.children) {
    button.addEventListener("click", () => {
      for (const b of buttons.children) b.setAttribute("aria-pressed", b === button);
      for (const row of rows) row.hidden = button.dataset.kind !== "" && row.dataset.k !== button.dataset.kind;
    });
  }
}

// ---- the threshold

function threshold(box) {
  const { grid, valid, test } = JSON.parse(box.dataset.threshold);
  const slider = box.querySelector("#threshold-slider"), missed = box.querySelector("#cost-missed"), alarm = box.querySelector("#cost-alarm");
  const plots = Object.fromEntries([...document.querySelectorAll("[data-role]")].map((p) => [p.dataset.role, p]));
  const cost = (hits, alarms, of) => (of - hits) * missed.value + alarms * alarm.value;
  const cheapest = () => grid.reduce((best, g, i) => (cost(g[1], g[2], valid[0]) < cost(grid[best][1], grid[best][2], valid[0]) ? i : best), 0);
  const share = (v) => (v > 0 && v < 0.0005 ? "<0.001" : v < 1 && v >= 0.9995 ? ">0.999" : v.toFixed(3));
  function update() {
    const [at, , , hits, alarms] = grid[slider.value];
    const counts = { tp: [hits, 0], fn: [test[0] - hits, 0], fp: [alarms, 1], tn: [test[1] - alarms, 1] };
    for (const [key, [n, row]] of Object.entries(counts)) {
      box.querySelector(`[data-count=${key}]`).textContent = n.toLocaleString("en");
      box.querySelector(`[data-share=${key}]`).textContent = ((100 * n) / test[row]).toFixed(1) + " %";
    }
    const total = cost(hits, alarms, test[0]);
    const stats = { precision: hits + alarms ? share(hits / (hits + alarms)) : "–", recall: share(hits / test[0]), alarms: Math.round((1000 * (hits + alarms)) / (test[0] + test[1])).toLocaleString("en"), cost: significant(total) };
    for (const key in stats) box.querySelector(`[data-stat=${key}]`).textContent = stats[key];
    box.querySelector("#threshold-text").textContent = significant(at);
    slider.setAttribute("aria-valuetext", "threshold " + significant(at));
    plots.pr?.move(hits / test[0], hits + alarms ? hits / (hits + alarms) : 1);
    plots.cost?.move(at, total);
  }
  function priced() {
    plots.cost?.redraw(grid.map((g) => cost(g[3], g[4], test[0])));
    const best = grid[cheapest()][0];
    plots.cost?.mark(best, "lowest on validation: " + significant(best));
    update();
  }
  slider.addEventListener("input", () => {
    box.querySelector("#threshold-rule").textContent = "Chosen by hand; the counts are of the test set.";
    update();
  });
  for (const input of [missed, alarm]) input.addEventListener("input", priced);
  box.querySelector("#cheapest").addEventListener("click", () => {
    slider.value = cheapest();
    box.querySelector("#threshold-rule").textContent = "The lowest cost on the validation set; the counts are of the test set.";
    update();
  });
  priced();
}

// ---- the page

function contents(list) {
  const links = [...list.querySelectorAll("a")];
  const targets = links.map((a) => document.getElementById(a.hash.slice(1)));
  const mark = () => {
    let last = 0;
    targets.forEach((t, i) => t && t.getBoundingClientRect().top < innerHeight / 4 && (last = i));
    links.forEach((a, i) => (i === last ? a.setAttribute("aria-current", "true") : a.removeAttribute("aria-current")));
  };
  addEventListener("scroll", mark, { passive: true });
  mark();
}

// enliven gives the parts of a page, or of what was put into one, their script.
function enliven(root) {
  root.querySelectorAll("[data-chart]").forEach(chart);
  root.querySelectorAll(".pills").forEach(kinds);
  root.querySelectorAll("[data-threshold]").forEach(threshold);
  root.querySelectorAll("nav.toc").forEach(contents);
  for (const button of root.querySelectorAll("[data-copy]")) {
    button.addEventListener("click", () => {
      navigator.clipboard?.writeText(button.closest(".box").querySelector("pre").textContent);
      button.textContent = "Copied";
    });
  }
}

document.documentElement.classList.add("scripted");
enliven(document);

// What pages do by script, beside reading: values of charts on hover and by arrow keys, zoom, pictures as files, buttons of
// legends, sorted and chosen rows of tables, the slider of the threshold, and the section in view. All content is there without.
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

const within = (axis, v) => v >= axis.a - 1e-9 * Math.abs(axis.b - axis.a) && v <= axis.b + 1e-9 * Math.abs(axis.b - axis.a);

// percentText is a share in percent for people, as number.go has it.
const percentText = (share) => (share > 0 && share < 0.0005 ? "<0.1" : share < 1 && share >= 0.9995 ? ">99.9" : (100 * share).toFixed(1)) + "\u00a0%";

const percent = (share) => (100 * share).toFixed(2) + "%";

function chart(plot) {
  const data = JSON.parse(plot.dataset.chart);
  const svg = plot.firstElementChild;
  const hover = svg.appendChild(svgElement("g", { class: "hover" }));
  const tip = plot.appendChild(document.createElement("div"));
  const off = new Set();
  tip.className = "tip";
  tip.hidden = true;
  svg.tabIndex = 0;
  let now = -1;

  const visible = () => data.s.filter((s) => !off.has(s.g) && s.x.length > 0);
  const leader = () => visible().reduce((a, s) => (a && a.x.length >= s.x.length ? a : s), null);
  const order = (s) => s.x.map((_, i) => i).filter((i) => within(data.x, s.x[i]) && within(data.y, s.y[i])).sort((a, b) => s.x[a] - s.x[b]);
  function nearest(s, x, y) {
    let best = -1, least = Infinity;
    for (let i = 0; i < s.x.length; i++) {
      if (!within(data.x, s.x[i]) || !within(data.y, s.y[i])) continue;
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
    if (!first || i < 0) return hide();
    const x = place(data.x, first.x[i]);
    now = order(first).indexOf(i);
    hover.replaceChildren(svgElement("line", { x1: percent(x), x2: percent(x), y1: 0, y2: "100%", class: "ax" }));
    tip.replaceChildren((data.x.n.replace(/ \[.*|, log$/, "") + " " + (data.x.l?.[first.x[i]] ?? fixed(first.x[i], data.x.d))).trim());
    for (const s of first.dots ? [first] : visible()) {
      const k = s === first ? i : nearest(s, x);
      if (k < 0 || Math.abs(place(data.x, s.x[k]) - x) > 0.1) continue; // the series ends before
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
  svg.addEventListener("focus", () => svg.matches(":focus-visible") && leader() && show(order(leader())[Math.max(now, 0)] ?? -1));
  svg.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (event.key === "Escape") hide();
    if (!step || !leader()) return;
    event.preventDefault();
    const all = order(leader());
    show(all[Math.min(all.length - 1, Math.max(0, now + step))] ?? -1);
  });
  const zoom = data.x.l ? null : zoomable(plot, svg, data, hide);
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
    dot.setAttribute("cx", percent(place(zoom.whole.x, x)));
    dot.setAttribute("cy", percent(1 - place(zoom.whole.y, y)));
    zoom.moved(dot);
  };
  // mark moves the mark to a value and names it.
  plot.mark = (x, text) => {
    zoom.reset();
    const at = place(data.x, x), [dx, anchor] = at < 0.35 ? [6, "start"] : at > 0.65 ? [-6, "end"] : [0, "middle"];
    const line = svg.querySelector(".mark line"), name = svg.querySelector(".mark text");
    for (const key of ["x1", "x2"]) line.setAttribute(key, percent(at));
    for (const [key, value] of Object.entries({ x: percent(at), dx, "text-anchor": anchor })) name.setAttribute(key, value);
    name.textContent = text;
    zoom.moved(line);
    zoom.moved(name);
  };
  // redraw draws the first series with other values, on another logarithmic axis.
  plot.redraw = (values) => {
    zoom.reset();
    const least = Math.max(1e-9, Math.min(...values.filter((v) => v > 0))), most = Math.max(...values, least * 2);
    data.y.a = 10 ** Math.floor(Math.log10(least));
    data.y.b = 10 ** Math.ceil(Math.log10(most) - 1e-9);
    data.s[0].y = values;
    yTicks(svg, data.y);
    const d = values.map((v, i) => `${i ? "L" : "M"}${1e4 * place(data.x, data.s[0].x[i])} ${1e4 * (1 - place(data.y, v))}`).join("");
    svg.querySelector("path").setAttribute("d", d);
    zoom.begin();
    hide();
  };
}

// ---- zoom

// valueAt is the value at a place on an axis, the inverse of place.
const valueAt = (axis, share) => (axis.log ? Math.exp(Math.log(axis.a) + share * (Math.log(axis.b) - Math.log(axis.a))) : axis.a + share * (axis.b - axis.a));

// ticksOf are values of an axis, each with its text: 1, 2 or 5 times a power of 10, at most so many.
function ticksOf(axis, most) {
  const out = [], decades = axis.log ? Math.log10(axis.b / axis.a) : 0;
  if (decades >= 1) {
    const from = Math.floor(Math.log10(axis.a) + 1e-9), count = Math.ceil(decades);
    for (let e = 0; e <= count; e += Math.ceil(count / most)) {
      for (const k of decades < 2 ? [1, 2, 5] : [1]) {
        const v = k * 10 ** (from + e);
        if (v >= axis.a * 0.999 && v <= axis.b * 1.001) out.push([v, significant(v)]);
      }
    }
    if (out.length > 1) return out;
    out.length = 0;
  }
  const rough = (axis.b - axis.a) / most, power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((k) => k * power).find((s) => s >= rough * (1 - 1e-9));
  const decimals = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
  for (let k = Math.ceil(axis.a / step - 1e-9); k * step <= axis.b + 1e-9 * step; k++) out.push([k * step, minus((Math.abs(k * step) < step / 2 ? 0 : k * step).toLocaleString("en", { minimumFractionDigits: decimals, maximumFractionDigits: decimals }))]);
  return out;
}

function yTicks(svg, axis) {
  const grid = svg.querySelector(".ygrid");
  grid.replaceChildren();
  for (const [v, text] of ticksOf(axis, 5)) {
    const y = percent(1 - place(axis, v));
    grid.append(svgElement("line", { x2: "100%", y1: y, y2: y, class: "g" }), svgElement("text", { x: -8, y, dy: 4.5, "text-anchor": "end" }, text));
  }
}

function xTicks(svg, axis) {
  const grid = svg.querySelector(".xgrid");
  grid.replaceChildren();
  for (const [v, text] of ticksOf(axis, Math.max(2, Math.min(6, Math.floor(svg.clientWidth / 90))))) {
    const x = percent(place(axis, v));
    grid.append(svgElement("rect", { x, y: "100%", width: 1, height: 4, class: "tick" }), svgElement("text", { x, y: "100%", dy: 18, "text-anchor": "middle" }, text));
  }
}

// zoomable lets a chart be zoomed: a drag chooses a part, a double click shows all, as do +, − and 0.
function zoomable(plot, svg, data, hide) {
  const across = ["x", "x1", "x2", "cx"], down = ["y", "y1", "y2", "cy"];
  const z = { whole: null };
  let view = null, ticks, marks, from = null, frame = null;
  const shares = (e) => Object.fromEntries([...across, ...down, "width", "height"].filter((k) => e.getAttribute(k)?.endsWith("%")).map((k) => [k, parseFloat(e.getAttribute(k)) / 100]));
  // begin takes the chart as it is for the whole.
  z.begin = () => {
    view = null;
    z.whole = { x: { ...data.x }, y: { ...data.y } };
    ticks = [...svg.querySelectorAll(".xgrid, .ygrid")].map((g) => [g, [...g.childNodes]]);
    marks = new Map([...svg.querySelectorAll(":scope > circle, :scope > rect, :scope > line[data-g], .mark *")].map((e) => [e, shares(e)]));
  };
  z.moved = (e) => {
    marks.set(e, shares(e));
    if (view) put(e);
  };
  // put places a mark in the part that is shown.
  function put(e) {
    const [x0, x1, y0, y1] = view ?? [0, 1, 0, 1], at = {}, mark = e.closest(".mark");
    for (const [k, v] of Object.entries(marks.get(e))) {
      if (k === "width") at[k] = v / (x1 - x0);
      else if (k === "height") at[k] = v / (y1 - y0);
      else at[k] = across.includes(k) ? (v - x0) / (x1 - x0) : mark ? v : (v - y0) / (y1 - y0);
    }
    if (e.tagName === "rect") { // a bar is cut where the plot ends
      for (const [k, size] of [["x", "width"], ["y", "height"]]) {
        const end = Math.min(1, at[k] + at[size]);
        at[k] = Math.max(0, at[k]);
        at[size] = Math.max(0, end - at[k]);
      }
    }
    if (e.tagName === "line" && !mark) for (const k of ["y1", "y2"]) at[k] = Math.min(1, Math.max(0, at[k]));
    const out = [at.cx, at.x1, e.tagName === "text" ? at.x : undefined, at.cy].some((v) => v < -1e-6 || v > 1 + 1e-6);
    e.style.visibility = out ? "hidden" : "";
    for (const k in at) e.setAttribute(k, percent(at[k]));
  }
  function apply() {
    const [x0, x1, y0, y1] = view ?? [0, 1, 0, 1];
    for (const inner of svg.querySelectorAll(":scope > svg")) {
      inner.setAttribute("viewBox", [1e4 * x0, 1e4 * y0, 1e4 * (x1 - x0), 1e4 * (y1 - y0)].join(" "));
      inner.setAttribute("overflow", view ? "hidden" : "visible");
    }
    for (const e of marks.keys()) put(e);
    for (const [key, low, high] of [["x", x0, x1], ["y", 1 - y1, 1 - y0]]) {
      data[key].a = valueAt(z.whole[key], low);
      data[key].b = valueAt(z.whole[key], high);
    }
    if (view) {
      xTicks(svg, data.x);
      yTicks(svg, data.y);
    } else for (const [g, nodes] of ticks) g.replaceChildren(...nodes);
    plot.classList.toggle("zoomed", view !== null);
    hide();
  }
  z.reset = () => {
    if (!view) return;
    view = null;
    apply();
    Object.assign(data.x, z.whole.x);
    Object.assign(data.y, z.whole.y);
  };
  // to shows the part between two points of what is shown.
  function to(a, b) {
    const [x0, x1, y0, y1] = view ?? [0, 1, 0, 1], least = 1e-4;
    const x = [a.x, b.x].sort((p, q) => p - q), y = [a.y, b.y].sort((p, q) => p - q), next = [x0 + x[0] * (x1 - x0), x0 + x[1] * (x1 - x0), y0 + y[0] * (y1 - y0), y0 + y[1] * (y1 - y0)];
    for (const k of [0, 2]) next.splice(k, 2, Math.max(0, next[k]), Math.min(1, next[k + 1]));
    if (next[1] - next[0] < least || next[3] - next[2] < least) return;
    if (next[1] - next[0] > 1 - 1e-9 && next[3] - next[2] > 1 - 1e-9) return z.reset();
    view = next;
    apply();
  }
  const point = (event) => {
    const b = svg.getBoundingClientRect(), share = (v) => Math.min(1, Math.max(0, v));
    return { x: share((event.clientX - b.left) / b.width), y: share((event.clientY - b.top) / b.height), px: event.clientX, py: event.clientY };
  };
  // chosen is the part between the ends of a drag; a drag along one axis has all of the other.
  const chosen = (a, b) => {
    const wide = Math.abs(a.px - b.px) > 12, high = Math.abs(a.py - b.py) > 24;
    return [{ x: wide ? a.x : 0, y: high ? a.y : 0 }, { x: wide ? b.x : 1, y: high ? b.y : 1 }, wide || high];
  };
  function end() {
    frame?.remove();
    from = frame = null;
  }
  svg.addEventListener("pointerdown", (event) => {
    if (event.button === 0 && event.pointerType === "mouse") from = point(event);
  });
  addEventListener("pointermove", (event) => {
    if (!from) return;
    const [a, b, enough] = chosen(from, point(event));
    if (!enough) return;
    frame ??= svg.appendChild(svgElement("rect", { class: "frame" }));
    for (const [k, v] of Object.entries({ x: Math.min(a.x, b.x), y: Math.min(a.y, b.y), width: Math.abs(a.x - b.x), height: Math.abs(a.y - b.y) })) frame.setAttribute(k, percent(v));
  });
  addEventListener("pointerup", (event) => {
    if (!from) return;
    const [a, b, enough] = chosen(from, point(event));
    end();
    if (enough) to(a, b);
  });
  addEventListener("pointercancel", end);
  svg.addEventListener("dblclick", z.reset);
  svg.addEventListener("keydown", (event) => {
    const line = svg.querySelector(".hover line"), x = line ? parseFloat(line.getAttribute("x1")) / 100 : 0.5; // where the values are shown
    const half = { "+": 0.25, "=": 0.25, "-": 1 }[event.key];
    if (event.key === "0") z.reset();
    if (half) to({ x: x - half, y: 0 }, { x: x + half, y: 1 });
    if (half || event.key === "0") event.preventDefault();
  });
  z.begin();
  return z;
}

// ---- pictures as files

// copied is a picture with the looks that the page gives it, as a file of its own has none of the page's style.
function copied(from) {
  for (const e of from.querySelectorAll(".frame, .hover > *")) e.remove();
  const to = from.cloneNode(true), names = ["fill", "fill-opacity", "stroke", "stroke-width", "stroke-opacity", "stroke-dasharray", "stroke-linecap", "stroke-linejoin", "paint-order", "opacity", "vector-effect", "font-size", "font-family", "font-weight", "display", "visibility"];
  const after = [...to.querySelectorAll("*")];
  [...from.querySelectorAll("*")].forEach((e, i) => {
    const style = getComputedStyle(e);
    for (const n of ["class", "fill", "stroke"]) after[i].removeAttribute(n);
    after[i].setAttribute("style", names.map((n) => n + ":" + style.getPropertyValue(n).replaceAll('"', "'")).join(";"));
  });
  return to;
}

// pictureOf is a figure as SVG with its title, legend and the names of its axes.
function pictureOf(figure) {
  const page = getComputedStyle(document.body), plot = figure.querySelector(".plot");
  const svg = plot ? plot.firstElementChild : [...figure.querySelectorAll("svg.pic")].find((s) => s.getClientRects().length > 0);
  const { width, height } = svg.getBoundingClientRect();
  if (!plot) {
    const out = copied(svg);
    out.setAttribute("xmlns", "http://www.w3.org/2000/svg");
    return { out, width, height };
  }
  const left = parseFloat(getComputedStyle(plot).marginLeft) + 8, lines = [];
  const text = (e, bold) => e && lines.push([e.textContent, bold]);
  text(figure.querySelector("h3"), true);
  const keys = [...figure.querySelectorAll(".legend > *:not([aria-pressed=false])")];
  const name = figure.querySelector(".axis:not(.x)"), below = figure.querySelector(".axis.x");
  const top = 16 + 24 * (lines.length + (keys.length > 0) + (name ? 1 : 0)) + 12;
  const size = { width: width + left + 24, height: top + height + 24 + (plot.classList.contains("parallel") ? 48 : 0) + (below ? 28 : 12) };
  const out = svgElement("svg", { xmlns: "http://www.w3.org/2000/svg", width: size.width, height: size.height, viewBox: `0 0 ${size.width} ${size.height}`, "font-family": page.fontFamily.replaceAll('"', "'"), "font-size": 13, fill: page.color });
  out.append(svgElement("rect", { width: "100%", height: "100%", fill: page.backgroundColor }));
  let y = 32;
  for (const [line, bold] of lines) out.append(svgElement("text", { x: 12, y, "font-size": 16, "font-weight": bold ? 650 : 400 }, line)), (y += 24);
  let x = 12;
  for (const key of keys) {
    const sample = copied(key.querySelector("svg")), label = svgElement("text", { x: x + 26, y }, key.textContent);
    for (const [k, v] of Object.entries({ x, y: y - 9, width: 20, height: 8, overflow: "visible" })) sample.setAttribute(k, v);
    out.append(sample, label);
    x += key.getBoundingClientRect().width + 24;
  }
  if (keys.length > 0) y += 24;
  if (name) out.append(svgElement("text", { x: 12, y }, name.textContent));
  const inner = copied(svg);
  for (const [k, v] of Object.entries({ x: left, y: top, width, height, overflow: "visible" })) inner.setAttribute(k, v);
  out.append(inner);
  if (below) out.append(svgElement("text", { x: size.width - 24, y: size.height - 12, "text-anchor": "end" }, below.textContent));
  return { out, ...size };
}

function save(name, address) {
  const a = document.createElement("a");
  a.href = address;
  a.download = name;
  a.click();
}

// savable gives a figure buttons for its picture as SVG and as PNG, of twice the size.
function savable(figure) {
  if (!figure.querySelector(".plot, svg.pic") || document.querySelector('.pages a[href*="figure.svg"]')) return; // the screen of graphs has links to the files
  const row = document.createElement("p"), title = figure.querySelector("h3")?.textContent ?? figure.querySelector("figcaption")?.textContent ?? document.title;
  row.className = "save noprint";
  for (const kind of ["SVG", "PNG"]) {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = kind;
    button.setAttribute("aria-label", `Save ${title} as ${kind}`);
    button.addEventListener("click", () => {
      const { out, width, height } = pictureOf(figure), file = title.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "-").replace(/^-|-$/g, "").slice(0, 60) || "chart";
      const text = "data:image/svg+xml;charset=utf-8," + encodeURIComponent(new XMLSerializer().serializeToString(out));
      if (kind === "SVG") return save(file + ".svg", text);
      const image = new Image();
      image.onload = () => {
        const canvas = document.createElement("canvas");
        canvas.width = 2 * width;
        canvas.height = 2 * height;
        canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
        save(file + ".png", canvas.toDataURL("image/png"));
      };
      image.src = text;
    });
    row.append(button);
  }
  figure.append(row);
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
      box.querySelector(`[data-share=${key}]`).textContent = percentText(n / test[row]);
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
  root.querySelectorAll("figure").forEach(savable);
  root.querySelectorAll(".pills").forEach(kinds);
  root.querySelectorAll("[data-threshold]").forEach(threshold);
  root.querySelectorAll("nav.toc").forEach(contents);
  for (const button of root.querySelectorAll("[data-copy]")) {
    button.addEventListener("click", async () => {
      const line = button.closest(".box").querySelector("pre");
      try {
        await navigator.clipboard.writeText(line.textContent);
        button.textContent = "Copied";
      } catch { // the browser does not let the page
        getSelection().selectAllChildren(line);
        button.textContent = "Selected: copy it with the keyboard";
      }
    });
  }
}

document.documentElement.classList.add("scripted");
enliven(document);

// What the page does by script: rows of the table of edges light up edges of the figure above
// (lighting), the slider redraws it (sliding), and graphs are sent to the API (trying). All
// else works without.
"use strict";

// make is an element with attributes and children; texts stay texts.
function make(name, attributes, ...children) {
  const e = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) e.setAttribute(key, value);
  e.append(...children);
  return e;
}

// ---- lighting

function lighting() {
  const lines = new Map();
  for (const line of document.querySelectorAll("svg [data-line]")) {
    const name = line.dataset.line;
    if (!lines.has(name)) lines.set(name, []);
    lines.get(name).push(line);
  }
  if (lines.size === 0) return;
  const rows = edgeRows(lines);
  if (rows.length === 0) return;
  let lit = null;
  const light = (name) => {
    if (name === lit) return;
    for (const [of, on] of [[lit, false], [name, true]]) {
      for (const line of lines.get(of) ?? []) line.classList.toggle("lit", on);
      rows.find((r) => r.name === of)?.row.classList.toggle("lit", on);
    }
    lit = name;
  };
  rows.forEach(({ row, name }, i) => {
    row.tabIndex = i === 0 ? 0 : -1; // arrows go on from the first
    row.addEventListener("focus", () => light(name));
    row.addEventListener("blur", () => light(null));
    row.addEventListener("mouseenter", () => light(name));
    row.addEventListener("keydown", (event) => {
      const to = { ArrowDown: i + 1, ArrowUp: i - 1, Home: 0, End: rows.length - 1 }[event.key];
      if (to === undefined || !rows[to]) return;
      event.preventDefault();
      row.tabIndex = -1;
      rows[to].row.tabIndex = 0;
      rows[to].row.focus();
    });
  });
  for (const [name, of] of lines) {
    for (const line of of) {
      line.addEventListener("mouseenter", () => light(name));
      line.addEventListener("click", () => rows.find((r) => r.name === name)?.row.focus());
    }
  }
}

// edgeRows are the rows of the table that has a column "edge", with the names of their lines.
function edgeRows(lines) {
  for (const table of document.querySelectorAll("#body table, #try-answer table")) {
    const heads = [...table.querySelectorAll("thead th")].map((h) => h.textContent);
    const column = heads.indexOf("edge");
    if (column < 0) continue;
    return [...table.querySelectorAll("tbody tr")]
      .map((row) => ({ row, name: row.cells[column].textContent }))
      .filter(({ name }) => lines.has(name));
  }
  return [];
}

// ---- sliding

function sliding() {
  const form = document.getElementById("graph-form");
  const slider = document.getElementById("layer");
  if (!form || !slider) return;
  let asked = 0;
  slider.addEventListener("input", async () => {
    const query = new URLSearchParams(new FormData(form));
    const mine = ++asked;
    const answer = await fetch("?" + query);
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    if (mine !== asked || !answer.ok) return; // a later move has asked for another layer
    for (const id of ["body", "layer-text"]) {
      document.getElementById(id).replaceChildren(...page.getElementById(id).childNodes);
    }
    enliven(document.getElementById("body"));
    slider.setAttribute("aria-valuetext", document.getElementById("layer-text").textContent);
    history.replaceState(null, "", "?" + query);
    lighting();
  });
}

// ---- trying

function trying() {
  const form = document.getElementById("try");
  if (!form) return;
  const text = document.getElementById("graph-text");
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    ask(form, text, event.submitter?.value ?? "predict");
  });
  const read = () => (document.getElementById("try-read").textContent = whatIsRead(text.value));
  text.addEventListener("input", read);
  read();
  text.addEventListener("dragover", (event) => {
    event.preventDefault();
    text.classList.add("drop");
  });
  text.addEventListener("dragleave", () => text.classList.remove("drop"));
  text.addEventListener("drop", async (event) => {
    text.classList.remove("drop");
    const file = event.dataTransfer.files[0];
    if (!file) return; // a text, which the browser inserts
    event.preventDefault();
    text.value = await file.text();
    read();
    complain(text, "");
  });
}

// whatIsRead says what the form reads of a text: how many nodes and edges, which attributes the model reads of them, which
// are missing and which it leaves out.
function whatIsRead(source) {
  let graph;
  try {
    graph = JSON.parse(source);
  } catch {
    return "";
  }
  if (!graph || typeof graph !== "object") return "";
  if (graph.smiles) return "Read: a molecule.";
  const nodes = Array.isArray(graph.nodes) ? graph.nodes : [], edges = graph.edges ?? graph.links ?? [];
  if (!Array.isArray(edges)) return "";
  const out = [`Read: ${counted(nodes.length || graph.num_nodes || 0, "node")}, ${counted(edges.length, "edge")}, ${graph.directed ? "directed" : "undirected"}.`];
  for (const [of, rows, own] of [["node", nodes, ["id"]], ["edge", edges, ["source", "target", "key", "score", "label", "group", "time"]]]) {
    if (rows.length === 0 || rows.some((r) => !r || typeof r !== "object" || Array.isArray(r))) continue;
    const has = new Set(rows.flatMap(Object.keys));
    const wants = [...document.querySelectorAll(`#try-help [data-of=${of}]`)].map((e) => e.textContent);
    const read = wants.filter((w) => has.has(w)), missing = wants.filter((w) => !has.has(w)), left = [...has].filter((h) => !wants.includes(h) && !own.includes(h));
    if (read.length > 0) out.push(`Of ${of}s: ${read.join(", ")}.`);
    if (missing.length > 0) out.push(`Missing of ${of}s: ${missing.join(", ")}.`);
    if (left.length > 0) out.push(`Left out of ${of}s: ${left.join(", ")}.`);
  }
  return out.join(" ");
}

const counted = (n, thing) => `${n.toLocaleString("en")} ${thing}${n === 1 ? "" : "s"}`;

// ask sends the graph and shows the answer, or what is wrong and where.
async function ask(form, text, what) {
  complain(text, "");
  const into = document.getElementById("try-answer");
  into.replaceChildren();
  const source = text.value;
  let graph;
  try {
    graph = JSON.parse(source);
  } catch (error) {
    const at = new Places(source).broken;
    complain(text, `Line ${lineOf(source, at)}: this is no JSON: ${error.message}`, source, at);
    return;
  }
  const method = document.getElementById("try-method");
  const item = document.getElementById("try-item");
  let query = what === "explain" ? "?method=" + encodeURIComponent(method.value) : "";
  if (query && item?.value) query += `&${item.name}=${encodeURIComponent(item.value)}`;
  let answer, body;
  try {
    answer = await fetch(form.dataset.api + "/" + what + query, {
      method: "POST",
      headers: { "Content-Type": "application/json", Accept: "application/json" },
      body: `{"graphs":[${source}]}`,
    });
    body = await answer.json();
  } catch {
    complain(text, "The server gives no answer.");
    return;
  }
  if (!answer.ok) {
    refuse(text, source, body);
    return;
  }
  if (what === "explain") await explain(form, into, { ...body, smiles: graph.smiles });
  else for (const one of body.predictions) into.append(make("h2", {}, "Prediction"), ...shown(one, graph));
  into.scrollIntoView({ block: "nearest" });
}

// explain shows an explanation as the server draws it.
async function explain(form, into, body) {
  const answer = await fetch(form.dataset.explained, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) });
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  into.append(make("h2", {}, "Explanation"), ...page.body.childNodes);
  lighting();
}

// refuse shows a problem (RFC 9457), whose pointer says where in the request it is.
function refuse(text, source, problem) {
  const message = problem.detail ?? problem.title ?? "The server refuses the graph.";
  const pointer = problem.pointer ?? "";
  const at = new Places(source).of(pointer.replace(/^\/graphs\/0/, ""));
  if (at === undefined || pointer === "") complain(text, message);
  else complain(text, `Line ${lineOf(source, at)}, ${pointer.replace(/^\/graphs\/0\/?/, "") || "the graph"}: ${message}`, source, at);
}

// complain shows a message and, given a place, puts the caret there.
function complain(text, message, source, at) {
  document.getElementById("try-error").textContent = message;
  text.setAttribute("aria-invalid", message === "" ? "false" : "true");
  if (at === undefined) return;
  const end = source.indexOf("\n", at);
  text.focus();
  text.setSelectionRange(at, end < 0 ? source.length : end);
  const lines = source.split("\n").length;
  text.scrollTop = ((lineOf(source, at) - 4) / lines) * text.scrollHeight;
}

function lineOf(source, at) {
  return source.slice(0, at).split("\n").length;
}

// Places finds where in a JSON text the value of a JSON pointer begins. A pointer that leads
// nowhere is where its parents are. broken is where the text stops to be JSON.
class Places {
  constructor(source) {
    this.source = source;
    this.at = 0;
    this.begin = new Map(); // of values, by pointer
    try {
      this.value("");
      this.space();
    } catch (error) {
      if (error !== Places.stop) throw error;
    }
    this.broken = this.at;
  }

  of(pointer) {
    for (; !this.begin.has(pointer); pointer = pointer.slice(0, pointer.lastIndexOf("/"))) {
      if (pointer === "") return undefined;
    }
    return this.begin.get(pointer);
  }

  space() {
    while (/\s/.test(this.source[this.at] ?? "")) this.at++;
  }

  // take goes over a pattern, which must be next.
  take(pattern) {
    this.space();
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.source);
    if (!found) throw Places.stop;
    this.at = pattern.lastIndex;
    return found[0];
  }

  next() {
    this.space();
    return this.source[this.at];
  }

  value(pointer) {
    const first = this.next();
    this.begin.set(pointer, this.at);
    if (first === "{") this.many(/\}/y, () => {
      const key = JSON.parse(this.take(Places.string));
      this.take(/:/y);
      this.value(pointer + "/" + key.replaceAll("~", "~0").replaceAll("/", "~1"));
    });
    else if (first === "[") {
      let i = 0;
      this.many(/\]/y, () => this.value(pointer + "/" + i++));
    } else if (first === '"') this.take(Places.string);
    else this.take(/-?\d+(\.\d+)?([eE][+-]?\d+)?|true|false|null/y);
  }

  // many goes over members up to an end.
  many(end, member) {
    this.at++;
    if (end.source.endsWith(this.next() ?? "none")) {
      this.at++;
      return;
    }
    for (;;) {
      member();
      if (this.next() !== ",") break;
      this.at++;
    }
    this.take(end);
  }
}
Places.stop = new Error("no JSON");
Places.string = /"(?:[^"\\\u0000-\u001f]|\\.)*"/y;

// ---- answers

// shown are the elements that show one prediction for a graph.
function shown(one, graph) {
  const out = [];
  const plain = [];
  for (const [key, value] of Object.entries(one)) {
    if (Array.isArray(value) && value.length > 0 && value.every((v) => v && typeof v === "object" && !Array.isArray(v))) out.push(...titled(key, table(value, key === "edges" ? (graph.edges ?? graph.links) : graph.nodes)));
    else if (key === "probabilities" && value && typeof value === "object") out.push(...titled("probabilities", shares(value)));
    else if (value && typeof value === "object" && !Array.isArray(value)) out.push(...titled(key, make("div", {}, ...shown(value, graph))));
    else plain.push([key, value]);
  }
  if (plain.length > 0) {
    const list = make("dl", { class: "facts" });
    for (const [key, value] of plain) list.append(make("div", {}, make("dt", {}, key), make("dd", { class: "value" }, texted(value))));
    out.unshift(list);
  }
  return out;
}

function titled(title, element) {
  return [make("h3", {}, title.replaceAll("_", " ")), element];
}

// texted is a value as a text; numbers with up to six digits that count.
function texted(value) {
  if (value === null || value === undefined) return "–";
  if (typeof value === "number") return Number.isInteger(value) ? String(value) : String(Number(value.toPrecision(6)));
  if (Array.isArray(value)) return value.map(texted).join(", ");
  if (typeof value === "object") return Object.entries(value).map(([k, v]) => k + " " + texted(v)).join(", ");
  return String(value);
}

// shares are probabilities by class, with bars.
function shares(of) {
  const body = make("tbody", {});
  for (const [name, p] of Object.entries(of)) {
    body.append(make("tr", {}, make("td", { class: "left" }, name), make("td", {}, texted(p)),
      make("td", {}, make("meter", { min: 0, max: 1, value: p, "aria-label": "probability of " + name }))));
  }
  return wide(make("table", {}, head(["class", "probability", "from 0 to 1"]), body));
}

// table has a row for each node or edge, of which the graph says what it is called.
function table(rows, of) {
  const flat = rows.map((row, i) => ({ ...called(of?.[i], i), ...flattened(row) }));
  const columns = [...new Set(flat.flatMap((r) => Object.keys(r)))];
  const body = make("tbody", {});
  for (const row of flat) body.append(make("tr", {}, ...columns.map((c) => make("td", {}, texted(row[c])))));
  return wide(make("table", {}, head(columns), body));
}

// called names a node or edge, or numbers it.
function called(of, i) {
  if (Array.isArray(of)) return { edge: i, source: of[0], target: of[1] };
  if (of && "source" in of) return { edge: i, source: of.source, target: of.target };
  return of && "id" in of ? { node: of.id } : { number: i };
}

// flattened is an object without objects in it.
function flattened(row) {
  const out = {};
  for (const [key, value] of Object.entries(row)) {
    if (value && typeof value === "object" && !Array.isArray(value)) {
      for (const [name, v] of Object.entries(value)) out[(key === "probabilities" ? "probability" : key) + " of " + name] = v;
    } else out[key] = value;
  }
  return out;
}

function head(names) {
  return make("thead", {}, make("tr", {}, ...names.map((n) => make("th", { scope: "col" }, n.replaceAll("_", " ")))));
}

function wide(element) {
  return make("div", { class: "scroll", tabindex: "0" }, element);
}

lighting();
sliding();
trying();

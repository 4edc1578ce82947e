// The page of tt-explorer: which layouts results may have, what is chosen, and what that changes.

if (window.top !== window) window.top.location = location.href; // Model Explorer's heading leads back to this page

const at = (id) => document.getElementById(id);
// The settings whose results are shown, and those before them, with which they are compared. `opened` is the node that the graph opened at.
const state = { choices: [], selected: "", shown: null, before: null, opened: "", dialect: "ttir" };

const element = (tag, attributes = {}, ...children) => {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) if (value !== false) made.setAttribute(name, value);
  made.append(...children);
  return made;
};

// Long names break between their words.
const words = (text) => text.split(/(?<=[_.:/])/).flatMap((word) => [word, element("wbr")]);
const us = (ns) => (ns == null ? "" : (ns / 1000).toLocaleString("en", { minimumFractionDigits: 2, maximumFractionDigits: 2 }));
const same = (one, other) => JSON.stringify(one) === JSON.stringify(other);

async function ask(path, body) {
  const response = await fetch(path, body && {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
  });
  const reply = await response.json();
  if (reply.error) throw new Error(reply.error);
  return reply;
}

function overrides() {
  const text = at("overrides").value.trim() || "{}";
  let found;
  try {
    found = JSON.parse(text);
  } catch (problem) {
    throw new Error(`the overrides are no JSON: ${problem.message}`);
  }
  if (found === null || typeof found !== "object" || Array.isArray(found))
    throw new Error('the overrides are an object of JSON: {"name": "2x2:l1:block_sharded:tile:bf16"}');
  return found;
}

const settings = () => ({ optimizationPolicy: at("policy").value, overrides: overrides() });

function named({ optimizationPolicy, overrides: asked }) {
  const count = Object.keys(asked).length;
  return count === 0 ? optimizationPolicy : `${optimizationPolicy} and ${count === 1 ? "an override" : `${count} overrides`}`;
}

async function busy(what, work) {
  at("status").textContent = what;
  at("error").hidden = true;
  at("controls").disabled = true;
  try {
    await work();
  } catch (problem) {
    at("error").textContent = problem.message;
    at("error").hidden = false;
    at("error").scrollIntoView({ block: "nearest" });
  } finally {
    at("status").textContent = "";
    at("controls").disabled = false;
  }
}

function show(address) {
  state.opened = nodeOf(address);
  at("graph").src = address;
}

const showModel = () => busy("reading...", async () => {
  if (!at("model").value) return;
  show((await ask("/tt/api/view", { model: at("model").value })).address);
  await showChoices();
});

function showAnother() {
  at("overrides").value = "{}";
  at("summary").hidden = true;
  Object.assign(state, { choices: [], selected: "", shown: settings(), before: null });
  listResults();
  at("graph").src = "about:blank";
  return showModel();
}

async function showChoices() {
  const reply = await ask("/tt/api/choices", { model: at("model").value, settings: settings() });
  state.choices = reply.choices.map((one, number) => ({ ...one, key: `${one.name} ${one.operation} ${number}` }));
  state.dialect = reply.dialect;
  const compiled = reply.dialect === "ttir";
  for (const name of ["compiling", "asked"]) at(name).hidden = !compiled;
  for (const name of ["search", "results"]) at(name).hidden = reply.choices.length === 0;
  at("hint").textContent = compiled
    ? "Click a result here or a node of the graph, then a layout that it may have."
    : `This module is of the dialect ${reply.dialect} and is shown as it is: only TTIR is compiled here, with layouts to choose.`;
  listResults();
}

const found = (one) => `${one.name} ${one.operation}`.toLowerCase().includes(at("search").value.toLowerCase());

function listResults() {
  const shown = state.choices.filter(found);
  const reached = shown.find((one) => one.key === state.selected) ?? shown[0];
  at("results").tBodies[0].replaceChildren(...shown.flatMap((one) => {
    const selected = one.key === state.selected;
    const what = element("div", { class: "hint" }, `${one.operation} ${one.shape.join("x")}`);
    const row = element("tr", { tabindex: one === reached ? 0 : -1, "aria-selected": String(selected), class: one.overridden && "overridden" },
      element("td", {}, ...words(one.name), what), element("td", {}, element("code", {}, ...words(one.chosen))));
    row.addEventListener("click", () => select(one));
    row.addEventListener("keydown", (event) => walk(event, row, one));
    return selected && state.dialect === "ttir" ? [row, legalRow(one)] : [row];
  }));
}

function walk(event, row, one) {
  const rows = [...at("results").querySelectorAll("tr[aria-selected]")];
  const number = rows.indexOf(row);
  const to = { ArrowDown: rows[number + 1], ArrowUp: rows[number - 1], Home: rows[0], End: rows.at(-1) }[event.key];
  if (event.key === "Enter" || event.key === " ") select(one);
  else if (!to) return;
  event.preventDefault();
  if (!to) return;
  row.tabIndex = -1;
  to.tabIndex = 0;
  to.focus();
}

// What a result may have, right below it.
function legalRow(one) {
  const alike = state.choices.filter((other) => other.name === one.name).length;
  const buttons = one.legal.map((layout) => {
    const button = element("button", { "aria-pressed": String(layout === one.chosen) }, layout);
    button.addEventListener("click", () => override(one.name, layout));
    return element("li", {}, button);
  });
  return element("tr", { id: "legal" }, element("td", { colspan: 2 },
    element("div", { id: "legal-of" }, `${one.name}: ${one.legal.length} legal layouts`),
    element("div", { id: "why", class: "hint" }, one.reasons.join("; ")),
    element("div", { class: "hint" }, alike > 1 ? `${alike} results are called ${one.name}: an override is for each of them that can have it.` : ""),
    element("ul", { id: "layouts" }, ...buttons)));
}

function select(one, focus = true) {
  state.selected = one.key;
  if (!found(one)) at("search").value = "";
  listResults();
  const row = at("results").querySelector('tr[aria-selected="true"]');
  (at("legal") ?? row).scrollIntoView({ block: "nearest" });
  row.scrollIntoView({ block: "nearest" });
  if (focus) row.focus({ preventScroll: true });
}

const override = (name, layout) => busy("compiling...", async () => {
  at("overrides").value = JSON.stringify({ ...overrides(), [name]: layout }, null, 1);
  await compare();
});

async function compare() {
  const now = settings();
  const before = same(now, state.shown) ? state.before ?? state.shown : state.shown;
  const selected = state.choices.find((one) => one.key === state.selected);
  const result = selected ? `${selected.name} ${selected.operation}` : "";
  const reply = await ask("/tt/api/compare", { model: at("model").value, settings: { ...now, before, result } });
  state.shown = now;
  state.before = before;
  show(reply.address);
  const change = (reply.after_ns - reply.before_ns) / (reply.before_ns || 1);
  const word = change < 0 ? "faster" : "slower";
  const changed = reply.operations.filter(({ before: old, after }) => !old || !after || old.layout !== after.layout || old.ns !== after.ns);
  at("summary").hidden = false;
  at("verdict").textContent = `${named(now)}: ${us(reply.after_ns)} µs on the chip by estimate, `
    + (change === 0 ? "as " : `${Math.abs(100 * change).toFixed(1)} % ${word} than `)
    + (same(now, before) ? "before." : `with ${named(before)} (${us(reply.before_ns)} µs).`)
    + (changed.length === 0 ? " No operation has another layout or takes another time." : "");
  at("verdict").className = change === 0 ? "" : word;
  at("warnings").replaceChildren(...reply.warnings.map((text) => element("li", {}, text)));
  const code = (text) => element("code", {}, ...words(text));
  const pair = (old, after, shown) => (old === after ? [shown(after)] : [shown(old), " →", element("br"), shown(after)]);
  at("changes").tBodies[0].replaceChildren(...changed.map(({ place, before: old, after }) => element("tr", {},
    element("td", {}, ...words(place), element("div", { class: "hint" }, after?.pcc == null ? "" : `PCC ${after.pcc.toFixed(6)}`)),
    element("td", {}, ...pair(old?.layout ?? "none", after?.layout ?? "none", code)),
    element("td", { class: "number" }, ...pair(us(old?.ns) || "none", us(after?.ns) || "none", (text) => text)))));
  await showChoices();
}

// Model Explorer keeps in its address which node is selected, and in its body whether it is dark.
const nodeOf = (address) => /"selectedNodeId":\s*"([^"]*)"/.exec(decodeURIComponent(address))?.[1] ?? "";

function watchGraph() {
  const frame = at("graph").contentWindow;
  let node = "";
  try {
    document.documentElement.dataset.theme = frame.document.body?.dataset.metheme ?? document.documentElement.dataset.theme ?? "";
    node = nodeOf(frame.location.href);
  } catch {
    return;
  }
  if (!node || node === state.opened) return;
  state.opened = node;
  const alike = state.choices.filter((one) => one.name === node.replace(/__\d+$/, ""));
  const one = alike.find((choice) => choice.legal.length > 1) ?? alike[0];
  if (one) select(one, false);
}

async function upload(file) {
  const form = new FormData();
  form.append("file", file);
  const reply = await (await fetch("/apipost/v1/upload", { method: "POST", body: form })).json();
  if (reply.error) throw new Error(reply.error);
  at("model").append(element("option", { value: reply.path }, file.name));
  at("model").value = reply.path;
}

const fill = (select, values, text = (value) => value) =>
  select.replaceChildren(...values.map((value) => element("option", { value }, text(value))));

at("source").addEventListener("click", showModel);
at("compile").addEventListener("click", () => busy("compiling...", compare));
at("model").addEventListener("change", showAnother);
at("policy").addEventListener("change", () => busy("checking...", showChoices));
at("search").addEventListener("input", listResults);
at("overrides").addEventListener("change", () => busy("checking...", showChoices));
at("clear").addEventListener("click", () => { at("overrides").value = "{}"; busy("compiling...", compare); });
at("open").addEventListener("click", () => at("file").click());
at("file").addEventListener("change", async () => {
  await busy("uploading...", () => upload(at("file").files[0]));
  await showAnother();
});
document.documentElement.dataset.theme = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
setInterval(watchGraph, 300);

await busy("reading...", async () => {
  const { models, policies } = await ask("/tt/api/models");
  fill(at("model"), models, (path) => path.split(/[\\/]/).pop());
  fill(at("policy"), policies);
});
await showAnother();

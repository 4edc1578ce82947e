// The page for overrides: which layouts results may have, what is chosen, and what that changes.

const at = (id) => document.getElementById(id);
const state = { choices: [], selected: null, shown: "" };

const element = (tag, text = "", attributes = {}) => {
  const made = document.createElement(tag);
  made.textContent = text;
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  return made;
};

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

async function busy(what, work) {
  at("status").textContent = what;
  at("error").hidden = true;
  try {
    await work();
    at("status").textContent = "";
  } catch (problem) {
    at("status").textContent = "";
    at("error").textContent = problem.message;
    at("error").hidden = false;
  }
}

const show = (address) => { at("graph").src = address; };

const showModel = () => busy("reading...", async () => {
  if (!at("model").value) return;
  show((await ask("/tt/api/view", { model: at("model").value })).address);
  await showChoices();
});

async function showChoices() {
  const reply = await ask("/tt/api/choices", { model: at("model").value, settings: settings() });
  state.choices = reply.choices;
  listResults();
}

function listResults() {
  const wanted = at("search").value.toLowerCase();
  const rows = state.choices
    .filter((one) => `${one.name} ${one.operation}`.toLowerCase().includes(wanted))
    .map((one) => {
      const row = element("tr", "", { tabindex: "0", "data-name": one.name });
      for (const text of [one.name, one.operation, one.shape.join("x"), one.chosen]) row.append(element("td", text));
      row.classList.toggle("overridden", one.overridden);
      row.classList.toggle("selected", one.name === state.selected);
      row.addEventListener("click", () => select(one.name));
      row.addEventListener("keydown", (event) => { if (event.key === "Enter") select(one.name); });
      return row;
    });
  at("results").tBodies[0].replaceChildren(...rows);
}

function select(name) {
  const one = state.choices.find((choice) => choice.name === name && choice.legal.length > 1)
    ?? state.choices.find((choice) => choice.name === name);
  if (!one) return;
  state.selected = name;
  for (const row of at("results").tBodies[0].rows) row.classList.toggle("selected", row.dataset.name === name);
  at("legal").hidden = false;
  at("legal-of").textContent = `${one.name}: ${one.legal.length} legal layouts`;
  at("why").textContent = one.reasons.join("; ");
  at("layouts").replaceChildren(...one.legal.map((layout) => {
    const item = element("li");
    const button = element("button", layout, { "aria-pressed": String(layout === one.chosen) });
    button.addEventListener("click", () => override(name, layout));
    item.append(button);
    return item;
  }));
}

const override = (name, layout) => busy("checking...", async () => {
  at("overrides").value = JSON.stringify({ ...overrides(), [name]: layout }, null, 1);
  await compare();
});

async function compare() {
  at("status").textContent = "compiling...";
  const model = at("model").value;
  const reply = await ask("/tt/api/compare", { model, settings: settings() });
  show(reply.address);
  const percent = reply.before_ns ? 100 * (reply.after_ns - reply.before_ns) / reply.before_ns : 0;
  const word = percent < 0 ? "faster" : "slower";
  at("summary").hidden = false;
  at("verdict").textContent = percent === 0
    ? `An estimate of ${reply.after_ns.toLocaleString("en")} ns on the chip, as before.`
    : `An estimate of ${reply.after_ns.toLocaleString("en")} ns on the chip, ${Math.abs(percent).toFixed(1)} % ${word} than ${reply.before_ns.toLocaleString("en")} ns.`;
  at("verdict").className = percent === 0 ? "" : word;
  const changed = reply.operations.filter(({ before, after }) =>
    !before || !after || before.layout !== after.layout || before.ns !== after.ns);
  at("changes").tBodies[0].replaceChildren(...changed.map(({ place, before, after }) => {
    const row = element("tr");
    const pcc = after?.pcc == null ? "" : after.pcc.toFixed(6);
    for (const text of [place, before?.layout ?? "", after?.layout ?? "", before?.ns ?? "", after?.ns ?? "", pcc])
      row.append(element("td", String(text)));
    return row;
  }));
  await showChoices();
  if (state.selected) select(state.selected);
}

// A node that is selected in the graph is the result of its location. Model Explorer keeps what is selected in its address.
function watchGraph() {
  let address = "";
  try {
    address = decodeURIComponent(at("graph").contentWindow.location.href);
  } catch {
    return;
  }
  if (address === state.shown) return;
  state.shown = address;
  const node = /"selectedNodeId":"([^"]*)"/.exec(address);
  if (node) select(node[1].replace(/__\d+$/, ""));
}

async function upload(file) {
  const form = new FormData();
  form.append("file", file);
  const reply = await (await fetch("/apipost/v1/upload", { method: "POST", body: form })).json();
  if (reply.error) throw new Error(reply.error);
  at("model").append(element("option", file.name, { value: reply.path }));
  at("model").value = reply.path;
}

const fill = (select, values, text = (value) => value) =>
  select.replaceChildren(...values.map((value) => element("option", text(value), { value })));

at("source").addEventListener("click", showModel);
at("compile").addEventListener("click", () => busy("compiling...", compare));
at("model").addEventListener("change", () => { at("overrides").value = "{}"; showModel(); });
at("policy").addEventListener("change", () => busy("checking...", showChoices));
at("search").addEventListener("input", listResults);
at("overrides").addEventListener("change", () => busy("checking...", showChoices));
at("clear").addEventListener("click", () => { at("overrides").value = "{}"; busy("compiling...", compare); });
at("file").addEventListener("change", async () => {
  await busy("uploading...", () => upload(at("file").files[0]));
  await showModel();
});
setInterval(watchGraph, 300);

busy("reading...", async () => {
  const { models, policies } = await ask("/tt/api/models");
  const named = new URLSearchParams(location.search).get("model");
  fill(at("model"), models, (path) => path.split(/[\\/]/).pop());
  fill(at("policy"), policies);
  if (named && models.includes(named)) at("model").value = named;
  await showModel();
});

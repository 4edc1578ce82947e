/** The top of the page: the verdict, what to change first, and where the time on the critical path goes. */

import type { Store } from "../data/store";
import { h, pressable, tipped } from "../dom";
import { coordinates, counted, percent, roleName } from "../format";
import { colourOf } from "../palette";
import { stuckWaits } from "../data/stuck";
import { findingCard, placeButton, savings } from "./advice";
import { RESOURCES } from "./inspector";

/** The critical path by resource as a bar; each part can be pressed. */
export function pathBar(store: Store): HTMLElement {
  const { run } = store;
  const parts = run.pathTotals().map(([resource, time]) => {
    const share = time / Math.max(run.length, 1);
    const part = h("div", { class: "path-part", style: `flex-grow:${share}` }, h("span", {}, share > 0.045 ? `${resource} ${percent(share)}` : ""));
    pressable(part, `${resource}, ${percent(share)} of the critical path`, () => store.select({ kind: "resource", resource }));
    tipped(part, () => [`${resource}: ${counted(time, run.launch.unit)}, ${percent(share)} of the run`, RESOURCES[resource] ?? ""]);
    return { part, resource };
  });
  const paint = (): void => parts.forEach(({ part, resource }) => {
    part.style.background = colourOf(resource, store.theme);
    part.classList.toggle("unrelated", store.related !== null && store.related.resources.size > 0 && !store.related.resources.has(resource));
    part.classList.toggle("chosen", store.selection?.kind === "resource" && store.selection.resource === resource);
  });
  store.on(["selection", "theme"], paint);
  paint();
  return h("div", { class: "path-bar", role: "group", "aria-label": "Critical path by resource" }, ...parts.map(({ part }) => part));
}

/** Why a launch has failed, and who waits for what. */
function failure(store: Store): HTMLElement {
  const { launch } = store.run;
  const rows = stuckWaits(store.run).map(({ text, slices, roles, nodes }) => {
    const where = [...new Set(nodes)].map((node) => coordinates(launch.nodes[node]!.node));
    const shown = where.length > 4 ? counted(where.length, "nodes") : `${where.length === 1 ? "node" : "nodes"} ${where.join(" ")}`;
    return h("li", {}, h("button", { type: "button", class: "chip", click: () => store.select({ kind: "slice", slice: slices[0]! }) }, `${roles.map(roleName).join(", ")} on ${shown}`), ` ${text}`);
  });
  return h("div", { class: "failure" }, ...(launch.findings ?? []).map((finding) => findingCard(store, finding)),
    rows.length > 0 ? h("section", { class: "stuck", "aria-label": "Who waits for what" }, h("h2", {}, "Who waits for what"), h("ul", {}, ...rows)) : null);
}

export function header(store: Store): HTMLElement {
  const { run } = store;
  const { launch } = run;
  if ((launch.findings ?? []).length > 0) return h("div", { class: "verdict failed" }, h("h1", {}, launch.verdict), failure(store));
  const first = launch.first;
  const roof = launch.profile?.roof;
  const change = first === null ? null : h("div", { class: "first-change" },
    h("span", { class: "badge" }, "change first"),
    h("div", {}, h("b", {}, first.change || first.sentence), " ", h("span", { class: "gain" }, savings(launch, first.cycles)), " ", ...first.lines.map(([file, line]) => placeButton(store, file, line))));
  const steps = launch.target === "sim" ? h("div", { class: "first-change" }, h("span", { class: "badge" }, "steps, not cycles"), h("div", {}, "The simulator has no cycles. A step is one call of the language; what need not wait happens at the same time. For cycles and advice: ttl run --target emu --report out.html PROGRAM")) : null;
  return h("div", { class: "verdict" },
    h("h1", {}, launch.verdict),
    roof ? h("p", { class: "roof-line" }, `The least possible is ${counted(roof.cycles, launch.unit)} (${roof.resource}: ${roof.because}); this run is at ${percent(roof.share)} of that roofline.`) : null,
    change ?? steps ?? (launch.target === "emu" ? h("div", { class: "first-change" }, h("span", { class: "badge" }, "advice"), h("div", {}, `${(launch.profile?.advice.length ?? 0) > 0 ? "Nothing to change without a further look: the advice below has its price." : "None of the known flaws was found."} The critical path says what the run waits for.`)) : null),
    run.path.count > 0 ? pathBar(store) : null);
}

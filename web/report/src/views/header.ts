/** The top of the page: the verdict, what to change first, and where the time on the critical path goes. */

import type { Store } from "../data/store";
import { h, pressable, tipped } from "../dom";
import { coordinates, counted, percent, roleName, shortRole } from "../format";
import { colourOf } from "../palette";
import { inLine, Roving } from "../roving";
import type { Selection } from "../data/selection";
import { lastFills, standing, type Stuck } from "../data/stuck";
import { placeButton } from "./advice";
import { findingCard } from "./finding";
import { RESOURCES } from "./inspector";
import { described } from "./timeline/overlay";

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
  const bar = h("div", { class: "path-bar", role: "toolbar", "aria-label": "Critical path by resource" });
  const elements = parts.map(({ part }) => part);
  new Roving(bar).show(elements, inLine(elements));
  return bar;
}

/** Nodes by their coordinates; more than four are counted. */
function shownNodes(store: Store, nodes: readonly number[]): string {
  const where = [...new Set(nodes)].map((node) => coordinates(store.run.launch.nodes[node]!.node));
  return where.length > 4 ? counted(where.length, "nodes") : `${where.length === 1 ? "node" : "nodes"} ${where.join(" ")}`;
}

/** A processor of a node as something to press: its last slice is selected. */
function trackButton(store: Store, number: number): HTMLElement {
  const track = store.run.tracks[number]!;
  const text = `${shortRole(track.role)} of ${coordinates(store.run.launch.nodes[track.node]!.node)}`;
  return h("button", { type: "button", class: "chip", click: () => store.select(track.count > 0 ? { kind: "slice", slice: track.first + track.count - 1 } : { kind: "node", node: track.node }) }, text);
}

const DOES: Record<Stuck["state"], string> = { failed: "broke a rule at", waits: "", works: "was stopped at" };

function stuckRow(store: Store, stuck: Stuck): HTMLElement {
  const { launch } = store.run;
  const label = launch.labels[stuck.label];
  const who = `${stuck.roles.map(roleName).join(", ")} on ${shownNodes(store, stuck.nodes)}`;
  const target: Selection = stuck.slices.length > 0 ? { kind: "slice", slice: stuck.slices[0]! } : { kind: "node", node: stuck.nodes[0]! };
  const kernel = label?.kernel === null || label?.kernel === undefined ? undefined : launch.kernels[label.kernel];
  const cpp = kernel?.file && label?.kernel_line ? `${kernel.file}:${label.kernel_line}` : "";
  const line = label !== undefined && label.file !== null && label.line !== null ? placeButton(store, label.file, label.line) : null;
  const pipe = typeof label?.pipe === "number" ? label.pipe : null;
  return h("li", {}, h("button", { type: "button", class: "chip", click: () => store.select(target) }, who), ` ${DOES[stuck.state]} ${stuck.text} `,
    line, cpp ? h("span", { class: "note" }, ` ${cpp} `) : null,
    stuck.needs ? h("div", { class: "note" }, `needs ${stuck.needs}`, stuck.awaited.length > 0 ? "; should come from " : "",
      ...stuck.awaited.slice(0, 4).map((track) => trackButton(store, track)), stuck.awaited.length > 4 ? ` and ${stuck.awaited.length - 4} more` : "",
      pipe !== null ? h("button", { type: "button", class: "chip", click: () => store.select({ kind: "pipe", pipe }) }, "the pipe") : null) : null);
}

/** Why a launch has failed, and who waits for what. */
function failure(store: Store): HTMLElement {
  const { run } = store;
  const { launch } = run;
  const rows = standing(run).map((stuck) => stuckRow(store, stuck));
  const fills = lastFills(run).map(({ buffer, full, nodes }) => {
    const name = launch.buffer_names![buffer]!;
    return h("li", {}, h("button", { type: "button", class: "chip", click: () => store.select({ kind: "buffer", buffer }) }, name.text), ` ${Number(full.toFixed(2))} of ${counted(name.blocks, "blocks")} full on ${shownNodes(store, nodes)}`);
  });
  const moving = (launch.under_way ?? []).slice(0, 8).map((transfer) => h("li", {}, h("button", { type: "button", class: "chip", click: () => store.select({ kind: "transfer", transfer }) }, described(run, transfer + run.slices.count)[0] ?? "a transfer")));
  return h("div", { class: "failure" }, h("div", {}, ...(launch.findings ?? []).map((finding) => findingCard(launch.sources, (file, line) => placeButton(store, file, line), finding))), rows.length === 0 ? null : h("div", {},
    rows.length > 0 ? h("section", { class: "stuck", "aria-label": "Who waits for what" }, h("h2", {}, "Who waits for what"), h("ul", {}, ...rows)) : null,
    fills.length > 0 ? h("section", { class: "stuck", "aria-label": "Buffers at the end" }, h("h2", {}, "Buffers that are waited for"), h("ul", {}, ...fills)) : null,
    moving.length > 0 ? h("section", { class: "stuck", "aria-label": "Transfers under way" }, h("h2", {}, `Transfers that had not arrived: ${counted(launch.under_way!.length, "groups")}`), h("ul", {}, ...moving)) : null));
}

export function header(store: Store): HTMLElement {
  const { run } = store;
  const { launch } = run;
  if ((launch.findings ?? []).length > 0) return h("div", { class: "verdict failed" }, h("h1", {}, launch.verdict), failure(store));
  const first = launch.first;
  const roof = launch.profile?.roof;
  const change = first === null ? null : h("div", { class: "first-change" },
    h("div", {}, `because ${first.sentence} `, ...first.lines.map(([file, line]) => placeButton(store, file, line))));
  const steps = launch.target === "sim" ? h("div", { class: "first-change" }, h("span", { class: "badge" }, "steps, not cycles"), h("div", {}, "The simulator has no cycles. A step is one call of the language; what need not wait happens at the same time. For cycles and advice: ttl run --target emu --report out.html PROGRAM")) : null;
  return h("div", { class: "verdict" },
    h("h1", {}, launch.headline || launch.verdict),
    launch.headline ? h("p", { class: "measured" }, launch.verdict) : null,
    roof ? h("p", { class: "roof-line" }, `Its own work takes ${counted(roof.cycles, launch.unit)} (${roof.resource}: ${roof.because}); the run is at ${percent(roof.share)} of that.`) : null,
    change ?? steps ?? (launch.target === "emu" ? h("div", { class: "first-change" }, h("span", { class: "badge" }, "advice"), h("div", {}, `${(launch.profile?.advice.length ?? 0) > 0 ? "No change is proposed outright: each advice below has a price, which it names." : "None of the known flaws was found."} The critical path says what the run waits for.`)) : null),
    run.path.count > 0 ? pathBar(store) : null);
}

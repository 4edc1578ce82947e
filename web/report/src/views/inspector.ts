/** What is selected, in words and numbers, and what belongs to it: one press further. */
import { banksOf, cyclesByNode, type Selection } from "../data/selection";
import type { Run } from "../data/run";
import { awaitedBy } from "../data/stuck";
import type { Store } from "../data/store";
import { h } from "../dom";
import { baseName, bytes, coordinates, counted, microseconds, percent, roleName, whole } from "../format";
import { placeButton, savings } from "./advice";
import { described, endedBy } from "./timeline/overlay";

type Facts = [string, string][];

export class Inspector {
  readonly element: HTMLElement;
  private readonly body = h("div", { class: "inspector-body" });

  constructor(private readonly store: Store) {
    this.element = h("section", { class: "pane inspector", "aria-label": "Selection", "aria-live": "polite" }, h("div", { class: "pane-bar" }, h("h2", {}, "Selection"), h("span", { class: "space" }), h("button", { type: "button", class: "clear", title: "Clear (Esc)", click: () => store.select(null) }, "clear")), this.body);
    store.on("selection", () => this.draw());
    this.draw();
  }

  private draw(): void {
    const { store } = this;
    const { selection, related, run } = store;
    this.element.classList.toggle("nothing", selection === null);
    if (selection === null || related === null) {
      this.body.replaceChildren(h("p", { class: "empty" }, "Click a node, a slice of the timeline, a line, a buffer, a pipe, a resource or a piece of advice: what belongs to it is shown everywhere. Esc clears."), this.summary());
      return;
    }
    const { title, facts } = about(run, selection);
    const links: Node[] = [];
    const chip = (text: string, target: Selection): void => { links.push(h("button", { type: "button", class: "chip", click: () => store.select(target) }, text)); };
    if (selection.kind === "slice") {
      const cause = run.slices.cause[selection.slice]!;
      if (cause >= 0) chip("what ended it", cause < run.slices.count ? { kind: "slice", slice: cause } : { kind: "transfer", transfer: cause - run.slices.count });
    }
    if (selection.kind === "slice") for (const slice of awaitedBy(run, selection.slice).slice(0, 4)) chip("who should end it", { kind: "slice", slice });
    if (selection.kind !== "node" && related.lines.size <= 12) {
      for (const key of related.lines) {
        const [file, line] = key.split(":").map(Number) as [number, number];
        if (selection.kind !== "line" || selection.line !== line || selection.file !== file) links.push(placeButton(store, file, line));
      }
    }
    for (const node of related.nodes.size <= 8 ? related.nodes : []) if (selection.kind !== "node") chip(`node ${coordinates(run.launch.nodes[node]!.node)}`, { kind: "node", node });
    for (const buffer of related.buffers) if (selection.kind !== "buffer" || selection.buffer !== buffer) chip(run.launch.buffer_names?.[buffer]?.text ?? "", { kind: "buffer", buffer });
    const nets = new Map<number, number>();
    for (const pipe of related.pipes) {
      const net = run.launch.pipes![pipe]!.net;
      if (!nets.has(net)) nets.set(net, pipe);
    }
    if (selection.kind !== "pipe") for (const pipe of nets.values()) chip(run.launch.pipes![pipe]!.name, { kind: "pipe", pipe });
    for (const resource of related.resources) if (selection.kind !== "resource" && run.pathTotals().some(([other]) => other === resource)) chip(resource, { kind: "resource", resource });
    for (const bank of related.banks) if (selection.kind !== "bank") chip(`DRAM bank ${bank}`, { kind: "bank", bank });
    for (const advice of related.advice) if (selection.kind !== "advice") chip(`advice ${advice + 1}`, { kind: "advice", advice });
    this.body.replaceChildren(h("h3", {}, title), list(facts), links.length > 0 ? h("div", { class: "chips" }, ...links) : "");
  }

  private summary(): HTMLElement {
    const { launch } = this.store.run;
    const facts: Facts = [];
    if (launch.values) facts.push(["called with", launch.values]);
    facts.push(["ran on", `${launch.target === "emu" ? "the emulated chip" : "the simulator"}, ${counted(launch.nodes.length, "nodes")}`]);
    if (launch.unit === "cycles") facts.push(["took", `${counted(launch.length, launch.unit)}, ${microseconds(launch.length, launch.chip.clock_hz)} at ${launch.chip.clock_hz / 1e9} GHz`]);
    else facts.push(["took", counted(launch.length, launch.unit)]);
    facts.push(["slices", whole(this.store.run.slices.count)]);
    return list(facts);
  }
}

const list = (facts: Facts): HTMLElement => h("dl", { class: "facts" }, ...facts.flatMap(([term, text]) => [h("dt", {}, term), h("dd", {}, text)]));

/** A selection in words. */
export function about(run: Run, selection: Selection): { title: string; facts: Facts } {
  const { launch } = run;
  const unit = launch.unit;
  switch (selection.kind) {
    case "node": {
      const node = launch.nodes[selection.node]!;
      const facts: Facts = run.tracksOfNode[selection.node]!.map((track) => [roleName(track.role), `works ${counted(track.busyBefore[track.count]!, unit)}, waits ${whole(track.waitBefore[track.count]!)}`]);
      facts.push(["DRAM", `read ${bytes(node.dram_read)}, written ${bytes(node.dram_written)}`]);
      if (launch.target === "emu") facts.push(["NoCs", `in ${bytes(node.noc_in)}, out ${bytes(node.noc_out)}`]);
      return { title: `node ${coordinates(node.node)}`, facts };
    }
    case "bank": {
      let size = 0;
      let count = 0;
      for (let i = 0; i < run.transfers.count; i++) {
        if (!banksOf(run, i).includes(selection.bank)) continue;
        size += run.transfers.bytes[i]!;
        count += run.transfers.packets[i]!;
      }
      return { title: `DRAM bank ${selection.bank}`, facts: [["transfers", whole(count)], ["bytes", bytes(size)]] };
    }
    case "line": {
      const source = launch.sources[selection.file];
      const use = source?.lines.find((line) => line.line === selection.line);
      const facts: Facts = [["text", source?.text.split("\n")[selection.line - 1]?.trim() ?? ""]];
      if (use && run.path.count > 0) facts.push(["critical path", `${counted(use.cycles, unit)}, ${percent(use.share)} of the run`]);
      if (use && typeof use.busy === "object") for (const [role, busy] of Object.entries(use.busy)) facts.push([roleName(role), `works ${counted(busy, unit)}, waits ${whole((use.waits as Record<string, number>)[role] ?? 0)} (mean of the nodes)`]);
      if (!use) facts.push(["cycles", "nothing that takes time happens here"]);
      return { title: `${baseName(source?.file ?? "")}:${selection.line}`, facts };
    }
    case "buffer": {
      const name = launch.buffer_names![selection.buffer]!;
      const stats = launch.stats?.buffers.find((buffer) => buffer.name === name.text && buffer.line === name.line);
      const facts: Facts = [["room", `${counted(name.blocks, "blocks")} of ${bytes(name.block_bytes)}`]];
      if (stats) {
        facts.push(["passed", `${counted(stats.blocks, "blocks")}, ${bytes(stats.bytes)}, on all nodes`], ["at most", `${stats.high_water} of ${stats.block_count} blocks`]);
        const waited = (times: number, cycles: number | null | undefined): string => (times === 0 ? "never" : `${counted(times, "times")}${cycles === undefined || cycles === null ? "" : `, ${counted(cycles, unit)} of all nodes together`}`);
        facts.push(["producer waits", waited(stats.reserve_waits, stats.reserve_wait_cycles)], ["consumer waits", waited(stats.data_waits, stats.data_wait_cycles)]);
      }
      return { title: `buffer ${name.text}`, facts };
    }
    case "pipe": {
      const pipe = launch.pipes![selection.pipe]!;
      return { title: `pipe of ${pipe.name}`, facts: [["from", `node ${coordinates(launch.nodes[pipe.source]!.node)}`], ["to", pipe.destinations.length > 4 ? counted(pipe.destinations.length, "nodes") : pipe.destinations.map((node) => coordinates(launch.nodes[node]!.node)).join(" ")], ["messages", whole(pipe.transfers)], ["bytes", bytes(pipe.bytes)]] };
    }
    case "slice": {
      const [title = "", ...rest] = described(run, selection.slice);
      const cause = run.slices.cause[selection.slice]!;
      const facts: Facts = [["takes", rest[0] ?? ""], ["on", rest[1] ?? ""]];
      if (cause >= 0) facts.push(["ended by", endedBy(run, cause)]);
      const stand = (launch.stands ?? []).find((one) => one.slice === selection.slice);
      if (stand?.needs) facts.push(["needs", stand.needs]);
      for (const slice of awaitedBy(run, selection.slice).slice(0, 3)) facts.push(["should come from", endedBy(run, slice)]);
      const labels = new Uint8Array(launch.labels.length);
      labels[run.slices.label[selection.slice]!] = 1;
      facts.push(["all nodes together", counted(cyclesByNode(run, labels).reduce((sum, cycles) => sum + cycles, 0), unit)]);
      return { title, facts };
    }
    case "transfer": {
      const [title = "", ...rest] = described(run, selection.transfer + run.slices.count);
      return { title, facts: rest.map((text, index) => [["size", "takes", "issued at"][index] ?? "", text]) };
    }
    case "resource": {
      const cycles = run.pathTotals().find(([resource]) => resource === selection.resource)?.[1] ?? 0;
      return { title: `${selection.resource} on the critical path`, facts: [["takes", `${counted(cycles, unit)}, ${percent(cycles / Math.max(run.length, 1))} of the run`], ["meaning", RESOURCES[selection.resource] ?? ""]] };
    }
    case "advice": {
      const advice = launch.profile!.advice[selection.advice]!;
      return { title: advice.change, facts: [["because", advice.sentence], ["gain", savings(launch, advice.cycles)], ["basis", `${advice.basis}: ${advice.how}`]] };
    }
  }
}

/** What the resources of the critical path are. */
export const RESOURCES: Record<string, string> = {
  compute: "kernels of compute (the simulator does not tell the processors apart)",
  math: "the matrix and vector units compute (TRISC 1)",
  unpack: "tiles go from buffers to the math units (TRISC 0)",
  pack: "results go from registers to buffers (TRISC 2)",
  "data movement": "the processors of data movement (BRISC, NCRISC) issue transfers and handle buffers",
  NoC: "bytes are on their way over the network on chip",
  DRAM: "DRAM banks answer",
  synchronisation: "a processor sees only now that it may go on: semaphores, pushes and pops",
  launch: "the kernels are started",
};

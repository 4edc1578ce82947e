/** The pipes as a drawing: which node sends to which, net by net. */
import type { PipeRow } from "../data/model";
import type { Store } from "../data/store";
import { h, pressable, svg, tipped } from "../dom";
import { bytes, coordinates, counted, short, whole } from "../format";
import { netColour } from "../palette";
import { inLine, Roving } from "../roving";

const STEP = 40;

export class PipesView {
  readonly element: HTMLElement;
  private readonly drawing = svg("svg", { class: "pipes-drawing", role: "group", "aria-label": "Pipes between the nodes: arrow keys go from one to the next" });
  private readonly roving = new Roving(this.drawing);
  private readonly rows: { row: HTMLElement; net: number }[] = [];
  private shownNet: number | null = null;

  constructor(private readonly store: Store) {
    const { launch } = store.run;
    const pipes = launch.pipes ?? [];
    if (pipes.length === 0) {
      this.element = h("p", { class: "empty" }, "This operation has no pipes: its nodes send nothing to each other.");
      return;
    }
    const nets = [...new Set(pipes.map((pipe) => pipe.net))];
    for (const net of nets) this.rows.push({ net, row: this.row(net, pipes.filter((pipe) => pipe.net === net)) });
    const table = h("table", { class: "table" }, h("thead", {}, h("tr", {}, ...["net", "pipes", "messages", "bytes", "waits of receivers and senders"].map((text) => h("th", { scope: "col" }, text)))), h("tbody", {}, ...this.rows.map(({ row }) => row)));
    this.element = h("div", { class: "pipes" }, h("div", { class: "table-box" }, table, h("p", { class: "note" }, "A dot is the node that sends, an arrow a node that receives; a line in between passes nodes that do not. Bytes are counted once for every message, however many nodes receive it.")), this.drawing);
    store.on(["selection", "theme"], () => this.draw());
    this.draw();
  }

  private row(net: number, pipes: PipeRow[]): HTMLElement {
    const { launch } = this.store.run;
    const name = pipes[0]!.name;
    const stats = launch.stats?.pipes.find((pipe) => pipe.name === name && pipe.line === pipes[0]!.line);
    const row = h("tr", {}, h("th", { scope: "row" }, h("span", { class: "dot", style: `background:${netColour(net, this.store.theme)}` }), name), h("td", {}, whole(pipes.length)),
      h("td", {}, whole(pipes.reduce((sum, pipe) => sum + pipe.transfers, 0))), h("td", {}, bytes(pipes.reduce((sum, pipe) => sum + pipe.bytes, 0))),
      h("td", {}, stats ? `${whole(stats.waits)} ×${stats.wait_cycles === undefined || stats.wait_cycles === null ? "" : `, ${short(stats.wait_cycles)} ${launch.unit}`}` : ""));
    return pressable(row, `net ${name}`, () => {
      this.shownNet = this.shownNet === net ? null : net;
      this.store.select({ kind: "pipe", pipe: launch.pipes!.indexOf(pipes[0]!) });
    });
  }

  private draw(): void {
    const { launch } = this.store.run;
    const { related, selection, theme } = this.store;
    const pipes = launch.pipes ?? [];
    const place = (node: number): { x: number; y: number } => {
      const at = launch.nodes[node]!.node;
      return { x: (at[0] ?? 0) * STEP + STEP / 2, y: (at.length > 1 ? at[at.length - 1]! : 0) * STEP + STEP / 2 };
    };
    const width = Math.max(...launch.nodes.map((_, node) => place(node).x)) + STEP / 2;
    const height = Math.max(...launch.nodes.map((_, node) => place(node).y)) + STEP / 2;
    this.drawing.setAttribute("viewBox", `0 0 ${width} ${height}`);
    const chosenNet = selection?.kind === "pipe" ? pipes[selection.pipe]?.net : undefined;
    for (const { row, net } of this.rows) row.classList.toggle("chosen", chosenNet === net);
    for (const { row, net } of this.rows) row.classList.toggle("related", related !== null && [...related.pipes].some((pipe) => pipes[pipe]?.net === net));
    const nodes = launch.nodes.map((node, index) => {
      const { x, y } = place(index);
      const group = svg("g", { class: "pipe-node" }, svg("rect", { x: x - 12, y: y - 9, width: 24, height: 18, rx: 3 }), svg("text", { x, y: y + 3.5, "text-anchor": "middle" }, node.node.join(",")));
      if (related !== null) group.classList.add(related.nodes.has(index) ? "related" : "unrelated");
      return pressable(group, `node ${coordinates(node.node)}`, () => this.store.select({ kind: "node", node: index }));
    });
    const nets = [...new Set(pipes.map((pipe) => pipe.net))];
    const drawn = pipes.map((pipe, index) => {
      const on = selection?.kind === "pipe" ? selection.pipe === index : related === null || related.pipes.has(index);
      const colour = netColour(pipe.net, theme);
      const offset = (nets.indexOf(pipe.net) - (nets.length - 1) / 2) * 5;
      const group = svg("g", { class: `pipe${on ? "" : " unrelated"}${selection?.kind === "pipe" && selection.pipe === index ? " chosen" : ""}`, stroke: colour, fill: colour });
      const from = place(pipe.source);
      for (const target of reach(pipe, place)) {
        const to = place(target.node);
        const bend = target.straight ? "" : `Q ${(from.x + to.x) / 2 + (to.y - from.y) * 0.18 + offset} ${(from.y + to.y) / 2 - (to.x - from.x) * 0.18 + offset}`;
        const [dx, dy] = [to.x - from.x, to.y - from.y];
        const far = Math.hypot(dx, dy) || 1;
        const tip = { x: to.x - (dx / far) * 13 + (dy === 0 ? 0 : offset), y: to.y - (dy / far) * 10 + (dx === 0 ? 0 : offset) };
        const start = { x: from.x + (dy === 0 ? 0 : offset), y: from.y + (dx === 0 ? 0 : offset) };
        if (target.line) group.append(svg("path", { d: bend === "" ? `M ${start.x} ${start.y} L ${tip.x} ${tip.y}` : `M ${start.x} ${start.y} ${bend} ${tip.x} ${tip.y}`, fill: "none", "stroke-width": 1.6 }));
        const angle = (Math.atan2(dy, dx) * 180) / Math.PI;
        group.append(svg("path", { d: "M 0 0 L -6 -3.4 L -6 3.4 Z", transform: `translate(${tip.x} ${tip.y}) rotate(${angle})`, stroke: "none" }));
      }
      group.append(svg("circle", { cx: from.x + offset * 1.6, cy: from.y + offset * 1.6, r: 3.4, stroke: "none" }));
      pressable(group, `pipe of ${pipe.name} from node ${coordinates(launch.nodes[pipe.source]!.node)}`, () => this.store.select({ kind: "pipe", pipe: index }));
      return tipped(group, () => [`${pipe.name}: node ${coordinates(launch.nodes[pipe.source]!.node)} → ${pipe.destinations.length === 1 ? `node ${coordinates(launch.nodes[pipe.destinations[0]!]!.node)}` : counted(pipe.destinations.length, "nodes")}`, `${counted(pipe.transfers, "messages")}, ${bytes(pipe.bytes)}`]);
    });
    this.roving.show([...drawn, ...nodes], inLine([...drawn, ...nodes]));
  }
}

/** The receivers of a pipe; in a straight line of them, one line to the last one is enough. */
function reach(pipe: PipeRow, place: (node: number) => { x: number; y: number }): { node: number; straight: boolean; line: boolean }[] {
  const from = place(pipe.source);
  const far = new Map<string, { node: number; distance: number }>();
  const targets = pipe.destinations.filter((node) => node !== pipe.source).map((node) => {
    const to = place(node);
    const straight = to.x === from.x || to.y === from.y;
    const way = straight ? `${Math.sign(to.x - from.x)},${Math.sign(to.y - from.y)}` : `n${node}`;
    const distance = Math.abs(to.x - from.x) + Math.abs(to.y - from.y);
    if ((far.get(way)?.distance ?? -1) < distance) far.set(way, { node, distance });
    return { node, straight, way };
  });
  return targets.map(({ node, straight, way }) => ({ node, straight, line: far.get(way)!.node === node }));
}

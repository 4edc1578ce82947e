/** The plan of a tile program: what comes from which tensor, who reads and multicasts it, and where it goes; the explicit operation. */
import type { Design, DesignedStream } from "../data/model";
import type { Store } from "../data/store";
import { h, pressable, svg, tipped } from "../dom";
import { bytes, counted, percent, short, whole } from "../format";

const ROW = 58;
/** Where the parts of a row begin: tensor, nodes, buffer, kernel compute. */
const [TENSOR, NODES, BUFFER, COMPUTE, WIDTH] = [4, 130, 230, 430, 540] as const;
const GRID = 44;

const wayOf = ({ multicast }: DesignedStream): string => (multicast === "" ? "each node its own" : `multicast ${multicast}`);

/** "2 x (1, 4) tiles, 8 of them for a node". */
export const blocksOf = ({ block, blocks, turns }: DesignedStream): string => `${whole(blocks)} x (${block.join(", ")}) tiles, ${counted(turns, "blocks")} for a node`;

/** The lines of nodes that a mover's block goes along by multicast: its row in its group, and from that the columns. */
export function reached([columns]: readonly [number, number], { group: [wide, high] }: Pick<DesignedStream, "group">, mover: number): [[number, number], [number, number]][] {
  const [x, y] = [mover % columns, Math.floor(mover / columns)];
  const [left, top] = [x - (x % wide), y - (y % high)];
  const row: [[number, number], [number, number]] = [[left, y], [left + wide - 1, y]];
  return [...(wide > 1 ? [row] : []), ...(high > 1 ? Array.from({ length: wide }, (_, at): [[number, number], [number, number]] => [[left + at, top], [left + at, top + high - 1]]) : [])];
}

export class DesignView {
  readonly element: HTMLElement;
  private readonly parts: { row: Element; stream: DesignedStream }[] = [];

  constructor(private readonly store: Store, design: Design) {
    const { launch } = store.run;
    const share = (cycles: number): string => (launch.target === "emu" && launch.length > 0 ? percent(cycles / launch.length) : "");
    const table = h("table", { class: "table" }, h("thead", {}, h("tr", {}, ...["buffer", "blocks", "L1", "moved by", "way", "line", "cycles of the line", "why"].map((text) => h("th", { scope: "col" }, text)))),
      h("tbody", {}, ...design.streams.map((stream) => this.part(stream, h("tr", {}, h("th", { scope: "row" }, stream.buffer), h("td", { class: "text" }, blocksOf(stream)), h("td", {}, bytes(stream.bytes)), h("td", { class: "text" }, stream.kernel), h("td", { class: "text" }, wayOf(stream)),
        h("td", {}, String(stream.line)), h("td", {}, launch.target === "emu" ? `${short(stream.cycles)} ${share(stream.cycles)}` : ""), h("td", { class: "text why" }, stream.reasons.join("; ")))))));
    this.element = h("div", { class: "design" },
      h("div", { class: "table-box" }, h("p", { class: "caption" }, design.sentence), h("ul", { class: "loops" }, ...design.loops.map((loop) => h("li", {}, loop))), this.drawing(design), table),
      h("div", { class: "chart-box" }, h("p", { class: "caption" }, "The explicit operation (ttl design --keep FILE writes it as a module)"), h("pre", { class: "told" }, design.source)));
    store.on("selection", () => this.mark());
    this.mark();
  }

  /** Tensors on the left, nodes with those that read or write them, buffers, and the kernel that computes. */
  private drawing(design: Design): SVGSVGElement {
    const height = design.streams.length * ROW;
    const box = (x: number, y: number, width: number, lines: string[]): SVGGElement => svg("g", { class: "design-box" }, svg("rect", { x, y: y + 9, width, height: ROW - 18, rx: 4 }), ...lines.map((text, at) => svg("text", { x: x + width / 2, y: y + ROW / 2 + 4 + (at - (lines.length - 1) / 2) * 13, "text-anchor": "middle" }, text)));
    const rows = design.streams.map((stream, at) => {
      const y = at * ROW;
      const arrow = (from: number, to: number): SVGPathElement => svg("path", { class: "design-arrow", d: stream.direction === "in" ? `M ${from} ${y + ROW / 2} L ${to - 3} ${y + ROW / 2}` : `M ${to} ${y + ROW / 2} L ${from + 3} ${y + ROW / 2}`, "marker-end": "url(#design-tip)" });
      const row = svg("g", { class: "design-stream" }, svg("rect", { class: "design-hit", x: 0, y, width: COMPUTE, height: ROW }), box(TENSOR, y, 90, [stream.tensor]), svg("text", { class: "design-kernel", x: (TENSOR + 90 + NODES) / 2, y: y + ROW / 2 - 6, "text-anchor": "middle" }, stream.kernel), arrow(TENSOR + 90, NODES), nodes(design.grid, stream, NODES, y + (ROW - GRID) / 2), arrow(NODES + 70, BUFFER), box(BUFFER, y, 150, [stream.buffer, `${stream.blocks} x (${stream.block.join(", ")})`]), arrow(BUFFER + 150, COMPUTE));
      return this.part(stream, tipped(row, () => [`${stream.tensor} ${stream.direction === "in" ? "→" : "←"} ${stream.buffer}`, blocksOf(stream), `kernel ${stream.kernel}, ${wayOf(stream)}`, ...stream.reasons]));
    });
    const compute = svg("g", { class: "design-box" }, svg("rect", { x: COMPUTE, y: 9, width: WIDTH - COMPUTE - 4, height: Math.max(height - 18, 0), rx: 4 }), svg("text", { x: (COMPUTE + WIDTH - 4) / 2, y: height / 2 + 4, "text-anchor": "middle" }, "compute"));
    return svg("svg", { class: "design-drawing", viewBox: `0 0 ${WIDTH} ${Math.max(height, 1)}`, role: "group", "aria-label": "Tensors, nodes and buffers" }, svg("defs", {}, svg("marker", { id: "design-tip", viewBox: "0 0 6 6", refX: 5, refY: 3, markerWidth: 6, markerHeight: 6, orient: "auto" }, svg("path", { d: "M 0 0 L 6 3 L 0 6 Z" }))), ...rows, compute);
  }

  private part<E extends Element>(stream: DesignedStream, row: E): E {
    this.parts.push({ row, stream });
    const { file, line } = stream;
    return file === null ? row : pressable(row, `${stream.buffer}, line ${line}`, () => this.store.select({ kind: "line", file, line }));
  }

  private mark(): void {
    const { selection, related } = this.store;
    for (const { row, stream } of this.parts) {
      row.classList.toggle("chosen", selection?.kind === "line" && selection.file === stream.file && selection.line === stream.line);
      row.classList.toggle("related", related !== null && stream.file !== null && related.lines.has(`${stream.file}:${stream.line}`));
    }
  }
}

/** The grid, small: nodes that read from memory or write there are filled, lines lead from them to whom they multicast. */
function nodes(grid: readonly [number, number], stream: DesignedStream, x: number, y: number): SVGGElement {
  const [columns, rows] = grid;
  const step = Math.min(GRID / columns, GRID / rows, 16);
  const [left, top] = [x + (70 - step * columns) / 2, y + (GRID - step * rows) / 2];
  const centre = (column: number, row: number): string => `${left + (column + 0.5) * step} ${top + (row + 0.5) * step}`;
  const movers = new Set(stream.movers);
  const cells = Array.from({ length: columns * rows }, (_, node) => svg("rect", { class: movers.has(node) ? "mover" : "", x: left + (node % columns) * step + 0.5, y: top + Math.floor(node / columns) * step + 0.5, width: step - 1, height: step - 1 }));
  const lines = stream.movers.flatMap((mover) => reached(grid, stream, mover).map(([from, to]) => svg("path", { d: `M ${centre(...from)} L ${centre(...to)}` })));
  return svg("g", { class: "design-nodes" }, ...cells, ...lines);
}

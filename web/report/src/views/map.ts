/** The chip as a map: its floor plan, each cell coloured by what is asked, and the links of both NoCs. */
import { cellsOfChip } from "../data/chips";
import type { Cell, Launch } from "../data/model";
import { HOW, type Metric, valuesByNode } from "../data/nodes";
import type { Store } from "../data/store";
import { h, pressable, svg, tipped } from "../dom";
import { bytes, coordinates, counted, percent, roleName, whole } from "../format";
import { colourOf, css, heat, mixed, PATH, rgb } from "../palette";
import { type Placed, Roving } from "../roving";

const CELL = 30;

/** What a map of a pair shares: the same colour is the same value on both. */
export type Scales = Map<string, number>;

export class ChipMap {
  readonly element: HTMLElement;
  private readonly drawing = svg("svg", { class: "map-drawing", role: "grid", "aria-label": "Floor plan of the chip: arrow keys go from node to node" });
  private readonly roving = new Roving(this.drawing);
  private readonly legend = h("div", { class: "map-legend" });
  private readonly title = h("h2", {});
  private readonly select: HTMLSelectElement;
  private links: "none" | "0" | "1";

  constructor(private readonly store: Store, private readonly scales: Scales = new Map()) {
    const { launch } = store.run;
    this.title.textContent = launch.chip.title ?? launch.chip.name;
    const emulated = launch.target === "emu";
    const unit = launch.unit;
    const metrics: [Metric, string][] = [
      ["busy", `${unit} of work`], ["waits", `${unit} of waiting`],
      ...(store.run.path.count > 0 ? [["path", `${unit} on the critical path`]] as [Metric, string][] : []),
      ["dram", "bytes from and to DRAM"],
      ...(emulated ? [["noc", "bytes over the NoCs"]] as [Metric, string][] : []),
      ["selected", `${unit} of what is selected`],
    ];
    this.select = h("select", { "aria-label": "What the colours show", change: () => this.draw() }, ...metrics.map(([value, text]) => h("option", { value }, text)));
    const used = [0, 1].filter((noc) => (launch.links ?? []).some((link) => link.noc === noc));
    this.links = "none";
    const links = h("select", { "aria-label": "Links of the network", change: () => { this.links = links.value as "none"; this.draw(); } },
      h("option", { value: "none" }, "no links"), ...used.map((noc) => h("option", { value: noc }, `links of NoC ${noc}`)));
    this.element = h("section", { class: "pane map", "aria-label": "Map of the chip" },
      h("div", { class: "pane-bar" }, this.title, h("span", { class: "space" }), this.select, used.length > 0 && links),
      this.drawing, this.legend);
    store.on(["selection", "theme", "chip"], () => this.draw());
    for (const [metric] of metrics) this.scale(metric);
    this.scales.set("length", Math.max(launch.length, this.scales.get("length") ?? 0));
    // The scales of both sides of a pair are known when both exist.
    queueMicrotask(() => this.draw());
  }

  /** The value of the darkest (on dark: the lightest) colour. */
  private scale(metric: Metric): number {
    const most = this.values(metric).reduce((least, value) => Math.max(least, value), 0);
    if (metric === "selected") return most;
    const both = Math.max(most, this.scales.get(metric) ?? 0);
    this.scales.set(metric, both);
    return both;
  }

  private values(metric: Metric): Float64Array {
    return valuesByNode(this.store.run, metric, this.store.related?.labels ?? null);
  }

  private isBytes(): boolean {
    return this.select.value === "dram" || this.select.value === "noc";
  }

  private shown(value: number): string {
    return this.isBytes() ? bytes(value) : counted(value, this.store.run.launch.unit);
  }

  private draw(): void {
    const { store } = this;
    const { launch } = store.run;
    const { theme, related } = store;
    const metric = this.select.value as Metric;
    const values = this.values(metric);
    const most = this.scale(metric);
    const { cells, columns, rows } = launch.mesh ? cellsOfChip(launch, launch.mesh, store.chip) : plan(launch);
    if (launch.mesh) this.title.textContent = `${launch.mesh.names[store.chip]}, ${launch.chip.title ?? launch.chip.name}`;
    this.drawing.setAttribute("viewBox", `-1 -1 ${columns * CELL + 2} ${rows * CELL + 2}`);
    const placed: Placed[] = [];
    const boxes = cells.map((cell) => {
      const x = cell.x * CELL;
      const y = cell.y * CELL;
      const rect = svg("rect", { x: x + 1.5, y: y + 1.5, width: CELL - 3, height: CELL - 3, rx: 3 });
      const group = svg("g", { class: `cell ${cell.kind}` }, rect);
      const middle = { x: x + CELL / 2, y: y + CELL / 2 + 3.5, "text-anchor": "middle", class: "cell-text" };
      if (cell.node !== null) {
        const node = launch.nodes[cell.node]!;
        const index = cell.node;
        const share = most > 0 ? values[index]! / most : 0;
        rect.style.fill = css(heat(share, theme));
        const dark = theme === "light" ? share > 0.5 : share < 0.62;
        group.append(svg("text", { ...middle, style: `fill:${dark ? "#ffffff" : "#11161c"}` }, node.node.slice(-2).join(",")));
        if (related !== null) group.classList.add(related.nodes.has(index) ? "related" : "unrelated");
        if (store.selection?.kind === "node" && store.selection.node === index) group.classList.add("chosen");
        group.setAttribute("aria-selected", String(group.classList.contains("chosen")));
        pressable(group, `node ${coordinates(node.node)}, ${this.shown(values[index]!)}`, () => store.select({ kind: "node", node: index }), "gridcell");
        placed.push({ element: group, x: cell.x, y: cell.y });
        tipped(group, () => [
          `node ${coordinates(node.node)}: ${this.shown(values[index]!)}`,
          ...store.run.tracksOfNode[index]!.map((track) => `${roleName(track.role)}: work ${counted(track.busyBefore[track.count]!, launch.unit)}, waiting ${whole(track.waitBefore[track.count]!)}`),
          `DRAM: read ${bytes(node.dram_read)}, written ${bytes(node.dram_written)}`,
          ...(launch.target === "emu" ? [`NoCs: in ${bytes(node.noc_in)}, out ${bytes(node.noc_out)}`] : []),
        ]);
      } else if (cell.bank !== null) {
        const bank = cell.bank;
        rect.style.fill = css(mixed(rgb(theme === "light" ? "#ffffff" : "#15181d"), rgb(colourOf("DRAM", theme)), 0.3));
        group.append(svg("text", middle, `D${bank}`));
        if (related !== null && related.banks.size > 0) group.classList.add(related.banks.has(bank) ? "related" : "unrelated");
        if (store.selection?.kind === "bank" && store.selection.bank === bank) group.classList.add("chosen");
        pressable(group, `DRAM bank ${bank}`, () => store.select({ kind: "bank", bank }), "gridcell");
        placed.push({ element: group, x: cell.x, y: cell.y });
        tipped(group, () => [`DRAM bank ${bank}`, "Click: the transfers from and to it"]);
      } else {
        const text = { dram: "D", ethernet: "E", arc: "A", pcie: "P", worker: "", other: "" }[cell.kind];
        if (text) group.append(svg("text", middle, text));
        tipped(group, () => [{ dram: "DRAM: the operation does not reach a bank here", ethernet: "ethernet", arc: "ARC: the chip's controller", pcie: "PCIe", worker: "a core that the operation does not use", other: "a router without a core" }[cell.kind]]);
      }
      return group;
    });
    placed.sort((a, b) => a.y - b.y || a.x - b.x);
    const lines = [...new Set(placed.map(({ y }) => y))].map((y) => svg("g", { role: "row" }, ...placed.filter((one) => one.y === y).map(({ element }) => element)));
    const others = svg("g", { "aria-hidden": "true" }, ...boxes.filter((box) => !box.hasAttribute("tabindex")), ...this.drawnLinks());
    this.roving.show([...lines, others], placed);
    const stops = [0, 0.25, 0.5, 0.75, 1].map((share) => h("span", { class: "swatch", style: `background:${css(heat(share, theme))}` }));
    const nothing = this.select.value === "selected" && !related?.labels;
    const length = this.scales.get("length")!;
    const upper = this.isBytes() ? bytes(most) : `${counted(most, launch.unit)} of ${whole(length)}${length > launch.length ? " of the longest run" : ""}`;
    this.legend.replaceChildren(
      nothing ? h("span", {}, "Select a line, a buffer or a slice to see where it takes time.") : h("span", { class: "scale" }, "0", ...stops, upper, HOW[metric] && ` (${HOW[metric]})`),
      h("span", { class: "map-kinds" }, h("b", {}, "D"), " DRAM bank, ", h("b", {}, "E"), " ethernet, ", h("b", {}, "x,y"), " node"),
    );
  }

  private drawnLinks(): SVGElement[] {
    if (this.links === "none") return [];
    const noc = Number(this.links);
    const { launch } = this.store.run;
    const { theme } = this.store;
    const all = (launch.links ?? []).filter((link) => link.noc === noc).sort((a, b) => a.share - b.share);
    const busiest = all.at(-1)?.share ?? 1;
    return all.map((link) => {
      const by = noc === 0 ? 1 : -1;
      const x = link.x * CELL + CELL / 2;
      const y = link.y * CELL + CELL / 2;
      const to = link.along === "row" ? { x: x + by * CELL, y } : { x, y: y + by * CELL };
      const off = link.along === "row" ? { x: 0, y: noc === 0 ? -9 : 9 } : { x: noc === 0 ? -9 : 9, y: 0 };
      const colour = css(mixed(rgb(theme === "light" ? "#f3d9c8" : "#3a2618"), rgb(PATH[theme]), link.share / Math.max(busiest, 1e-9)));
      const ends = { x1: x + off.x, y1: y + off.y, x2: to.x + off.x, y2: to.y + off.y };
      const line = svg("line", { ...ends, stroke: colour, "stroke-width": 1 + 5 * link.share, "stroke-linecap": "round", class: "link" });
      return tipped(line, () => [`link of NoC ${noc} from router (${link.x}, ${link.y}) along the ${link.along}`, `busy ${percent(link.share)} of the run: ${counted(link.busy, launch.unit)}`, bytes(link.bytes)]);
    });
  }
}

/** The cells of the chip; for nodes that no chip has, the grid of the nodes, further dimensions one below the other. */
function plan(launch: Launch): { cells: Cell[]; columns: number; rows: number } {
  const { cells, columns, rows } = launch.chip;
  if (cells.some((cell) => cell.node !== null)) return { cells, columns, rows };
  const width = Math.max(...launch.nodes.map((node) => (node.node.length > 1 ? node.node[0]! : 0))) + 1;
  const alone = width === 1 ? Math.ceil(Math.sqrt(launch.nodes.length)) : width;
  const placed = launch.nodes.map((_, index): Cell => ({ x: index % alone, y: Math.floor(index / alone), kind: "worker", node: index, bank: null }));
  return { cells: placed, columns: alone, rows: Math.ceil(placed.length / alone) };
}

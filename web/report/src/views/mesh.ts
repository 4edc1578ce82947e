/** The chips of a launch and the links between them; a press on a chip shows it on the map below. */
import { linkLines, meanByChip } from "../data/chips";
import type { Launch, Mesh } from "../data/model";
import { busyByNode, HOW } from "../data/nodes";
import type { Store } from "../data/store";
import { h, pressable, svg, tipped } from "../dom";
import { bytes, counted, percent } from "../format";
import { css, heat, mixed, PATH, rgb } from "../palette";
import { type Placed, Roving } from "../roving";

const SIZE = 34;
const STEP = 62;

/** The launches of the same call on other chips, and what shows one of them. */
export interface OtherLaunches { byChip: ReadonlyMap<number, Launch>; show: (launch: Launch) => void }

export class MeshMap {
  readonly element: HTMLElement;
  private readonly drawing = svg("svg", { class: "mesh-drawing", role: "group", "aria-label": "Chips and links: arrow keys go from chip to chip" });
  private readonly roving = new Roving(this.drawing);
  private readonly legend = h("div", { class: "map-legend" });

  constructor(private readonly store: Store, private readonly mesh: Mesh, private readonly others: OtherLaunches) {
    this.element = h("section", { class: "pane map mesh", "aria-label": "Mesh of chips" }, h("div", { class: "pane-bar" }, h("h2", {}, mesh.title), h("span", { class: "note" }, `${mesh.topology} of ${mesh.rows}x${mesh.columns}`)), this.drawing, this.legend);
    store.on(["chip", "theme"], () => this.draw());
    this.draw();
  }

  private draw(): void {
    const { mesh, store, others } = this;
    const { theme } = store;
    const { launch } = store.run;
    const edge = STEP - SIZE;
    this.drawing.setAttribute("viewBox", `${-edge} ${-edge} ${mesh.columns * STEP + edge} ${mesh.rows * STEP + edge}`);
    const emulated = launch.target === "emu";
    const most = Math.max(1e-9, ...mesh.links.map((link) => link.share));
    const links = mesh.links.flatMap((link) => linkLines(mesh, link.source, link.target, STEP, SIZE).map((ends) => {
      const colour = css(mixed(rgb(theme === "light" ? "#f3d9c8" : "#3a2618"), rgb(PATH[theme]), link.share / most));
      const line = svg("line", { ...ends, stroke: colour, "stroke-width": 1.5 + 5 * link.share, class: "link" });
      return tipped(line, () => [
        `from ${this.name(link.source)} to ${this.name(link.target)}, ${counted(link.ports, "ports")}`, bytes(link.bytes),
        emulated ? `busy ${percent(link.share)} of the run: ${counted(link.busy, launch.unit)}` : `${percent(link.share)} of the link with the most bytes`,
      ]);
    }));
    const works = meanByChip(mesh, busyByNode(launch));
    for (const [chip, other] of others.byChip) works[chip] = meanByChip(other.mesh!, busyByNode(other))[chip] ?? null;
    const highest = Math.max(1e-9, ...works.map((value) => value ?? 0));
    const placed: Placed[] = [];
    const chips = works.map((value, chip) => {
      const x = (chip % mesh.columns) * STEP;
      const y = Math.floor(chip / mesh.columns) * STEP;
      const rect = svg("rect", { x, y, width: SIZE, height: SIZE, rx: 5 });
      const share = (value ?? 0) / highest;
      if (value !== null) rect.style.fill = css(heat(share, theme));
      const dark = theme === "light" ? share > 0.5 : share < 0.62;
      const text = svg("text", { x: x + SIZE / 2, y: y + SIZE / 2 + 4, "text-anchor": "middle", class: "cell-text", style: value === null ? "" : `fill:${dark ? "#ffffff" : "#11161c"}` }, String(chip));
      const group = svg("g", { class: `cell ${value === null ? "other" : "worker"}${store.chip === chip ? " chosen" : ""}` }, rect, text);
      if (value === null) return tipped(group, () => [`chip ${chip} of the system: ${mesh.names[chip] ? "no launch of this call is in the report" : "not in the mesh of the launch"}`]);
      const other = others.byChip.get(chip);
      pressable(group, `${this.name(chip)}, number ${chip} of the system`, () => (other && other !== launch ? others.show(other) : store.showChip(chip)));
      placed.push({ element: group, x: chip % mesh.columns, y: Math.floor(chip / mesh.columns) });
      return tipped(group, () => [`${this.name(chip)}, number ${chip} of the system`, `${counted(Math.round(value), launch.unit)} of work on a node, ${HOW.busy}`, other ? "Click: its own launch" : "Click: its nodes on the map"]);
    });
    this.roving.show([...links, ...chips], placed);
    const across = mesh.bisection_bytes_per_second / 1e9;
    this.legend.replaceChildren(
      h("span", {}, others.byChip.size > 0 ? "Each chip runs the operation by itself: nothing goes over the links." : emulated ? "Links by the time in which they carried something." : "Links by what pipes sent over them."),
      h("span", {}, `${across.toLocaleString("en-US")} GB/s across the middle, each way`),
    );
  }

  private name(chip: number): string {
    return this.mesh.names[chip] || `chip ${chip} of the system`;
  }
}

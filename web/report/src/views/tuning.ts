/** What `ttl tune` found: heat maps of parameters and of shapes, and what the report says. */
import type { HeatCell, HeatMap, Tuning } from "../data/model";
import { h } from "../dom";
import { whole } from "../format";
import type { Theme } from "../palette";
import { axis, type Chart, chartIn, plainTip } from "./charts";
import { inks } from "./timeline/base";

/** From the fastest to this many times its cycles: what is slower has the last colour. */
const SLOWEST = 4;
const COLOURS = ["#1a9850", "#91cf60", "#d9b84a", "#fc8d59", "#d73027"];
const ROW = 26;

/** "1.25x"; ">1.25x" where it was stopped early, or not run. */
export const ratioText = ({ ratio, exact }: HeatCell): string => `${exact ? "" : ">"}${ratio.toFixed(2)}x`;

export class TuningView {
  readonly element: HTMLElement;
  private readonly plots: { plot: HTMLElement; map: HeatMap; chart?: Chart }[];

  constructor(tuning: Tuning, private theme: Theme) {
    this.plots = tuning.maps.map((map) => ({ map, plot: h("div", { class: "heat", role: "img", "aria-label": described(map), style: `height:${70 + ROW * map.rows.length}px` }) }));
    const [first = [], ...others] = tuning.texts;
    this.element = h("div", { class: "runs tuning" },
      h("div", { class: "verdict" }, h("h1", {}, first[0] ?? tuning.title), h("p", { class: "measured" }, first.length > 1 ? first[1]!.trim() : tuning.command)),
      ...this.plots.map(({ plot, map }) => h("section", { class: "pane", "aria-label": map.title }, h("div", { class: "pane-bar" }, h("h2", {}, map.title)), plot)),
      ...[first, ...others].map((lines) => h("section", { class: "pane" }, h("pre", { class: "told" }, lines.join("\n")))));
    requestAnimationFrame(() => this.draw());
  }

  setTheme(theme: Theme): void {
    this.theme = theme;
    this.draw();
  }

  private draw(): void {
    const { theme } = this;
    const ink = inks(theme);
    for (const one of this.plots) {
      if (one.plot.clientWidth === 0) continue;
      one.chart ??= chartIn(one.plot);
      const { map } = one;
      // The first row is on top: categories of an axis go upwards.
      const rows = [...map.rows].reverse();
      const at = (value: number[]): HeatCell => map.cells[map.rows.length - 1 - value[1]!]![value[0]!]!;
      const data = map.cells.flatMap((cells, row) => cells.flatMap((cell, column) => (cell === null ? [] : [[column, map.rows.length - 1 - row, cell.ratio]])));
      const widest = Math.max(...map.rows.map((row) => row.length), 4);
      one.chart.setOption({
        animation: false, grid: { left: Math.min(20 + 6.2 * widest, one.plot.clientWidth / 2), right: 24, top: 14, bottom: 44 },
        tooltip: plainTip(theme, ({ value }) => `${map.rows[map.rows.length - 1 - value[1]!]!}\n${map.columns[value[0]!]!}\n${at(value).exact ? "" : "more than "}${whole(at(value).cycles)} cycles, ${ratioText(at(value))} of the best`),
        xAxis: axis(theme, map.corner.split(" \\ ").at(-1)!, { type: "category", data: map.columns, splitLine: { show: false } }),
        yAxis: axis(theme, "", { type: "category", data: rows, splitLine: { show: false } }),
        visualMap: { show: false, min: 1, max: SLOWEST, dimension: 2, inRange: { color: COLOURS } },
        series: [{ type: "heatmap", data, label: { show: true, color: "#11161c", fontSize: 11, formatter: ({ value }: { value: number[] }) => ratioText(at(value)) }, itemStyle: { borderColor: ink.surface, borderWidth: 2 } }],
      }, true);
    }
  }
}

/** A map in words, for who does not see it. */
export function described(map: HeatMap): string {
  const rows = map.rows.map((row, at) => `${row}: ${map.cells[at]!.map((cell, column) => `${map.columns[column]!} ${cell === null ? "nothing" : ratioText(cell)}`).join(", ")}`);
  return `${map.title}. ${rows.join("; ")}`;
}

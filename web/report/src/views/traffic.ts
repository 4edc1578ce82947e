/** Bytes over the networks and from and to DRAM, over the stretch of time in view. */
import { traffic } from "../data/traffic";
import type { Store } from "../data/store";
import { h } from "../dom";
import { short, whole } from "../format";
import { colourOf } from "../palette";
import { axis, type Chart, chartIn, plainTip } from "./charts";
import { inks } from "./timeline/base";

const BINS = 240;
/** By name: the resource whose colour a line has, and how it is drawn, so that lines are told apart without colours. */
const LOOKS: Record<string, [string, string | number[]]> = { "from DRAM": ["DRAM", "solid"], "to DRAM": ["pack", [6, 3]], "NoC 0": ["NoC", "solid"], "NoC 1": ["math", [3, 3]] };

export class TrafficView {
  readonly element: HTMLElement;
  private readonly plot = h("div", { class: "chart", role: "img", "aria-label": "Bytes for every cycle over time" });
  private readonly key = h("div", { class: "legend" });
  private chart: Chart | undefined;

  constructor(private readonly store: Store) {
    const none = store.run.transfers.count === 0;
    this.element = none ? h("p", { class: "empty" }, "No transfers are known of this run.") : h("div", { class: "chart-box traffic" }, h("div", { class: "caption" }, `Bytes in every ${store.run.launch.unit.replace(/s$/, "")}, all nodes together, of the stretch in the timeline. Bytes from DRAM pass a NoC, too.`), this.key, this.plot);
    if (!none) store.on(["time", "theme"], () => this.shown());
  }

  shown(): void {
    const { store } = this;
    const { run, theme } = store;
    if (this.plot.clientWidth === 0) return;
    this.chart ??= chartIn(this.plot);
    const { time, series } = traffic(run, store.begin, store.end, BINS);
    const colour = (name: string): string => colourOf(LOOKS[name]?.[0] ?? name, theme);
    this.key.replaceChildren(...series.flatMap(({ name }) => [h("span", { class: "key", style: `height:3px;background:${colour(name)}` }), name]));
    const muted = inks(theme).muted;
    this.chart.setOption({
      animation: false, grid: { left: 58, right: 20, top: 12, bottom: 40 },
      tooltip: plainTip(theme, ({ seriesName, value }) => `${seriesName} at ${whole(value[0]!)}: ${value[1]!.toPrecision(3)} bytes`),
      xAxis: axis(theme, `${run.launch.unit}, as in the timeline`, { type: "value", min: store.begin, max: store.end, axisLabel: { formatter: short, color: muted, fontSize: 10, hideOverlap: true, showMinLabel: false, showMaxLabel: false } }),
      yAxis: axis(theme, "bytes", { type: "value", min: 0, nameGap: 40 }),
      series: series.map(({ name, rate }) => ({ type: "line", name, data: Array.from(rate, (value, bin) => [time[bin], value]), symbolSize: 5, showSymbol: false, lineStyle: { color: colour(name), width: 1.6, type: LOOKS[name]?.[1] ?? "solid" }, itemStyle: { color: colour(name) } })),
    }, true);
  }
}

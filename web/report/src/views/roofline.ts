/** The roofline (Williams, Waterman, Patterson, 2009), and beside it what the run would take if nothing else took time. */
import type { Store } from "../data/store";
import { h } from "../dom";
import { bytes, counted, percent, shortRole, whole } from "../format";
import { colourOf, PATH } from "../palette";
import { axis, type Chart, chartIn, plainTip } from "./charts";
import { inks } from "./timeline/base";

export class RooflineView {
  readonly element: HTMLElement;
  private readonly plot = h("div", { class: "chart", role: "img", "aria-label": "Roofline" });
  private chart: Chart | undefined;

  constructor(private readonly store: Store) {
    const { profile, roof, unit } = store.run.launch;
    const facts: [string, string][] = profile ? [
      ["own work", `${counted(profile.roof.cycles, unit)}, by ${profile.roof.resource}: ${profile.roof.because}`],
      ["this run", `${counted(profile.cycles, unit)}: ${percent(profile.roof.share)} of it is that`],
      ["from and to DRAM", `${bytes(profile.dram_bytes)}, of which ${bytes(profile.dram_unique_bytes)} different`],
      ["busiest DRAM bank", `busy ${percent(profile.busiest_bank)} of the run`],
      ["busiest NoC link", `busy ${percent(profile.busiest_link)} of the run`],
      ...profile.processors.map(({ role, busy, most_busy }) => [shortRole(role), `works ${percent(busy / Math.max(profile.cycles, 1))} of the run (mean of the nodes); at most ${whole(most_busy)} ${unit}`] as [string, string]),
    ] : [];
    const list = h("dl", { class: "facts" }, ...facts.flatMap(([term, text]) => [h("dt", {}, term), h("dd", {}, text)]));
    this.element = h("div", { class: "roofline" }, roof ? this.plot : h("p", { class: "empty" }, unit === "steps" ? "The simulator counts steps, not cycles: a roofline needs a run on the emulated chip (ttl run --target emu --report)." : "No roofline: nothing was computed, or nothing moved."), h("div", { class: "facts-box" }, list, roof ? h("p", { class: "note" }, roof.text) : null, profile?.claim ? h("p", { class: "note" }, profile.claim) : null));
    store.on("theme", () => this.shown());
  }

  shown(): void {
    const { roof } = this.store.run.launch;
    if (!roof || this.plot.clientWidth === 0) return;
    const { theme } = this.store;
    const ink = inks(theme);
    this.chart ??= chartIn(this.plot);
    const flats = roof.ceilings.filter((ceiling) => ceiling.kind === "compute");
    const slopes = roof.ceilings.filter((ceiling) => ceiling.kind === "bandwidth");
    const top = Math.max(...flats.map((ceiling) => ceiling.per_cycle), 1e-9);
    const points = roof.points.filter((point) => point.x > 0 && point.y > 0);
    const ridges = slopes.map((slope) => top / slope.per_cycle);
    const xs = [...points.map((point) => point.x), ...ridges];
    const low = 10 ** Math.floor(Math.log10(Math.min(...xs)) - 0.5);
    const high = 10 ** Math.ceil(Math.log10(Math.max(...xs)) + 0.6);
    const lines = [
      ...slopes.map((slope) => ({ name: slope.name, colour: colourOf(slope.name, theme), data: [[low, low * slope.per_cycle], [top / slope.per_cycle, top]] })),
      ...flats.map((flat) => ({ name: flat.name, colour: colourOf(flat.name, theme), data: [[Math.min(...ridges, high), flat.per_cycle], [high, flat.per_cycle]] })),
    ];
    const least = Math.min(...points.map((point) => point.y), low * Math.min(...slopes.map((slope) => slope.per_cycle)));
    this.chart.setOption({
      animation: false, grid: { left: 62, right: 24, top: 18, bottom: 42 },
      tooltip: plainTip(theme, ({ seriesName, value }) => `${seriesName}\n${value[0]!.toPrecision(3)} per byte, ${value[1]!.toPrecision(3)} per cycle`),
      xAxis: axis(theme, `${roof.unit} for every byte of DRAM`, { type: "log", min: low, max: high }),
      yAxis: axis(theme, `${roof.unit} in every cycle`, { type: "log", min: 10 ** Math.floor(Math.log10(least * 0.6)), max: 10 ** Math.ceil(Math.log10(top * 1.3)), nameGap: 42 }),
      series: [
        ...lines.map((line) => ({ type: "line", name: line.name, data: line.data, symbol: "none", lineStyle: { color: line.colour, width: 2.5 }, endLabel: { show: false } })),
        ...lines.map((line) => ({ type: "scatter", name: line.name, symbolSize: 1, silent: true, data: [line.data[line.data.length === 2 && line.data[0]![0] === low ? 0 : 1]], label: { show: true, position: line.data[0]![0] === low ? [10, 6] : [-2, -16], align: line.data[0]![0] === low ? "left" : "right", formatter: () => line.name, color: ink.text, fontSize: 11 } })),
        ...points.map((point) => ({ type: "scatter", name: point.name, data: [[point.x, point.y]], symbolSize: 13, itemStyle: { color: PATH[theme], borderColor: ink.surface, borderWidth: 2 }, label: { show: true, position: "bottom", formatter: () => `${point.name}: ${percent(roof.attained)} of the roofline`, color: ink.text, fontSize: 11 } })),
      ],
    }, true);
  }
}

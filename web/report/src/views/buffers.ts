/** The dataflow buffers: what passed through them, who waited, and how full they are over time. */
import type { BufferName, StatsBuffer } from "../data/model";
import { levels } from "../data/levels";
import type { Fill } from "../data/run";
import type { Store } from "../data/store";
import { h, pressable, tipped } from "../dom";
import { bytes, coordinates, percent, short, whole } from "../format";
import { colourOf } from "../palette";
import { axis, type Chart, chartIn, plainTip } from "./charts";

export class BuffersView {
  readonly element: HTMLElement;
  private readonly plot = h("div", { class: "chart", role: "img", "aria-label": "How full the buffer is over time" });
  private readonly caption = h("div", { class: "caption" });
  private readonly rows: HTMLElement[];
  private chart: Chart | undefined;

  constructor(private readonly store: Store) {
    const { run } = store;
    const { launch } = run;
    const names = launch.buffer_names ?? [];
    const head = (text: string, tip: string): HTMLElement => tipped(h("th", { scope: "col" }, text), () => [text, tip]);
    const unit = launch.unit;
    this.rows = names.map((name, index) => this.row(name, index));
    const table = h("table", { class: "table" },
      h("thead", {}, h("tr", {},
        head("buffer", "a ring of blocks between two kernels of a node"), head("room", "blocks that it has room for on a node, and their bytes in L1"),
        head("passed", "blocks that went through it, on all nodes"), head("full", "share of the run in which every block is taken: the producer has to wait (more blocks may help)"),
        head("empty", "share of the run in which no block is there: the consumer has to wait"),
        head("producer waits", `for room: times, and ${unit} of all nodes together`), head("consumer waits", `for data: times, and ${unit} of all nodes together`))),
      h("tbody", {}, ...this.rows));
    this.element = names.length === 0 ? h("p", { class: "empty" }, "This operation has no dataflow buffers.") : h("div", { class: "buffers" }, h("div", { class: "table-box" }, table), h("div", { class: "chart-box" }, this.caption, this.plot));
    store.on(["selection", "theme"], () => this.shown());
    store.on("time", () => this.zoom());
  }

  private row(name: BufferName, index: number): HTMLElement {
    const { run } = this.store;
    const { launch } = run;
    const stats: StatsBuffer | undefined = launch.stats?.buffers.find((buffer) => buffer.name === name.text && buffer.line === name.line);
    const share = levels(run.fills.filter((fill) => fill.name === index), name.blocks, run.length);
    const waits = (times: number | undefined, cycles: number | null | undefined): string => (times === undefined ? "" : cycles === undefined || cycles === null ? `${whole(times)} ×` : times === 0 ? "never" : `${whole(times)} ×, ${short(cycles)}`);
    const row = h("tr", {},
      h("th", { scope: "row" }, name.text, name.made_by === "compiler" ? " (the compiler's)" : ""),
      h("td", {}, `${name.blocks} × ${bytes(name.block_bytes)}`), h("td", {}, stats ? whole(stats.blocks) : ""),
      h("td", {}, bar(share.full)), h("td", {}, bar(share.empty)),
      h("td", {}, waits(stats?.reserve_waits, stats?.reserve_wait_cycles)), h("td", {}, waits(stats?.data_waits, stats?.data_wait_cycles)));
    return pressable(row, `buffer ${name.text}`, () => this.store.select({ kind: "buffer", buffer: index }));
  }

  /** The buffer and the node that the chart shows: the selected ones, else the first that has any. */
  private chosen(): Fill | undefined {
    const { run, selection, related } = this.store;
    const buffer = selection?.kind === "buffer" ? selection.buffer : [...(related?.labels ? related.buffers : [])].sort((a, b) => a - b)[0] ?? 0;
    const of = run.fills.filter((fill) => fill.name === buffer);
    const node = selection !== null && related !== null && related.nodes.size === 1 ? [...related.nodes][0] : undefined;
    return of.find((fill) => fill.node === node) ?? of.reduce<Fill | undefined>((best, fill) => (best === undefined || fill.time.length > best.time.length ? fill : best), undefined);
  }

  shown(): void {
    const { store } = this;
    const { related, selection, run, theme } = store;
    const names = run.launch.buffer_names ?? [];
    this.rows.forEach((row, index) => {
      row.classList.toggle("related", related?.buffers.has(index) === true && selection?.kind !== "node");
      row.classList.toggle("chosen", selection?.kind === "buffer" && selection.buffer === index);
    });
    if (names.length === 0 || this.plot.clientWidth === 0) return;
    const fill = this.chosen();
    if (fill === undefined) {
      this.caption.textContent = "Nothing is known about how full it is over time.";
      return;
    }
    const name = names[fill.name]!;
    this.caption.textContent = `${name.text} on node ${coordinates(run.launch.nodes[fill.node]!.node)}: blocks in it, of ${name.blocks}`;
    this.chart ??= chartIn(this.plot);
    const colour = colourOf("unpack", theme);
    // More points than pixels are of no use, and one by one they cost: as many as there are in view of the widest screen.
    const data: [number, number][] = [[0, 0]];
    const every = Math.max(1, Math.ceil(fill.time.length / 4000));
    for (let i = 0; i < fill.time.length; i += every) data.push([fill.time[i]!, fill.fill[i]!]);
    data.push([run.length, fill.fill.at(-1) ?? 0]);
    this.chart.setOption({
      animation: false, grid: { left: 40, right: 16, top: 12, bottom: 40 },
      tooltip: { ...plainTip(theme, ({ value }) => `from ${whole(value[0]!)} on: ${value[1]} blocks`), trigger: "item" },
      xAxis: axis(theme, `${run.launch.unit}, as in the timeline`, { type: "value", min: store.begin, max: store.end, axisLabel: { formatter: short, color: axisInk(theme), fontSize: 10, hideOverlap: true, showMinLabel: false, showMaxLabel: false } }),
      yAxis: axis(theme, "blocks", { type: "value", min: 0, max: name.blocks, minInterval: 1, nameGap: 22 }),
      series: [{ type: "line", step: "end", data, showSymbol: false, lineStyle: { color: colour, width: 1.5 }, areaStyle: { color: colour, opacity: 0.25 }, itemStyle: { color: colour } }],
    }, true);
  }

  private zoom(): void {
    if (this.chart !== undefined && this.plot.clientWidth > 0) this.chart.setOption({ xAxis: { min: this.store.begin, max: this.store.end } });
  }

}

const axisInk = (theme: "light" | "dark"): string => (theme === "light" ? "#5d6673" : "#98a2b0");

function bar(share: number): HTMLElement {
  return h("span", { class: "bar", style: `--share:${Math.min(1, share)}` }, percent(share));
}


/** Charts of ECharts: only what the page uses of it is in the bundle. */
import { HeatmapChart, LineChart, ScatterChart } from "echarts/charts";
import { GridComponent, TooltipComponent, VisualMapComponent } from "echarts/components";
import * as core from "echarts/core";
import { SVGRenderer } from "echarts/renderers";
import type { Theme } from "../palette";
import { inks } from "./timeline/base";

core.use([HeatmapChart, LineChart, ScatterChart, GridComponent, TooltipComponent, VisualMapComponent, SVGRenderer]);

export type Chart = core.ECharts;
export type Options = core.EChartsCoreOption;

/** A chart that keeps the size of its element. */
export function chartIn(element: HTMLElement): Chart {
  const chart = core.init(element, null, { renderer: "svg", width: element.clientWidth || 300, height: element.clientHeight || 200 });
  new ResizeObserver(() => {
    if (element.clientWidth > 0) chart.resize({ width: element.clientWidth, height: element.clientHeight });
  }).observe(element);
  return chart;
}

/** An axis in the page's colours. */
export function axis(theme: Theme, name: string, more: Record<string, unknown>): Record<string, unknown> {
  const ink = inks(theme);
  return {
    name, nameLocation: "middle", nameGap: 26, nameTextStyle: { color: ink.muted, fontSize: 11 },
    axisLine: { lineStyle: { color: ink.line } }, axisLabel: { color: ink.muted, fontSize: 10 }, splitLine: { lineStyle: { color: ink.line } }, ...more,
  };
}

/** The text of a tooltip is text: HTML in a name is not read. */
export function plainTip(theme: Theme, formatter: (point: { seriesName: string; name: string; value: number[] }) => string): Record<string, unknown> {
  const ink = inks(theme);
  return { trigger: "item", renderMode: "richText", backgroundColor: ink.raised, borderColor: ink.line, textStyle: { color: ink.text, fontSize: 11 }, formatter };
}

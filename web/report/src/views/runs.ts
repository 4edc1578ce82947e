/** Several runs against a baseline: by operation, by kernel, by line. */
import type { CycleRow, OperationRuns, Runs } from "../data/model";
import { h, pressable } from "../dom";
import { baseName, whole } from "../format";

/** `open` shows a run beside the baseline. */
export function runsView(report: Runs, open: (run: number) => void): HTMLElement {
  const { compared } = report;
  const names = report.names.slice(1);
  const buttons = h("div", { class: "runs-open" }, ...names.map((name, run) => h("button", { type: "button", click: () => open(run) }, `${report.names[0]!} and ${name}, side by side`)));
  if (compared === null) return h("div", { class: "runs" }, h("div", { class: "verdict" }, h("h1", {}, report.title), buttons), h("p", { class: "empty" }, "The simulator counts steps, and not all of these runs have cycles: nothing to compare by line."));
  const others = compared.others.flatMap((own, run) => own.map((text) => h("li", {}, `only in ${names[run]!}: ${text}`)));
  return h("div", { class: "runs" },
    h("div", { class: "verdict" }, h("h1", {}, compared.headline), h("p", { class: "measured" }, `Cycles of ${report.names[0]!}, the baseline, and of every run how many more or fewer: all of the run, then those of its critical path in each kernel and at each line.`), buttons),
    ...compared.operations.map((operation) => table(operation, report.names, open)),
    others.length > 0 ? h("ul", { class: "note" }, ...others) : null);
}

function table(operation: OperationRuns, names: string[], open: (run: number) => void): HTMLElement {
  const largest = (rows: CycleRow[]): number => Math.max(1, ...rows.flatMap((row) => row.runs.map((run) => Math.abs((run ?? 0) - (row.baseline ?? 0)))));
  const rows = (of: CycleRow[], about: (index: number) => (Node | string)[]): HTMLElement[] => {
    const most = largest(of);
    return of.map((row, index) => h("tr", {}, h("td", {}, row.baseline === null ? "" : whole(row.baseline)), ...row.runs.map((run) => change(row, run, most)), h("th", { scope: "row" }, about(index)[0] ?? ""), h("td", { class: "text" }, about(index)[1] ?? "")));
  };
  const heads = names.map((name, index) => (index === 0 ? h("th", { scope: "col" }, name) : pressable(h("th", { scope: "col" }, name), `${name} beside the baseline`, () => open(index - 1))));
  const changed = operation.lines.filter((line) => line.runs.some((run) => run !== null && run !== line.baseline));
  return h("section", { class: "pane", "aria-label": operation.name },
    h("div", { class: "pane-bar" }, h("h2", {}, operation.name), h("span", { class: "note" }, `${operation.launches > 1 ? `${operation.launches} launches; ` : ""}${operation.values}`)),
    h("div", { class: "table-box" }, h("table", { class: "table" },
      h("thead", {}, h("tr", {}, ...heads, h("th", {}), h("th", {}))),
      h("tbody", { class: "totals" }, ...rows([operation.total], () => ["all"]), h("tr", {}, h("td", {}), ...operation.speedups.map((ratio) => h("td", {}, ratio === null ? "" : ratio.toFixed(2))), h("th", { scope: "row" }, "times as fast"), h("td", {}))),
      h("tbody", { class: "kernels" }, ...rows(operation.kernels, (index) => [`kernel ${operation.kernels[index]!.kernel}`])),
      h("tbody", { class: "lines" }, ...rows(changed, (index) => [`${baseName(changed[index]!.file)}:${changed[index]!.line}`, h("code", {}, changed[index]!.text.trim())])))));
}

/** A cell: how many cycles more or fewer, with a bar against the largest change of the table. */
function change(row: CycleRow, run: number | null, most: number): HTMLElement {
  if (run === null) return h("td", {}, "");
  const by = run - (row.baseline ?? 0);
  if (by === 0) return h("td", { class: "note" }, "=");
  return h("td", { class: by < 0 ? "faster" : "slower", title: `${whole(run)} cycles` }, h("span", { class: "change", style: `--share:${Math.abs(by) / most}` }, `${by > 0 ? "+" : "−"}${whole(Math.abs(by))}`));
}

/** What a card measured, beside what was estimated and emulated. */
import type { Measured } from "../data/model";
import { lineKey } from "../data/selection";
import type { Store } from "../data/store";
import { h, pressable, tipped } from "../dom";
import { whole } from "../format";

/** "+12 %": how far the emulated chip is from the card; empty where nothing was measured. */
export const deviation = ({ error }: Measured): string => (error === null ? "" : `${error < 0 ? "−" : "+"}${Math.abs(Math.round(error * 100))} %`);

export class MeasuredView {
  readonly element: HTMLElement;
  private readonly rows: HTMLElement[];

  constructor(private readonly store: Store, private readonly measured: readonly Measured[]) {
    const head = (text: string, tip: string): HTMLElement => tipped(h("th", { scope: "col" }, text), () => [text, tip]);
    this.rows = measured.map((one) => this.row(one));
    this.element = h("div", { class: "table-box" }, h("table", { class: "table" },
      h("thead", {}, h("tr", {}, head("cycles of", "the launch, its kernels on a processor, or a signpost"),
        head("estimated", "the work of the processor alone; of the launch, of what would take longest if nothing else took time"),
        head("emulated", "with all waits"), head("measured", "on the card, the mean over cores and times"), head("error", "emulated against measured"))),
      h("tbody", {}, ...this.rows)), h("p", { class: "note" }, "A line is measured where it stands in a zone: with ttl.signpost(\"name\")."));
    store.on("selection", () => this.mark());
  }

  private row(one: Measured): HTMLElement {
    const { file, line } = one;
    const row = h("tr", {}, h("th", { scope: "row" }, one.what), h("td", {}, whole(one.estimated)), h("td", {}, whole(one.emulated)),
      h("td", {}, one.measured === null ? "not measured" : whole(one.measured)), h("td", {}, deviation(one)));
    return file === null || line === null ? row : pressable(row, one.what, () => this.store.select({ kind: "line", file, line }));
  }

  private mark(): void {
    this.measured.forEach(({ file, line }, index) => {
      const own = file !== null && line !== null && this.store.selection?.kind !== "node";
      this.rows[index]!.classList.toggle("related", own && this.store.related?.lines.has(lineKey(file, line)) === true);
    });
  }
}

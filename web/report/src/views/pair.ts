/** Two runs side by side: what became faster and what slower, line by line. */
import type { Launch } from "../data/model";
import { type Matched, ratio } from "../data/pairing";
import { fileOf, type Selection } from "../data/selection";
import { lookTogether, type Store } from "../data/store";
import { h, pressable } from "../dom";
import { baseName, counted, whole } from "../format";
import { colourOf } from "../palette";
import { ChipMap, type Scales } from "./map";
import { Timeline } from "./timeline/view";

export interface Side { store: Store; launch: Launch }

export class Comparison {
  readonly element: HTMLElement;

  constructor(private readonly before: Side, private readonly after: Side, diff: Matched | null) {
    const [a, b] = [before.launch, after.launch];
    const alike = a.unit === b.unit;
    const faster = b.length <= a.length;
    const verdict = alike ? `${b.name}: ${counted(a.length, a.unit)} → ${counted(b.length, b.unit)}, ${ratio(a.length, b.length)}` : `${b.name}: ${counted(a.length, a.unit)} and ${counted(b.length, b.unit)}, which cannot be compared`;
    const scales: Scales = new Map();
    lookTogether(before.store, after.store);
    const side = (of: Side, title: string): HTMLElement => h("div", { class: "pair-side" }, h("h3", {}, title), h("p", { class: "note" }, of.launch.values ?? ""), new ChipMap(of.store, scales).element, new Timeline(of.store).element);
    this.element = h("div", { class: "comparison" },
      h("div", { class: "verdict" }, h("h1", { class: alike ? (faster ? "faster" : "slower") : "" }, verdict),
        this.bars(Math.max(a.length, b.length))),
      h("div", { class: "pair-lines pane" }, h("div", { class: "pane-bar" }, h("h2", {}, "Differences by line"), h("span", { class: "note" }, "cycles of the critical path; the largest change first. Click: both runs show the line.")), this.lines(diff)),
      h("div", { class: "pair-sides" }, side(before, `Before: ${a.name}`), side(after, `After: ${b.name}`)));
  }

  /** Both critical paths at one scale, resource by resource. */
  private bars(longest: number): HTMLElement {
    const rows = ([["before", this.before], ["after", this.after]] as const).map(([name, { store, launch }]) => {
      const parts = store.run.pathTotals().map(([resource, time]) => {
        const part = h("div", { class: "path-part", title: `${resource}: ${counted(time, launch.unit)}`, style: `flex:none;width:${(100 * time) / Math.max(longest, 1)}%;background:${colourOf(resource, store.theme)}` }, h("span", {}, time / longest > 0.06 ? `${resource} ${whole(time)}` : ""));
        return pressable(part, `${resource} ${name}: ${whole(time)}`, () => this.both({ kind: "resource", resource }));
      });
      return h("div", { class: "pair-bar" }, h("span", {}, name), h("div", { class: "path-bar" }, ...parts));
    });
    return h("div", {}, ...rows);
  }

  private both(selection: Selection): void {
    this.before.store.select(selection);
    this.after.store.select(selection);
  }

  private lines(diff: Matched | null): HTMLElement {
    if (diff === null) return h("p", { class: "empty" }, this.before.launch.unit === "steps" ? "The simulator counts steps and has no critical path in cycles: nothing to compare by line." : "These launches were not matched: another operation, or other tensors.");
    const changed = diff.lines.filter((line) => line.change !== 0);
    if (changed.length === 0) return h("p", { class: "empty" }, "Every line takes as many cycles as before.");
    const largest = Math.max(1, ...changed.map((line) => Math.abs(line.change)));
    const rows = changed.sort((x, y) => Math.abs(y.change) - Math.abs(x.change)).map((line) => {
      const place = line.after ?? line.before!;
      const state = line.before === null ? "new" : line.after === null ? "gone" : "";
      const row = h("tr", {},
        h("td", {}, line.before ? whole(line.before.path) : ""), h("td", {}, line.after ? whole(line.after.path) : ""),
        h("td", { class: line.change <= 0 ? "faster" : "slower" }, h("span", { class: "change", style: `--share:${Math.abs(line.change) / largest}` }, `${line.change > 0 ? "+" : "−"}${whole(Math.abs(line.change))}`)),
        h("td", {}, state), h("th", { scope: "row" }, `${baseName(place.file)}:${place.line}`), h("td", { class: "text" }, h("code", {}, place.text.trim())));
      return pressable(row, `${baseName(place.file)}:${place.line}`, () => {
        for (const [side, at] of [[this.before, line.before], [this.after, line.after]] as const) {
          const file = at === null ? null : fileOf(side.launch, at.file);
          side.store.select(at === null || file === null ? null : { kind: "line", file, line: at.line });
        }
      });
    });
    return h("div", { class: "table-box" }, h("table", { class: "table" }, h("thead", {}, h("tr", {}, ...["before", "after", "change", "", "line", "text"].map((text) => h("th", { scope: "col" }, text)))), h("tbody", {}, ...rows)));
  }
}

/** Advice with the numbers that it rests on, findings, and what the compiler decided. */
import { fileOf, lineKey } from "../data/selection";
import type { Finding, Launch } from "../data/model";
import type { Store } from "../data/store";
import { h, pressable } from "../dom";
import { findingCard } from "./finding";
import { baseName, bytes, counted, percent, whole } from "../format";

/** A line of the program as something to press. */
export function placeButton(store: Store, file: string | number | null, line: number): HTMLElement {
  const index = fileOf(store.run.launch, file);
  const name = index === null ? String(file ?? "") : store.run.launch.sources[index]?.file ?? "";
  const text = `${baseName(name)}:${line}`;
  if (index === null) return h("span", { class: "chip" }, text);
  return h("button", { type: "button", class: "chip", click: (event: Event) => { event.stopPropagation(); store.select({ kind: "line", file: index, line }); } }, text);
}

export class AdviceView {
  readonly element: HTMLElement;
  private readonly cards: HTMLElement[];

  constructor(store: Store, findings: readonly Finding[]) {
    const { launch } = store.run;
    this.cards = (launch.profile?.advice ?? []).map((advice, index) => pressable(h("article", { class: "card" },
      h("header", {}, h("b", {}, index === 0 ? `1. ${advice.change}` : `${index + 1}. ${advice.change}`), advice.wrong === true ? h("span", { class: "badge bad" }, "makes results wrong here") : null),
      h("p", {}, advice.sentence),
      h("p", { class: "gain" }, savings(launch, advice.cycles), ` (${advice.basis}: ${advice.how})`, advice.l1_bytes ? `; ${bytes(Math.abs(advice.l1_bytes))} ${advice.l1_bytes > 0 ? "more" : "less"} L1` : "", advice.results ? `; ${advice.results}` : ""),
      h("p", { class: "places" }, ...advice.lines.map((place) => placeButton(store, place.file, place.line)), h("span", { class: "note" }, ` rule ${advice.name}`)),
    ), `advice: ${advice.change}`, () => store.select({ kind: "advice", advice: index })));
    const said = findings.map((finding) => findingCard(launch.sources, (file, line) => placeButton(store, file, line), finding));
    const failed = (launch.findings ?? []).length > 0;
    const empty = failed ? "This launch has failed: there is nothing to advise about its speed." : launch.target === "sim"
      ? "The simulator has no cycles: it counts steps, and gives no advice about speed. Run with --target emu for that."
      : "No rule has anything to advise: none of the known flaws was found in this run. The critical path in the timeline says what it waits for.";
    this.element = h("div", { class: "cards" }, ...said, ...this.cards, this.cards.length === 0 ? h("p", { class: "empty" }, empty) : null);
    store.on("selection", () => this.cards.forEach((card, index) => {
      card.classList.toggle("related", store.related?.advice.has(index) === true);
      card.classList.toggle("chosen", store.selection?.kind === "advice" && store.selection.advice === index);
    }));
  }
}

/** "saves about 898 of 21,180 cycles (4 %)" */
export const savings = (launch: Launch, cycles: number): string => `saves about ${whole(cycles)} of ${counted(launch.length, launch.unit)} (${percent(cycles / Math.max(launch.length, 1))})`;

export class DecisionsView {
  readonly element: HTMLElement;
  private readonly rows: { row: HTMLElement; key: string | null }[];

  constructor(store: Store) {
    const { launch } = store.run;
    this.rows = (launch.decisions ?? []).map((decision) => {
      const file = fileOf(launch, decision.file);
      const row = h("article", { class: "decision" }, placeButton(store, decision.file, decision.line), h("code", {}, (decision.text ?? "").trim()), h("ul", {}, ...decision.remarks.map((remark) => h("li", {}, remark))));
      return { row, key: file === null ? null : lineKey(file, decision.line) };
    });
    this.element = h("div", { class: "decisions" }, h("p", { class: "note" }, "What the compiler made of a line, and why (ttl compile --explain)."), ...this.rows.map(({ row }) => row));
    if (this.rows.length === 0) this.element.replaceChildren(h("p", { class: "empty" }, launch.target === "sim" ? "The simulator runs the Python as it is: the compiler decided nothing. Run with --target emu to see its decisions." : "The compiler had nothing to explain."));
    store.on("selection", () => {
      for (const { row, key } of this.rows) row.classList.toggle("related", key !== null && store.selection?.kind !== "node" && store.related?.lines.has(key) === true);
    });
  }
}

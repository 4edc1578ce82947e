/** A finding, or an exception of the program: what it says, where, what led to it, the way out, the fix as lines. */
import { changesOf } from "../data/fixes";
import type { Finding, SourceFile } from "../data/model";
import { h } from "../dom";
import { baseName } from "../format";

/** What a line of the program is shown as. */
export type Place = (file: string | number | null, line: number) => HTMLElement;

export function findingCard(sources: readonly SourceFile[], place: Place, finding: Finding): HTMLElement {
  const what = finding.kind === "exception" ? `${finding.type ?? "exception"}: ${finding.message ?? ""}` : `${finding.severity ?? "note"}${finding.code ? ` ${finding.code}` : ""}: ${finding.message ?? ""}`;
  const places = [finding.primary, ...(finding.secondary ?? [])].filter((one) => one !== null && one !== undefined);
  const frames = finding.frames ?? [];
  const raised = finding.file && finding.line && frames.length === 0 ? [place(finding.file, finding.line)] : [];
  return h("article", { class: "card finding" }, h("header", {}, h("b", {}, what)),
    h("p", { class: "places" }, ...raised, ...places.flatMap((one) => [place(one.file, one.line), h("span", { class: "note" }, ` ${one.label} `)])),
    ...frames.map((frame) => h("p", { class: "said" }, place(frame.file, frame.line), ` in ${frame.function}: `, h("code", {}, frame.text))),
    ...(finding.notes ?? []).map((text) => h("p", { class: "said" }, text)),
    ...(finding.help ?? []).map((text) => h("p", { class: "said gain" }, `help: ${text}`)),
    ...fixOf(sources, finding));
}

function fixOf(sources: readonly SourceFile[], finding: Finding): HTMLElement[] {
  if (!finding.fix) return [];
  const rows = changesOf(finding.fix, sources).flatMap(({ file, line, before, after }) => [
    h("div", { class: "note" }, `${baseName(sources[file]!.file)}:${line}`),
    ...before.map((text) => h("div", { class: "minus" }, `- ${text}`)),
    ...after.map((text) => h("div", { class: "plus" }, `+ ${text}`)),
  ]);
  return [h("p", { class: "said gain" }, `fix: ${finding.fix.description}`), h("div", { class: "diff" }, ...rows)];
}

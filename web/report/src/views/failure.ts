/** A program that failed where no launch can show it: why, and the lines of the program that it is about. */
import { fileAmong } from "../data/selection";
import type { Finding, ProgramFailure } from "../data/model";
import { h } from "../dom";
import { baseName } from "../format";
import { coloured, insideStrings } from "./code";
import { findingCard } from "./finding";

export function failureView(failure: ProgramFailure): HTMLElement {
  const rows = failure.sources.map(() => new Map<number, HTMLElement>());
  const marked = failure.sources.map(() => new Set<number>());
  for (const finding of failure.findings) {
    for (const [file, line] of placesOf(finding)) {
      const index = fileAmong(failure.sources, file);
      if (index !== null) marked[index]!.add(line);
    }
  }
  const place = (file: string | number | null, line: number): HTMLElement => {
    const index = fileAmong(failure.sources, file);
    const text = `${baseName(index === null ? String(file ?? "") : failure.sources[index]!.file)}:${line}`;
    if (index === null) return h("span", { class: "chip" }, text);
    return h("button", { type: "button", class: "chip", click: () => rows[index]!.get(line)?.scrollIntoView({ block: "center" }) }, text);
  };
  const cards = failure.findings.map((finding) => findingCard(failure.sources, place, finding));
  const sources = failure.sources.map((source, index) => {
    const lines = source.text.replace(/\n$/, "").split("\n");
    const strings = insideStrings(lines);
    const code = lines.map((text, at) => {
      const row = h("div", { class: `line${marked[index]!.has(at + 1) ? " related" : ""}`, role: "listitem", "data-line": at + 1 }, h("span", { class: "number" }, String(at + 1)), h("span", { class: "text" }, ...(strings[at] === null ? coloured(text, "python") : [h("span", { class: "w-string" }, text)])));
      rows[index]!.set(at + 1, row);
      return row;
    });
    return h("section", { class: "pane" }, h("div", { class: "pane-bar" }, h("h2", {}, source.file)), h("div", { class: "code python failed-source", role: "list" }, ...code));
  });
  requestAnimationFrame(() => {
    rows.forEach((file, index) => {
      const first = Math.min(...marked[index]!);
      const row = file.get(first);
      const box = row?.parentElement;
      if (row && box) box.scrollTop = row.offsetTop - box.offsetTop - 60;
    });
  });
  return h("div", { class: "program-failure" }, h("div", { class: "verdict failed" }, h("h1", {}, failure.verdict), h("div", { class: "failure" }, h("div", {}, ...cards))), ...sources);
}

function placesOf(finding: Finding): [string, number][] {
  const result: [string, number][] = [finding.primary, ...(finding.secondary ?? [])].flatMap((one): [string, number][] => (one ? [[one.file, one.line]] : []));
  if (finding.file && finding.line) result.push([finding.file, finding.line]);
  return result;
}

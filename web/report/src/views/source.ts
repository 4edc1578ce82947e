/** The program with its cycles beside the lines, and opposite it the C++ that the compiler made of it. */
import type { SourceFile, SourceLine } from "../data/model";
import { lineKey, linesOfNode } from "../data/selection";
import type { Store } from "../data/store";
import { h, pressable, tipped } from "../dom";
import { baseName, coordinates, onMicrocores, percent, whole } from "../format";
import { inLine, Roving } from "../roving";
import { coloured, insideStrings } from "./code";

interface ShownLine { row: HTMLElement; path: HTMLElement; busy: HTMLElement; waits: HTMLElement; use: SourceLine | undefined }

const most = (cost: Record<string, number> | number | undefined): number => (cost === undefined ? 0 : typeof cost === "number" ? cost : Math.max(0, ...Object.values(cost)));

/** The lines of a program with cycles, the hottest first; of the simulator, those with most steps. */
export function hottestLines(sources: readonly SourceFile[]): { file: number; text: string; use: SourceLine }[] {
  const lines = sources.flatMap((source, file) => {
    const texts = source.text.split("\n");
    return source.lines.map((use) => ({ file, text: (texts[use.line - 1] ?? "").trim(), use }));
  });
  const measured = lines.some(({ use }) => use.cycles > 0);
  return lines.filter(({ use }) => (measured ? use.cycles : weight(use)) > 0).sort((a, b) => weight(b.use) - weight(a.use));
}

const weight = (use: SourceLine | undefined): number => (use === undefined ? 0 : use.cycles || (most(use.busy) + most(use.waits)) * 1e-6);

export class SourceView {
  readonly element: HTMLElement;
  private readonly python = h("div", { class: "code python", tabindex: 0, role: "list", "aria-label": "Program" });
  private readonly cpp = h("div", { class: "code cpp", tabindex: 0, role: "list", "aria-label": "C++ of the kernel" });
  private readonly files: HTMLElement;
  private readonly kernels: HTMLElement;
  private readonly head = h("span", { class: "columns-of" });
  private rows = new Map<number, ShownLine>();
  private cppRows = new Map<number, HTMLElement>();
  private file = 0;
  private kernel = 0;
  private from: "python" | "cpp" | null = null;

  constructor(private readonly store: Store) {
    const { launch } = store.run;
    this.files = h("span", { class: "tabs-small" }, ...launch.sources.map((source, index) => h("button", { type: "button", title: source.file, click: () => this.showFile(index) }, baseName(source.file))));
    this.kernels = h("span", { class: "tabs-small" }, ...launch.kernels.map((kernel, index) => h("button", { type: "button", title: onMicrocores(kernel), click: () => this.showKernel(index) }, kernel.name)));
    const hasCpp = launch.kernels.some((kernel) => kernel.text !== "");
    const left = h("div", { class: "half" }, h("div", { class: "half-bar" }, h("b", {}, "Program"), this.files, h("span", { class: "space" }), this.head), this.hottest(), this.columnHeads(), this.python);
    const right = hasCpp ? h("div", { class: "half" }, h("div", { class: "half-bar" }, h("b", {}, "Emitted C++"), this.kernels), this.cpp) : null;
    this.element = h("div", { class: "source" }, left, right);
    if (launch.sources.length === 0) this.python.append(h("p", { class: "empty" }, "The text of the program is not part of this report."));
    const busiest = launch.sources.map((source) => source.lines.reduce((sum, line) => sum + line.cycles, 0));
    this.showFile(Math.max(0, busiest.indexOf(Math.max(...busiest))));
    this.showKernel(0);
    store.on("selection", () => this.update());
    // At first the line that takes most is in view, and what the compiler made of it.
    requestAnimationFrame(() => {
      const hottest = [...this.rows.values()].reduce<ShownLine | undefined>((best, row) => (weight(row.use) > weight(best?.use) ? row : best), undefined);
      if (store.selection !== null) return;
      bringIntoView(this.python, hottest?.row);
      const line = hottest?.use?.line;
      const kernel = launch.kernels.findIndex((one) => one.lines.some(([, file, at]) => file === this.file && at === line));
      if (kernel < 0) return;
      this.showKernel(kernel);
      const [number] = launch.kernels[kernel]!.lines.find(([, file, at]) => file === this.file && at === line)!;
      bringIntoView(this.cpp, this.cppRows.get(number));
    });
  }

  /** The lines of all files that take something, those first that take most. */
  private hottest(): HTMLElement | null {
    const { store, measured } = this;
    const rows = hottestLines(store.run.launch.sources).map(({ file, text, use }) => {
      const source = store.run.launch.sources[file]!;
      const place = `${baseName(source.file)}:${use.line}`;
      const cost = measured ? `${whole(use.cycles)} ${percent(use.share)}` : whole(most(use.busy) + most(use.waits));
      return pressable(h("div", {}, h("b", {}, cost), h("span", { class: "note" }, place), h("code", {}, text)), `${place}, ${cost}`, () => store.select({ kind: "line", file, line: use.line }));
    });
    if (rows.length === 0) return null;
    const list = h("div", { class: "hottest", role: "toolbar", "aria-orientation": "vertical", "aria-label": "Hottest lines" });
    new Roving(list).show(rows, inLine(rows, true));
    const { length, unit } = store.run.launch;
    return h("div", {}, h("div", { class: "hottest-head" }, measured ? `Hottest lines: ${unit} of the critical path at each, of ${whole(length)} in all` : `Hottest lines: ${unit} of work and waiting at each, mean of the nodes that ran it`), list);
  }

  private get measured(): boolean {
    return this.store.run.path.count > 0;
  }

  private columnHeads(): HTMLElement {
    const unit = this.store.run.launch.unit;
    const head = (text: string, tip: string): HTMLElement => tipped(h("span", {}, text), () => [text, tip]);
    return h("div", { class: "line line-head" },
      head("path", `${unit} of the critical path at the line. Shortening anything else does not make the run shorter.`),
      head("busy", `${unit} of work at the line, of the processor that has most: the mean over the nodes that ran it`),
      head("waits", `${unit} of waiting at the line, in the same way`),
      h("span", { class: "number" }, "line"), h("span", {}));
  }

  private showFile(index: number): void {
    const source = this.store.run.launch.sources[index];
    if (source === undefined) return;
    this.file = index;
    [...this.files.children].forEach((tab, at) => tab.setAttribute("aria-pressed", String(at === index)));
    const uses = new Map(source.lines.map((use) => [use.line, use]));
    this.rows = new Map();
    const texts = source.text.replace(/\n$/, "").split("\n");
    const strings = insideStrings(texts);
    const lines = texts.map((text, at) => {
      const number = at + 1;
      const use = uses.get(number);
      const shown: ShownLine = { row: h("div", { class: "line", role: "listitem", "data-line": number }), path: h("span", { class: "cost path" }), busy: h("span", { class: "cost" }), waits: h("span", { class: "cost" }), use };
      shown.row.append(shown.path, shown.busy, shown.waits, h("span", { class: "number" }, String(number)), h("span", { class: "text" }, ...(strings[at] === null ? coloured(text, "python") : [h("span", { class: "w-string" }, text)])));
      shown.row.addEventListener("click", () => {
        if (getSelection()?.toString()) return; // text is being selected to be copied
        this.from = "python";
        this.store.select({ kind: "line", file: index, line: number });
      });
      shown.row.addEventListener("pointerenter", () => this.hover(index, number));
      shown.row.addEventListener("pointerleave", () => this.hover(-1, -1));
      this.rows.set(number, shown);
      return shown.row;
    });
    this.python.replaceChildren(...lines);
    this.update();
  }

  private showKernel(index: number): void {
    const kernel = this.store.run.launch.kernels[index];
    if (kernel === undefined) return;
    this.kernel = index;
    [...this.kernels.children].forEach((tab, at) => tab.setAttribute("aria-pressed", String(at === index)));
    this.cppRows = new Map();
    const places = new Map(kernel.lines.map(([line, file, of]) => [line, [file, of] as const]));
    const lines = kernel.text.replace(/\n$/, "").split("\n").map((text, at) => {
      const number = at + 1;
      const row = h("div", { class: "line", role: "listitem" }, h("span", { class: "number" }, String(number)), h("span", { class: "text" }, ...coloured(text, "cpp")));
      const place = places.get(number);
      if (place !== undefined) {
        row.classList.add("linked");
        row.addEventListener("click", () => {
          if (getSelection()?.toString()) return;
          this.from = "cpp";
          this.store.select({ kind: "line", file: place[0], line: place[1] });
        });
        row.addEventListener("pointerenter", () => this.hover(place[0], place[1]));
        row.addEventListener("pointerleave", () => this.hover(-1, -1));
      }
      this.cppRows.set(number, row);
      return row;
    });
    this.cpp.replaceChildren(...lines);
    this.update();
  }

  /** Marks the line under the pointer on both sides. */
  private hover(file: number, line: number): void {
    for (const [number, shown] of this.rows) shown.row.classList.toggle("hovered", file === this.file && number === line);
    const kernel = this.store.run.launch.kernels[this.kernel];
    for (const row of this.cppRows.values()) row.classList.remove("hovered");
    for (const [number, of, at] of kernel?.lines ?? []) if (of === file && at === line) this.cppRows.get(number)?.classList.add("hovered");
  }

  private update(): void {
    const { store } = this;
    const { related, selection, run } = store;
    const ofNode = selection?.kind === "node" || selection?.kind === "slice" ? [...(related?.nodes ?? [])][0] ?? null : null;
    const costs = ofNode === null ? null : linesOfNode(run, ofNode);
    this.head.textContent = ofNode === null ? (`in ${run.launch.unit}; busy and waits: mean of a node`) : `in ${run.launch.unit}: busy and waits of node ${coordinates(run.launch.nodes[ofNode]!.node)}`;
    const longest = Math.max(1e-9, ...[...this.rows.values()].map(({ use }) => use?.share ?? 0));
    for (const [number, shown] of this.rows) {
      const { use, row } = shown;
      const cost = costs?.get(lineKey(this.file, number));
      const busy = costs === null ? most(use?.busy) : cost?.busy ?? 0;
      const waits = costs === null ? most(use?.waits) : cost?.waits ?? 0;
      const share = use?.share ?? 0;
      shown.path.textContent = use !== undefined && use.cycles > 0 ? `${whole(use.cycles)}${share >= 0.01 ? ` ${percent(share)}` : ""}` : "";
      shown.path.style.setProperty("--share", String(share / longest));
      shown.busy.textContent = busy > 0 ? whole(busy) : "";
      shown.waits.textContent = waits > 0 ? whole(waits) : "";
      const key = lineKey(this.file, number);
      row.classList.toggle("related", related?.lines.has(key) === true && selection?.kind !== "node");
      row.classList.toggle("chosen", selection?.kind === "line" && selection.file === this.file && selection.line === number);
    }
    this.linkKernel();
    this.reveal();
    this.from = null;
  }

  private linkKernel(): void {
    const { related, selection, run } = this.store;
    const lines = selection?.kind === "node" ? null : related?.lines;
    // A selection whose lines are in another kernel turns to that kernel.
    const touches = (index: number): boolean => lines !== null && lines !== undefined && run.launch.kernels[index]!.lines.some(([, file, line]) => lines.has(lineKey(file, line)));
    const exact = selection?.kind === "slice" ? run.launch.labels[run.slices.label[selection.slice]!]?.kernel ?? null : null;
    if (this.from !== "cpp" && related !== null && run.launch.kernels.length > 0) {
      const other = exact !== null && touches(exact) ? exact : touches(this.kernel) ? this.kernel : run.launch.kernels.findIndex((_, index) => touches(index));
      if (other >= 0 && other !== this.kernel) {
        this.showKernel(other);
        return;
      }
    }
    for (const row of this.cppRows.values()) row.classList.remove("related");
    for (const [number, file, line] of run.launch.kernels[this.kernel]?.lines ?? []) {
      if (lines?.has(lineKey(file, line))) this.cppRows.get(number)?.classList.add("related");
    }
  }

  /** Scrolls to the first line of the selection, on the side where it was not clicked. */
  private reveal(): void {
    const { selection, related } = this.store;
    if (selection === null || related === null || selection.kind === "node" || selection.kind === "bank") return;
    const first = selection.kind === "line" ? selection : firstLine(related.lines);
    if (first !== null && first.file !== this.file && this.from === null) {
      this.showFile(first.file);
      return;
    }
    if (this.from !== "python" && first !== null) bringIntoView(this.python, this.rows.get(first.line)?.row);
    if (this.from !== "cpp") bringIntoView(this.cpp, [...this.cppRows.values()].find((row) => row.classList.contains("related")));
  }
}

function firstLine(lines: ReadonlySet<string>): { file: number; line: number } | null {
  const places = [...lines].map((key) => key.split(":").map(Number) as [number, number]).sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  return places[0] === undefined ? null : { file: places[0][0], line: places[0][1] };
}

function bringIntoView(scroller: HTMLElement, row: HTMLElement | undefined): void {
  if (row === undefined) return;
  const box = scroller.getBoundingClientRect();
  const at = row.getBoundingClientRect();
  if (at.top < box.top || at.bottom > box.bottom) scroller.scrollTop += at.top - box.top - box.height / 3;
}

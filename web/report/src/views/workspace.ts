/** One launch on the page: verdict, map, timeline, and the tabs below. */
import type { Finding } from "../data/model";
import { parsed, written } from "../data/selection";
import type { Run } from "../data/run";
import { Store } from "../data/store";
import { h } from "../dom";
import type { Theme } from "../palette";
import { AdviceView, DecisionsView } from "./advice";
import { BuffersView } from "./buffers";
import { DesignView } from "./design";
import { header } from "./header";
import { Inspector } from "./inspector";
import { ChipMap } from "./map";
import { MeshMap, type OtherLaunches } from "./mesh";
import { MeasuredView } from "./measured";
import { PipesView } from "./pipes";
import { RooflineView } from "./roofline";
import { SourceView } from "./source";
import { TrafficView } from "./traffic";
import { Timeline } from "./timeline/view";

interface Tab { id: string; title: string; element: HTMLElement; shown?: () => void; marked: () => boolean }

export class Workspace {
  readonly element: HTMLElement;
  readonly store: Store;
  private readonly tabs: Tab[];
  private readonly buttons: HTMLButtonElement[];
  private current = 0;

  constructor(readonly run: Run, theme: Theme, findings: readonly Finding[], others: OtherLaunches = { byChip: new Map(), show: () => {} }) {
    this.store = new Store(run, theme);
    const { store } = this;
    const buffers = new BuffersView(store);
    const roofline = new RooflineView(store);
    const traffic = new TrafficView(store);
    const ofLines = (): boolean => (store.related?.lines.size ?? 0) > 0 && store.selection?.kind !== "node";
    this.tabs = [
      { id: "source", title: run.launch.kernels.some((kernel) => kernel.text !== "") ? "Program and C++" : "Program", element: new SourceView(store).element, marked: ofLines },
      { id: "advice", title: `Advice${run.launch.profile?.advice.length ? ` (${run.launch.profile.advice.length})` : ""}`, element: new AdviceView(store, findings).element, marked: () => (store.related?.advice.size ?? 0) > 0 },
      { id: "buffers", title: "Buffers", element: buffers.element, shown: () => buffers.shown(), marked: () => (store.related?.buffers.size ?? 0) > 0 },
      { id: "pipes", title: "Pipes", element: new PipesView(store).element, marked: () => (store.related?.pipes.size ?? 0) > 0 },
      { id: "roofline", title: "Roofline", element: roofline.element, shown: () => roofline.shown(), marked: () => false },
      { id: "decisions", title: "Compiler's decisions", element: new DecisionsView(store).element, marked: () => ofLines() && (run.launch.decisions ?? []).length > 0 },
      ...(run.launch.design ? [{ id: "design", title: "Design", element: new DesignView(store, run.launch.design).element, marked: () => store.selection?.kind !== "node" && run.launch.design!.streams.some(({ file, line }) => store.related?.lines.has(`${file}:${line}`)) }] : []),
      ...(run.launch.measured?.length ? [{ id: "measured", title: "Measured", element: new MeasuredView(store, run.launch.measured).element, marked: () => false }] : []),
      { id: "traffic", title: "Traffic", element: traffic.element, shown: () => traffic.shown(), marked: () => false },
    ];
    this.buttons = this.tabs.map((tab, index) => h("button", { type: "button", role: "tab", "aria-controls": `tab-${tab.id}`, title: `key ${index + 1}`, click: () => this.show(index) }, tab.title));
    const dock = h("section", { class: "pane dock", "aria-label": "Details" }, h("div", { class: "pane-bar tabs", role: "tablist" }, ...this.buttons), ...this.tabs.map((tab) => h("div", { class: "tab-body", role: "tabpanel", id: `tab-${tab.id}` }, tab.element)));
    const timeline = new Timeline(store).element;
    const side = h("div", { class: "side" }, run.launch.mesh && new MeshMap(store, run.launch.mesh, others).element, new ChipMap(store).element, new Inspector(store).element);
    const middle = h("div", { class: "middle" }, timeline, dock);
    this.element = h("div", { class: "workspace" }, header(store), h("div", { class: "body" }, side, h("div", { class: "sash upright", role: "separator", "aria-orientation": "vertical", tabindex: 0, "aria-label": "Width of the left side" }), middle));
    middle.insertBefore(h("div", { class: "sash", role: "separator", "aria-orientation": "horizontal", tabindex: 0, "aria-label": "Height of the timeline" }), dock);
    for (const sash of this.element.querySelectorAll<HTMLElement>(".sash")) movable(sash, this.element);
    store.on("selection", () => this.mark());
    this.show(0);
  }

  show(index: number): void {
    if (this.tabs[index] === undefined) return;
    this.current = index;
    this.buttons.forEach((button, at) => {
      button.setAttribute("aria-selected", String(at === index));
      this.element.querySelectorAll<HTMLElement>(".tab-body")[at]!.hidden = at !== index;
    });
    this.tabs[index]!.shown?.();
  }

  private mark(): void {
    this.tabs.forEach((tab, index) => this.buttons[index]!.classList.toggle("marked", tab.marked()));
  }

  /** What the fragment of the URL keeps of this launch. */
  fragment(): Record<string, string> {
    const { store } = this;
    const result: Record<string, string> = {};
    if (store.selection !== null) result["select"] = written(store.selection);
    if (store.begin > 0 || store.end < Math.max(this.run.length, 1)) result["time"] = `${Math.round(store.begin)}-${Math.round(store.end)}`;
    if (this.current > 0) result["tab"] = this.tabs[this.current]!.id;
    return result;
  }

  restore(kept: Record<string, string>): void {
    const [begin, end] = (kept["time"] ?? "").split("-").map(Number);
    if (begin !== undefined && end !== undefined && end > begin) this.store.look(begin, end);
    const tab = this.tabs.findIndex((one) => one.id === kept["tab"]);
    this.show(tab >= 0 ? tab : 0);
    const selection = parsed(kept["select"] ?? "", this.run);
    if (selection === null || this.store.selection === null || written(selection) !== written(this.store.selection)) this.store.select(selection);
  }

  /** Calls back when the fragment may have changed. */
  onChange(call: () => void): void {
    this.store.on(["selection", "time"], call);
    for (const button of this.buttons) button.addEventListener("click", call);
  }
}

/** A sash between two panes: by pointer, or by the arrow keys. */
function movable(sash: HTMLElement, workspace: HTMLElement): void {
  const upright = sash.classList.contains("upright");
  const set = (value: number): void => {
    const box = workspace.querySelector(upright ? ".body" : ".middle")!.getBoundingClientRect();
    const size = upright ? box.width : box.height;
    workspace.style.setProperty(upright ? "--side" : "--timeline", `${Math.max(size * 0.12, Math.min(size * 0.85, value))}px`);
  };
  const now = (): number => {
    const before = sash.previousElementSibling!.getBoundingClientRect();
    return upright ? before.width : before.height;
  };
  sash.addEventListener("pointerdown", (event) => {
    sash.setPointerCapture(event.pointerId);
    const start = upright ? event.clientX : event.clientY;
    const size = now();
    const move = (moved: PointerEvent): void => set(size + (upright ? moved.clientX : moved.clientY) - start);
    sash.addEventListener("pointermove", move);
    sash.addEventListener("pointerup", () => sash.removeEventListener("pointermove", move), { once: true });
  });
  sash.addEventListener("keydown", (event) => {
    const by = { ArrowLeft: -24, ArrowUp: -24, ArrowRight: 24, ArrowDown: 24 }[event.key];
    if (by === undefined) return;
    event.preventDefault();
    set(now() + by);
  });
}

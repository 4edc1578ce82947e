/** The timeline: what every processor did, over time. */
import { sliceAt } from "../../data/lod";
import { nodeOfStep } from "../../data/selection";
import type { Store } from "../../data/store";
import { awaitedBy } from "../../data/stuck";
import { h, hideTip, showTip } from "../../dom";
import { coordinates, counted, percent } from "../../format";
import { BaseLayer } from "./base";
import { AXIS, Geometry, GUTTER, MINIMAP, PATH_ROW } from "./geometry";
import { described, Overlay, type Pointer } from "./overlay";
import { pathByNode } from "../../data/nodes";
import { type Order, ordered, type Row, rowAt, rowsOf, stuckNodes } from "./rows";

const ORDERS: [Order, string][] = [["path", "critical path first"], ["position", "by position"], ["busy", "most busy first"], ["waits", "most waiting first"], ["stuck", "stuck first"]];

/** Nodes that are open from the beginning, of a launch that has failed. */
const OPENED = 3;

type Drag =
  | { kind: "pan"; x: number; y: number; scroll: number; begin: number; end: number; moved: boolean }
  | { kind: "range"; from: number; to: number; moved: boolean }
  | { kind: "minimap"; offset: number; moved: boolean };

export class Timeline {
  readonly element: HTMLElement;
  private readonly geometry: Geometry;
  private readonly base: BaseLayer;
  private readonly overlay: Overlay;
  private readonly scroller: HTMLElement;
  private readonly spacer: HTMLElement;
  private readonly stage: HTMLElement;
  private readonly status: HTMLElement;
  private readonly open = new Set<number>();
  private order: Order;
  private pointer: Pointer | null = null;
  private drag: Drag | null = null;
  private readonly touches = new Map<number, number>();
  private scheduled = false;
  private stale = true;

  constructor(private readonly store: Store) {
    const { run } = store;
    const stuck = stuckNodes(run);
    this.order = run.path.count > 0 ? "path" : stuck.length > 0 ? "stuck" : "position";
    this.geometry = new Geometry(run, store);
    this.base = new BaseLayer(this.geometry);
    this.overlay = new Overlay(this.geometry);
    const first = ordered(run, this.order)[0];
    if (first !== undefined) this.open.add(first);
    for (const node of stuck.slice(0, OPENED)) this.open.add(node);
    this.stage = h("div", { class: "timeline-stage" }, this.base.canvas, this.overlay.canvas);
    this.spacer = h("div", { class: "timeline-spacer" }, this.stage);
    this.scroller = h("div", {
      class: "timeline-scroller", tabindex: 0, role: "application",
      "aria-label": "Timeline of all processors. Left and right move, plus and minus zoom, N and P go to the next and previous slice, C follows what ended a wait.",
    }, this.spacer);
    this.status = h("div", { class: "timeline-status", role: "status", "aria-live": "polite" });
    this.element = h("section", { class: "pane timeline", "aria-label": "Timeline" }, this.toolbar(), this.scroller, this.status);
    this.listen();
    this.layout();
    this.follow();
  }

  private toolbar(): HTMLElement {
    const select = h("select", { "aria-label": "Order of the nodes", change: () => {
      this.order = select.value as Order;
      this.layout();
      this.scroller.scrollTop = 0;
    } }, ...ORDERS.filter(([order]) => order === this.order || (order !== "path" && order !== "stuck")).map(([order, text]) => h("option", { value: order, selected: order === this.order }, text)));
    const button = (text: string, title: string, press: () => void): HTMLElement => h("button", { type: "button", title, click: press }, text);
    const waits = h("span", { class: "key wait-key" });
    const work = h("span", { class: "key work-key" });
    const path = h("span", { class: "key path-key" });
    return h("div", { class: "pane-bar" },
      h("h2", {}, "Timeline"),
      h("span", { class: "legend" }, work, "works", waits, "waits (colour: what for)", this.store.run.path.count > 0 && path, this.store.run.path.count > 0 && "critical path"),
      h("span", { class: "space" }),
      select,
      button("open", "Show every node's processors, NoCs and buffers", () => this.openAll()),
      button("close", "One row for each node", () => { this.open.clear(); this.layout(); }),
      button("−", "Zoom out (key −)", () => this.store.zoom(1.6, (this.store.begin + this.store.end) / 2)),
      button("+", "Zoom in (key +)", () => this.store.zoom(1 / 1.6, (this.store.begin + this.store.end) / 2)),
      button("all", "Show all of it (key 0)", () => this.store.look(0, this.store.run.length)),
    );
  }

  private openAll(): void {
    this.store.run.launch.nodes.forEach((_, node) => this.open.add(node));
    this.layout();
  }

  private layout(): void {
    const { rows, height } = rowsOf(this.store.run, ordered(this.store.run, this.order), this.open);
    this.geometry.setRows(rows, height);
    this.spacer.style.height = `${height + this.geometry.top + 8}px`;
    this.invalidate();
  }

  private listen(): void {
    const { store, scroller } = this;
    store.on(["selection", "time", "theme"], () => this.invalidate());
    store.on("selection", () => this.follow());
    new ResizeObserver(() => this.invalidate()).observe(scroller);
    scroller.addEventListener("scroll", () => this.invalidate());
    scroller.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
    scroller.addEventListener("keydown", (event) => this.key(event));
    this.stage.addEventListener("pointerdown", (event) => this.down(event));
    this.stage.addEventListener("pointermove", (event) => this.move(event));
    this.stage.addEventListener("pointerup", (event) => this.up(event));
    this.stage.addEventListener("pointercancel", (event) => { this.touches.delete(event.pointerId); this.drag = null; });
    this.stage.addEventListener("pointerleave", () => {
      this.pointer = null;
      hideTip();
      this.schedule();
    });
    this.stage.addEventListener("dblclick", (event) => {
      const slice = this.hit(this.local(event)).slice;
      if (slice !== null) this.lookAt(slice);
    });
  }

  private invalidate(): void {
    this.stale = true;
    this.schedule();
  }

  private schedule(): void {
    if (this.scheduled) return;
    this.scheduled = true;
    requestAnimationFrame(() => {
      this.scheduled = false;
      this.draw();
    });
  }

  private draw(): void {
    const { geometry: g, scroller } = this;
    if (scroller.clientWidth === 0) return;
    g.width = scroller.clientWidth;
    g.viewHeight = scroller.clientHeight;
    g.scroll = scroller.scrollTop;
    const ratio = window.devicePixelRatio || 1;
    this.stage.style.height = `${g.viewHeight}px`;
    if (this.stale) this.base.draw(ratio);
    this.stale = false;
    const range = this.drag?.kind === "range" && this.drag.moved ? [this.drag.from, this.drag.to] as [number, number] : null;
    this.overlay.draw(ratio, this.pointer, range);
  }

  private local(event: MouseEvent): { x: number; y: number } {
    const box = this.stage.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  }

  private rowAt(y: number): Row | undefined {
    return y < this.geometry.top ? undefined : rowAt(this.geometry.rows, y - this.geometry.top + this.geometry.scroll);
  }

  /** The slice or transfer at a point. */
  private hit({ x, y }: { x: number; y: number }): { row: Row | undefined; slice: number | null; transfer: number | null; step: number | null } {
    const { geometry: g, store } = this;
    const { run } = store;
    const nothing = { row: undefined, slice: null, transfer: null, step: null };
    if (x < GUTTER) return { ...nothing, row: this.rowAt(y) };
    const time = g.time(x);
    if (run.path.count > 0 && y >= MINIMAP + AXIS && y < MINIMAP + AXIS + PATH_ROW) {
      for (let i = 0; i < run.path.count; i++) if (run.path.begin[i]! <= time && time < run.path.end[i]!) return { ...nothing, step: i };
      return nothing;
    }
    const row = this.rowAt(y);
    if (row === undefined) return nothing;
    const within = y - g.y(row);
    switch (row.kind) {
      case "track": {
        const offset = sliceAt(row.track, run.slices, time);
        return { ...nothing, row, slice: offset < 0 ? null : row.track.first + offset };
      }
      case "node": {
        if (row.open) return { ...nothing, row };
        const tracks = run.tracksOfNode[row.node]!;
        const track = tracks[Math.floor(((within - 2) / (row.height - 4)) * tracks.length)];
        const offset = track ? sliceAt(track, run.slices, time) : -1;
        return { ...nothing, row, slice: offset < 0 ? null : track!.first + offset };
      }
      case "noc": {
        const lane = row.noc.order[Math.min(row.noc.lanes - 1, Math.max(0, Math.floor(((within - 1) / (row.height - 2)) * row.noc.lanes)))];
        const slack = (store.end - store.begin) / g.plot;
        const transfer = lane?.find((at) => run.transfers.begin[at]! <= time + slack && time - slack < run.transfers.end[at]!);
        return { ...nothing, row, transfer: transfer ?? null };
      }
      case "buffer": return { ...nothing, row };
    }
  }

  private tip(event: MouseEvent, at: ReturnType<Timeline["hit"]>): void {
    const { run } = this.store;
    const lines = at.slice !== null ? described(run, at.slice)
      : at.transfer !== null ? described(run, at.transfer + run.slices.count)
      : at.step !== null ? this.describedStep(at.step)
      : at.row?.kind === "buffer" ? this.describedFill(at.row, this.geometry.time(this.local(event).x)) : null;
    if (lines === null) hideTip();
    else showTip(event.clientX, event.clientY, lines);
  }

  private describedStep(step: number): string[] {
    const { run } = this.store;
    const resource = run.launch.path?.resources[run.path.resource[step]!] ?? "";
    const cycles = run.path.end[step]! - run.path.begin[step]!;
    const node = nodeOfStep(run, run.path.slice[step]!);
    const label = run.launch.labels[run.path.label[step]!];
    return [`critical path: ${resource}`, `${counted(cycles, run.launch.unit)}, ${percent(cycles / Math.max(run.length, 1))} of the run`, ...(label ? [label.text] : []), ...(node === null ? [] : [`node ${coordinates(run.launch.nodes[node]!.node)}`])];
  }

  private describedFill(row: Row & { kind: "buffer" }, time: number): string[] {
    const name = this.store.run.launch.buffer_names?.[row.fill.name];
    let fill = 0;
    row.fill.time.forEach((at, i) => { if (at <= time) fill = row.fill.fill[i]!; });
    return [name?.text ?? "", `${Number(fill.toFixed(2))} of ${name?.blocks ?? 1} blocks full`];
  }

  private wheel(event: WheelEvent): void {
    const { x, y } = this.local(event);
    const zooms = event.ctrlKey || event.metaKey || y < this.geometry.top;
    if (!zooms && !event.shiftKey && Math.abs(event.deltaX) <= Math.abs(event.deltaY)) return; // the rows scroll
    event.preventDefault();
    const delta = (event.shiftKey && event.deltaX === 0 ? event.deltaY : zooms ? event.deltaY : event.deltaX) * (event.deltaMode === 1 ? 16 : 1);
    if (zooms) this.store.zoom(Math.exp(Math.max(-120, Math.min(120, delta)) * 0.004), this.geometry.time(Math.max(GUTTER, x)));
    else this.pan((delta / this.geometry.plot) * (this.store.end - this.store.begin));
  }

  private pan(time: number): void {
    this.store.look(this.store.begin + time, this.store.end + time);
  }

  private down(event: PointerEvent): void {
    const { x, y } = this.local(event);
    this.touches.set(event.pointerId, x);
    if (event.button !== 0) return;
    this.stage.setPointerCapture(event.pointerId);
    const { store, geometry: g } = this;
    if (y < MINIMAP && x >= GUTTER) {
      const time = ((x - GUTTER) / g.plot) * store.run.length;
      const span = store.end - store.begin;
      const inside = time >= store.begin && time < store.end;
      this.drag = { kind: "minimap", offset: inside ? time - store.begin : span / 2, moved: false };
      if (!inside) store.look(time - span / 2, time + span / 2);
    } else if (x >= GUTTER && (event.shiftKey || y < MINIMAP + AXIS)) {
      this.drag = { kind: "range", from: g.time(x), to: g.time(x), moved: false };
    } else this.drag = { kind: "pan", x, y, scroll: this.scroller.scrollTop, begin: store.begin, end: store.end, moved: false };
  }

  private move(event: PointerEvent): void {
    const { x, y } = this.local(event);
    const { store, geometry: g, drag } = this;
    const before = this.touches.get(event.pointerId);
    if (this.touches.size === 2 && before !== undefined) {
      const [, other] = [...this.touches.entries()].find(([id]) => id !== event.pointerId)!;
      if (Math.abs(x - other) > 8) store.zoom(Math.abs(before - other) / Math.abs(x - other), g.time((x + other) / 2));
      this.touches.set(event.pointerId, x);
      this.drag = null;
      return;
    }
    if (drag !== null) {
      this.touches.set(event.pointerId, x);
      if (drag.kind === "pan") {
        drag.moved ||= Math.hypot(x - drag.x, y - drag.y) > 4;
        if (!drag.moved) return;
        const time = ((drag.x - x) / g.plot) * (drag.end - drag.begin);
        store.look(drag.begin + time, drag.end + time);
        this.scroller.scrollTop = drag.scroll + drag.y - y;
      } else if (drag.kind === "range") {
        drag.to = g.time(Math.max(GUTTER, Math.min(g.width, x)));
        drag.moved ||= Math.abs(g.x(drag.to) - g.x(drag.from)) > 4;
        this.schedule();
      } else {
        const time = ((x - GUTTER) / g.plot) * store.run.length - drag.offset;
        store.look(time, time + store.end - store.begin);
      }
      hideTip();
      return;
    }
    const at = this.hit({ x, y });
    this.pointer = { x, y, slice: at.slice, transfer: at.transfer };
    this.stage.style.cursor = at.slice !== null || at.transfer !== null || at.step !== null || x < GUTTER ? "pointer" : "default";
    this.tip(event, at);
    this.schedule();
  }

  private up(event: PointerEvent): void {
    this.touches.delete(event.pointerId);
    const drag = this.drag;
    this.drag = null;
    if (drag === null) return;
    if (drag.kind === "range" && drag.moved) this.store.look(Math.min(drag.from, drag.to), Math.max(drag.from, drag.to));
    if (!drag.moved && drag.kind !== "minimap") this.click(this.local(event));
    this.schedule();
  }

  private click(point: { x: number; y: number }): void {
    const { store } = this;
    const { run } = store;
    const at = this.hit(point);
    if (point.x < GUTTER && at.row !== undefined) {
      if (at.row.kind === "node" && point.x < 22) this.toggle(at.row.node);
      else if (at.row.kind === "buffer") store.select({ kind: "buffer", buffer: at.row.fill.name });
      else {
        if (at.row.kind === "node" && !this.open.has(at.row.node)) this.toggle(at.row.node);
        store.select({ kind: "node", node: at.row.node });
      }
    } else if (at.slice !== null) store.select({ kind: "slice", slice: at.slice });
    else if (at.transfer !== null) store.select({ kind: "transfer", transfer: at.transfer });
    else if (at.row?.kind === "buffer") store.select({ kind: "buffer", buffer: at.row.fill.name });
    else if (at.step !== null) {
      const slice = run.path.slice[at.step]!;
      if (slice >= run.slices.count) store.select({ kind: "transfer", transfer: slice - run.slices.count });
      else if (slice >= 0) store.select({ kind: "slice", slice });
      else store.select({ kind: "resource", resource: run.launch.path?.resources[run.path.resource[at.step]!] ?? "" });
    } else if (store.selection !== null) store.select(null);
  }

  private toggle(node: number): void {
    if (!this.open.delete(node)) this.open.add(node);
    this.layout();
  }

  /** Opens and scrolls to what is selected elsewhere; nothing moves where it is in view. */
  private follow(): void {
    const { store, geometry: g } = this;
    const { selection, run: { slices, transfers } } = { selection: store.selection, run: store.run };
    this.status.textContent = "";
    if (selection === null) return;
    let node: number | null = null;
    if (selection.kind === "node") node = selection.node;
    if (selection.kind === "slice") {
      node = store.run.trackOf(selection.slice)?.node ?? null;
      this.status.textContent = described(store.run, selection.slice).join(" · ");
      if (slices.end[selection.slice]! < store.begin || slices.begin[selection.slice]! > store.end) this.lookAt(selection.slice);
    }
    if (selection.kind === "transfer") {
      node = transfers.node[selection.transfer] ?? null;
      this.status.textContent = described(store.run, selection.transfer + slices.count).join(" · ");
    }
    if (selection.kind === "pipe") node = store.run.launch.pipes?.[selection.pipe]?.source ?? null;
    if (selection.kind === "line" || selection.kind === "buffer" || selection.kind === "resource" || selection.kind === "advice") {
      const nodes = store.related?.nodes ?? new Set<number>();
      const cycles = pathByNode(store.run);
      if (![...this.open].some((one) => nodes.has(one))) node = [...nodes].sort((a, b) => cycles[b]! - cycles[a]! || a - b)[0] ?? null;
    }
    if (node === null) return;
    if (!this.open.has(node)) {
      this.open.add(node);
      this.layout();
    }
    const row = g.nodeRow(node);
    if (row === undefined) return;
    const top = this.scroller.scrollTop;
    const room = this.scroller.clientHeight - g.top;
    if (row.y < top || row.y + 100 > top + room) this.scroller.scrollTop = Math.max(0, row.y - Math.min(60, room / 4));
  }

  /** Zooms so that a slice is a fifth of the view. */
  private lookAt(slice: number): void {
    const { begin, end } = this.store.run.slices;
    const span = Math.max(40, (end[slice]! - begin[slice]!) * 5);
    const middle = (begin[slice]! + end[slice]!) / 2;
    this.store.look(middle - span / 2, middle + span / 2);
  }

  private key(event: KeyboardEvent): void {
    const { store } = this;
    const { run } = store;
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const span = store.end - store.begin;
    const middle = (store.begin + store.end) / 2;
    const slice = store.related?.slice ?? null;
    const actions: Record<string, () => void> = {
      ArrowLeft: () => this.pan(-span * 0.15), a: () => this.pan(-span * 0.15),
      ArrowRight: () => this.pan(span * 0.15), d: () => this.pan(span * 0.15),
      "+": () => store.zoom(1 / 1.5, middle), "=": () => store.zoom(1 / 1.5, middle), w: () => store.zoom(1 / 1.5, middle),
      "-": () => store.zoom(1.5, middle), s: () => store.zoom(1.5, middle),
      "0": () => store.look(0, run.length), Home: () => store.look(0, span), End: () => store.look(run.length - span, run.length),
      n: () => this.step(slice, 1), p: () => this.step(slice, -1),
      c: () => {
        const cause = slice === null ? -1 : run.slices.cause[slice]!;
        if (cause >= run.slices.count) store.select({ kind: "transfer", transfer: cause - run.slices.count });
        else if (cause >= 0) store.select({ kind: "slice", slice: cause });
        else if (slice !== null && awaitedBy(run, slice).length > 0) store.select({ kind: "slice", slice: awaitedBy(run, slice)[0]! });
      },
      f: () => { if (slice !== null) this.lookAt(slice); },
    };
    const action = actions[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    if (action === undefined) return;
    event.preventDefault();
    action();
  }

  /** Selects the next or previous slice of the track; without one, the first in view of the first open node. */
  private step(slice: number | null, by: 1 | -1): void {
    const { run } = this.store;
    if (slice === null) {
      const row = this.geometry.rows.find((one) => one.kind === "track");
      const track = row?.kind === "track" ? row.track : run.tracks[0];
      if (track !== undefined && track.count > 0) this.store.select({ kind: "slice", slice: track.first });
      return;
    }
    const track = run.trackOf(slice);
    const next = slice + by;
    if (track && next >= track.first && next < track.first + track.count) this.store.select({ kind: "slice", slice: next });
  }
}

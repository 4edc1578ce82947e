/** Draws over the timeline what follows the pointer and the selection: arrows to what ended a wait, outlines, the crosshair. */
import type { Run } from "../../data/run";
import { nodeOfStep } from "../../data/selection";
import { awaitedBy } from "../../data/stuck";
import { coordinates, counted, onMicrocores, shortRole, whole } from "../../format";
import { PATH } from "../../palette";
import { inks } from "./base";
import { type Geometry, GUTTER } from "./geometry";

/** Causes of causes that are drawn, going back. */
const CHAIN = 6;
/** Arrows of a wait without an end. */
const MISSING = 24;

export interface Pointer { x: number; y: number; slice: number | null; transfer: number | null }

/** What ended a wait, and that wait: numbers as in `cause`. */
export function chain(run: Run, slice: number, most: number): { wait: number; cause: number }[] {
  const result: { wait: number; cause: number }[] = [];
  let wait: number | null = slice;
  while (wait !== null && result.length < most) {
    const cause: number = run.slices.cause[wait]!;
    if (cause < 0) break;
    result.push({ wait, cause });
    if (cause >= run.slices.count) break;
    // On the processor that ended it: the wait before, if there is one near.
    const track = run.trackOf(cause);
    wait = null;
    for (let at = cause; track && at >= track.first && at > cause - 4; at--) {
      if (run.waiting[run.slices.label[at]!] === 1 && run.slices.cause[at]! >= 0) {
        wait = at;
        break;
      }
    }
    if (result.some((step) => step.wait === wait)) break;
  }
  return result;
}

/** Of a wait without an end who should have ended it, what those wait for, and so on; every wait once. */
export function missing(run: Run, slice: number): { wait: number; by: number; depth: number }[] {
  const result: { wait: number; by: number; depth: number }[] = [];
  const seen = new Set<number>([slice]);
  for (let level = [slice], depth = 0; level.length > 0 && result.length < MISSING; depth++) {
    const next: number[] = [];
    for (const wait of level) {
      for (const by of awaitedBy(run, wait)) {
        result.push({ wait, by, depth });
        if (!seen.has(by)) next.push(by);
        seen.add(by);
      }
    }
    level = next;
  }
  return result.slice(0, MISSING);
}

/** What a slice or transfer is, as lines: the first is its heading. */
export function described(run: Run, at: number): string[] {
  const { launch } = run;
  const unit = launch.unit;
  if (at >= run.slices.count) {
    const transfer = at - run.slices.count;
    const { transfers } = run;
    const kind = launch.transfer_kinds?.[transfers.kind[transfer]!] ?? "transfer";
    const end = (index: number): string => launch.ends?.[index]?.text ?? "?";
    const receivers = transfers.receivers[transfer]!;
    return [
      `${kind} over NoC ${transfers.noc[transfer]}: ${end(transfers.source[transfer]!)} → ${receivers > 1 ? `${receivers} nodes` : end(transfers.destination[transfer]!)}`,
      `${whole(transfers.bytes[transfer]!)} bytes in ${counted(transfers.packets[transfer]!, "transfers")}`,
      `${counted(transfers.end[transfer]! - transfers.begin[transfer]!, unit)}, ${whole(transfers.begin[transfer]!)} to ${whole(transfers.end[transfer]!)}`,
      launch.labels[transfers.label[transfer]!]?.text ?? "",
    ].filter((line) => line !== "");
  }
  const label = launch.labels[run.slices.label[at]!];
  const track = run.trackOf(at);
  const begin = run.slices.begin[at]!;
  const end = run.slices.end[at]!;
  const lines = [label?.text ?? "", `${counted(end - begin, unit)}, ${whole(begin)} to ${whole(end)}`];
  if (track) lines.push(`${shortRole(track.role)} of node ${coordinates(launch.nodes[track.node]!.node)}${label?.kernel !== null && label?.kernel !== undefined && launch.kernels[label.kernel] ? `, kernel ${launch.kernels[label.kernel]!.name} on ${onMicrocores(launch.kernels[label.kernel]!)}` : ""}`);
  const cause = run.slices.cause[at]!;
  if (cause >= 0) lines.push(`ended by ${endedBy(run, cause)}`);
  const awaited = awaitedBy(run, at);
  if (awaited.length > 0) lines.push(`should have been ended by ${awaited.slice(0, 3).map((one) => endedBy(run, one)).join("; or ")}`);
  return lines;
}

/** Who a cause is, in words. */
export function endedBy(run: Run, cause: number): string {
  const node = nodeOfStep(run, cause);
  const where = node === null ? "" : ` of node ${coordinates(run.launch.nodes[node]!.node)}`;
  if (cause >= run.slices.count) return described(run, cause)[0]!;
  return `${shortRole(run.trackOf(cause)?.role ?? "")}${where}: ${run.launch.labels[run.slices.label[cause]!]?.text ?? ""}`;
}

export class Overlay {
  readonly canvas = document.createElement("canvas");
  private readonly context = this.canvas.getContext("2d")!;

  constructor(private readonly geometry: Geometry) {
    this.canvas.className = "timeline-overlay";
  }

  draw(ratio: number, pointer: Pointer | null, range: [number, number] | null): void {
    const { geometry: g, context } = this;
    const { store } = g;
    const width = Math.round(g.width * ratio);
    const height = Math.round(g.viewHeight * ratio);
    if (this.canvas.width !== width || this.canvas.height !== height) {
      this.canvas.width = width;
      this.canvas.height = height;
    }
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, g.width, g.viewHeight);
    const ink = inks(store.theme);
    context.save();
    context.beginPath();
    context.rect(GUTTER, g.top, g.plot, g.viewHeight - g.top);
    context.clip();
    const selected = store.related?.slice ?? null;
    if (selected !== null) this.outlineAndChain(selected, ink.text);
    if (store.related?.transfer !== null && store.related?.transfer !== undefined) this.outlineTransfer(store.related.transfer, ink.text);
    if (pointer !== null && pointer.slice !== null && pointer.slice !== selected) this.outlineAndChain(pointer.slice, ink.muted);
    if (pointer !== null && pointer.transfer !== null) this.outlineTransfer(pointer.transfer, ink.muted);
    context.restore();
    if (range !== null) {
      const [from, to] = [g.x(Math.min(...range)), g.x(Math.max(...range))];
      context.fillStyle = store.theme === "light" ? "rgb(11 98 196 / 0.14)" : "rgb(109 179 255 / 0.2)";
      context.fillRect(from, 0, to - from, g.viewHeight);
      context.fillStyle = ink.text;
      context.font = "600 11px system-ui, sans-serif";
      context.fillText(counted(Math.abs(range[1] - range[0]), g.run.launch.unit), Math.max(GUTTER, from) + 4, g.top + 14);
    } else if (pointer !== null && pointer.x > GUTTER) {
      context.strokeStyle = ink.muted;
      context.globalAlpha = 0.45;
      context.lineWidth = 1;
      context.beginPath();
      context.moveTo(Math.round(pointer.x) + 0.5, 0);
      context.lineTo(Math.round(pointer.x) + 0.5, g.viewHeight);
      context.stroke();
      context.globalAlpha = 1;
    }
  }

  private outlineAndChain(slice: number, colour: string): void {
    const { geometry: g, context } = this;
    const { run } = g;
    const track = run.trackOf(slice);
    if (track === undefined) return;
    const left = g.x(run.slices.begin[slice]!);
    const right = g.x(run.slices.end[slice]!);
    const middle = g.middleOfTrack(track);
    context.strokeStyle = colour;
    context.lineWidth = 2;
    context.strokeRect(left, middle - 8, Math.max(3, right - left), 15);
    const ended = chain(run, slice, CHAIN);
    ended.forEach(({ wait, cause }, index) => this.arrow(wait, cause, index));
    if (ended.length === 0) for (const { wait, by, depth } of missing(run, slice)) this.arrow(wait, by, depth, true);
  }

  private outlineTransfer(transfer: number, colour: string): void {
    const { geometry: g, context } = this;
    const left = g.x(g.run.transfers.begin[transfer]!);
    const right = g.x(g.run.transfers.end[transfer]!);
    context.strokeStyle = colour;
    context.lineWidth = 2;
    context.strokeRect(left, g.middleOfTransfer(transfer) - 7, Math.max(3, right - left), 14);
  }

  /** From where a cause ended to where the wait did; `never`: it did not, and this is who should have. */
  private arrow(wait: number, cause: number, depth: number, never = false): void {
    const { geometry: g, context } = this;
    const { run, store } = g;
    const track = run.trackOf(wait);
    if (track === undefined) return;
    const transfer = cause - run.slices.count;
    const causeTrack = transfer < 0 ? run.trackOf(cause) : undefined;
    if (transfer < 0 && causeTrack === undefined) return;
    let x0 = g.x(Math.min(transfer < 0 ? run.slices.end[cause]! : run.transfers.end[transfer]!, run.slices.end[wait]!));
    const y0 = transfer < 0 ? g.middleOfTrack(causeTrack!) : g.middleOfTransfer(transfer);
    let x1 = g.x(run.slices.end[wait]!);
    const y1 = g.middleOfTrack(track);
    if (never) {
      // Where both are in view, one arrow beside the other: their ends are all at the end of the run.
      const from = Math.max(run.slices.begin[wait]!, Math.min(run.slices.begin[cause]!, run.length), store.begin);
      x1 = (g.x(from) + g.x(Math.min(run.slices.end[wait]!, store.end))) / 2 - depth * 44;
      x0 = Math.min(x0, x1 - 36);
    }
    context.strokeStyle = context.fillStyle = PATH[store.theme];
    context.globalAlpha = Math.max(0.25, 1 - depth * 0.18);
    context.lineWidth = depth === 0 ? 2 : 1.4;
    context.setLineDash(never ? [5, 4] : []);
    context.beginPath();
    context.moveTo(x0, y0);
    const bend = Math.min(60, Math.max(10, Math.abs(x1 - x0) / 2));
    context.bezierCurveTo(x0 + bend, y0, x1 - bend, y1, x1, y1);
    context.stroke();
    context.setLineDash([]);
    context.beginPath();
    context.arc(x0, y0, 3, 0, 2 * Math.PI);
    context.fill();
    context.beginPath();
    context.moveTo(x1, y1);
    context.lineTo(x1 - 8, y1 - 4);
    context.lineTo(x1 - 8, y1 + 4);
    context.fill();
    context.globalAlpha = 1;
  }
}

/** Paints rows of the timeline: slices one by one where there is room, else how much of every pixel is work and waiting. */
import { density, extremes, tooMany, upperBound, visible, weighted } from "../../data/lod";
import type { Related } from "../../data/selection";
import type { Fill, NocRow, Run, Track } from "../../data/run";
import { colourOf, mixed, PATH, pixel, resourceOfWait, rgb, SURFACE, type Theme } from "../../palette";
import type { Pixels } from "./pixels";

/** A rectangle in pixels of the device. */
export interface Box { x: number; y: number; width: number; height: number }

/** Steps of the critical path that are at one track or transfer row, ascending. */
export interface PathSpans { begin: Float64Array; end: Float64Array }

const DIMMED = 0.78;

export class Painter {
  private readonly busy: number[] = [];
  private readonly busyDim: number[] = [];
  private readonly wait: number[] = [];
  private readonly waitDim: number[] = [];
  private readonly ground: number[] = [];
  private readonly groundDim: number[] = [];
  readonly surface: number;
  readonly band: number;
  private readonly quiet: number;
  private readonly quietDim: number;
  private readonly path: number;
  private readonly pathSpans = new Map<string, PathSpans>();
  private matched = new Map<number, Float64Array>();
  private matchedOf: Related | null = null;
  private busyShare = new Float32Array(0);
  private waitShare = new Float32Array(0);
  private matchShare = new Float32Array(0);

  constructor(private readonly run: Run, private readonly theme: Theme) {
    const surface = rgb(SURFACE[theme]);
    this.surface = pixel(surface);
    const ink = rgb(theme === "light" ? "#1b1f24" : "#e6e9ee");
    this.band = pixel(mixed(surface, ink, 0.045));
    const quiet = mixed(surface, ink, theme === "light" ? 0.16 : 0.22);
    this.quiet = pixel(quiet);
    this.quietDim = pixel(mixed(quiet, surface, 0.6));
    this.path = pixel(rgb(PATH[theme]));
    run.launch.labels.forEach((label, index) => {
      const colour = rgb(colourOf(resourceOfWait(label.waits_for), theme));
      const ground = mixed(surface, colour, 0.2);
      this.wait[index] = pixel(mixed(surface, colour, 0.75));
      this.waitDim[index] = pixel(mixed(surface, colour, 0.16));
      this.ground[index] = pixel(ground);
      this.groundDim[index] = pixel(mixed(surface, colour, 0.07));
    });
    const ofRole = new Map<string, string>();
    run.tracks.forEach((track, index) => {
      const resource = ofRole.get(track.role) ?? run.resourceOf(track);
      ofRole.set(track.role, resource);
      const colour = rgb(colourOf(resource, theme));
      this.busy[index] = pixel(colour);
      this.busyDim[index] = pixel(mixed(colour, surface, DIMMED));
    });
    this.collectPath();
  }

  /** Row by row of the path: "t3" for track 3, "x0.1" for NoC 1 of node 0. */
  private collectPath(): void {
    const lists = new Map<string, number[]>();
    const { path, slices, transfers } = this.run;
    for (let i = 0; i < path.count; i++) {
      const at = path.slice[i]!;
      if (at < 0) continue;
      const transfer = at - slices.count;
      const key = transfer < 0 ? `t${this.run.trackOf(at)?.index}` : `x${transfers.node[transfer]}.${transfers.noc[transfer]}`;
      const list = lists.get(key) ?? [];
      lists.set(key, list);
      list.push(i);
    }
    for (const [key, list] of lists) {
      list.sort((a, b) => path.begin[a]! - path.begin[b]!);
      this.pathSpans.set(key, { begin: Float64Array.from(list, (i) => path.begin[i]!), end: Float64Array.from(list, (i) => path.end[i]!) });
    }
  }

  /** A line of the critical path's colour along a box, where the path is at this row. */
  pathLine(pixels: Pixels, key: string, box: Box, begin: number, end: number, thick: number): void {
    const spans = this.pathSpans.get(key);
    if (spans === undefined) return;
    const scale = box.width / (end - begin);
    let reached = -1;
    for (let i = upperBound(spans.end, 0, spans.end.length, begin); i < spans.begin.length && spans.begin[i]! < end; i++) {
      const from = Math.max(0, Math.floor((spans.begin[i]! - begin) * scale), reached);
      const to = Math.min(box.width, Math.max(from + 1, Math.ceil((spans.end[i]! - begin) * scale)));
      if (to <= reached) continue;
      pixels.rect(box.x + from, box.y + box.height - thick, to - from, thick, this.path);
      reached = to;
    }
  }

  private shares(width: number): void {
    if (this.busyShare.length === width) return;
    this.busyShare = new Float32Array(width);
    this.waitShare = new Float32Array(width);
    this.matchShare = new Float32Array(width);
  }

  /** Cycles of the selection before every slice of a track. */
  private matches(track: Track, related: Related): Float64Array {
    if (this.matchedOf !== related) {
      this.matched = new Map();
      this.matchedOf = related;
    }
    let sums = this.matched.get(track.index);
    if (sums === undefined) {
      const { label, begin, end } = this.run.slices;
      sums = new Float64Array(track.count + 1);
      for (let i = 0; i < track.count; i++) {
        const slice = track.first + i;
        sums[i + 1] = sums[i]! + (related.labels![label[slice]!] === 1 ? end[slice]! - begin[slice]! : 0);
      }
      this.matched.set(track.index, sums);
    }
    return sums;
  }

  track(pixels: Pixels, track: Track, box: Box, begin: number, end: number, related: Related | null): void {
    const { slices, waiting } = this.run;
    const [from, to] = visible(track, slices, begin, end);
    if (to <= from) return;
    const labels = related?.labels ?? null;
    const otherNode = related !== null && labels === null && related.nodes.size > 0 && !related.nodes.has(track.node);
    if (tooMany(to - from, box.width)) {
      this.dense(pixels, track, box, begin, end, labels === null ? null : related, otherNode);
      return;
    }
    const scale = box.width / (end - begin);
    const oneSlice = related?.slice ?? null;
    for (let offset = from; offset < to; offset++) {
      const slice = track.first + offset;
      const label = slices.label[slice]!;
      const x = Math.round((slices.begin[slice]! - begin) * scale);
      const right = Math.round((slices.end[slice]! - begin) * scale);
      const left = Math.max(x, 0);
      // A gap of one pixel tells neighbours apart.
      const width = Math.max(1, Math.min(right, box.width) - left - (right - x > 4 ? 1 : 0));
      const dim = otherNode || (labels !== null && labels[label] !== 1 && oneSlice !== slice);
      if (waiting[label] === 1) {
        pixels.stripes(box.x + left, box.y, width, box.height, (dim ? this.waitDim : this.wait)[label]!, (dim ? this.groundDim : this.ground)[label]!, 8);
      } else pixels.rect(box.x + left, box.y, width, box.height, (dim ? this.busyDim : this.busy)[track.index]!);
    }
  }

  private dense(pixels: Pixels, track: Track, box: Box, begin: number, end: number, related: Related | null, dim: boolean): void {
    this.shares(box.width);
    const { slices } = this.run;
    density(this.run, track, begin, end, this.busyShare, this.waitShare);
    const selective = related !== null;
    if (selective) weighted(track, slices, this.matches(track, related), related.labels!, begin, end, this.matchShare);
    const bright = this.busy[track.index]!;
    const pale = this.busyDim[track.index]!;
    const foot = box.y + box.height;
    for (let x = 0; x < box.width; x++) {
      const busy = Math.round(this.busyShare[x]! * box.height);
      const wait = Math.min(box.height - busy, Math.round(this.waitShare[x]! * box.height));
      pixels.column(box.x + x, foot - busy - wait, wait, selective || dim ? this.quietDim : this.quiet);
      pixels.column(box.x + x, foot - busy, busy, selective || dim ? pale : bright);
      if (selective) {
        const match = Math.ceil(this.matchShare[x]! * box.height - 0.05);
        pixels.column(box.x + x, foot - match, match, bright);
      }
    }
  }

  /** The transfers of a node over a NoC, lane by lane. */
  noc(pixels: Pixels, row: NocRow, box: Box, begin: number, end: number, related: Related | null): void {
    const { transfers, launch } = this.run;
    const colour = rgb(colourOf("NoC", this.theme));
    const dram = rgb(colourOf("DRAM", this.theme));
    const surface = rgb(SURFACE[this.theme]);
    const colours = [pixel(colour), pixel(dram)];
    const dims = [pixel(mixed(colour, surface, DIMMED)), pixel(mixed(dram, surface, DIMMED))];
    const scale = box.width / (end - begin);
    const height = Math.max(2, Math.floor((box.height - 2) / row.lanes));
    const ends = launch.ends ?? [];
    row.order.forEach((order, lane) => {
      // By bisection to the first that may be in view; in the last lane some overlap, so a few more are looked at.
      let low = 0;
      let high = order.length;
      while (low < high) {
        const middle = (low + high) >> 1;
        if (transfers.end[order[middle]!]! <= begin) low = middle + 1;
        else high = middle;
      }
      let reached = -1;
      for (let i = Math.max(0, low - 8); i < order.length; i++) {
        const transfer = order[i]!;
        if (transfers.begin[transfer]! >= end) break;
        if (transfers.end[transfer]! <= begin) continue;
        const left = Math.max(0, Math.round((transfers.begin[transfer]! - begin) * scale));
        const right = Math.min(box.width, Math.round((transfers.end[transfer]! - begin) * scale));
        const dim = related !== null && (related.transfer !== null ? related.transfer !== transfer
          : related.labels !== null ? related.labels[transfers.label[transfer]!] !== 1
          : related.banks.size > 0 && ![transfers.source[transfer]!, transfers.destination[transfer]!].some((at) => related.banks.has(ends[at]?.bank ?? -1)));
        if (right <= reached && dim) continue;
        const memory = (ends[transfers.source[transfer]!]?.bank ?? ends[transfers.destination[transfer]!]?.bank ?? null) !== null ? 1 : 0;
        pixels.rect(box.x + left, box.y + 1 + lane * height, Math.max(1, right - left - (right - left > 4 ? 1 : 0)), height - 1, (dim ? dims : colours)[memory]!);
        reached = right;
      }
    });
  }

  /** How full a buffer is: at least (solid) and at most (pale) in every pixel. */
  buffer(pixels: Pixels, fill: Fill, blocks: number, box: Box, begin: number, end: number, related: Related | null): void {
    this.shares(box.width);
    extremes(fill, begin, end, this.busyShare, this.waitShare);
    const dim = related !== null && related.buffers.size > 0 && !related.buffers.has(fill.name);
    const ink = rgb(colourOf("unpack", this.theme));
    const surface = rgb(SURFACE[this.theme]);
    const solid = pixel(mixed(surface, ink, dim ? 0.2 : 0.7));
    const pale = pixel(mixed(surface, ink, dim ? 0.1 : 0.3));
    const foot = box.y + box.height - 1;
    for (let x = 0; x < box.width; x++) {
      const least = Math.round((this.busyShare[x]! / blocks) * (box.height - 3));
      const most = Math.round((this.waitShare[x]! / blocks) * (box.height - 3));
      pixels.column(box.x + x, foot - most, most - least, pale);
      pixels.column(box.x + x, foot - least, least, solid);
    }
  }
}

/** Level of detail: which slices are in view, and how much of every pixel is work and how much waiting. */
import type { Fill, Slices, Track } from "./run";

/** The first of `count` ascending numbers from `first` on that is greater than `value`, as an offset from `first`. */
export function upperBound(values: Float64Array, first: number, count: number, value: number): number {
  let low = 0;
  let high = count;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (values[first + middle]! <= value) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Offsets in a track of the slices that touch [begin, end): from the first one on to before the second. */
export function visible(track: Track, slices: Slices, begin: number, end: number): [number, number] {
  const from = upperBound(slices.end, track.first, track.count, begin);
  let to = from + upperBound(slices.begin, track.first + from, track.count - from, end);
  if (to > from && slices.begin[track.first + to - 1]! >= end) to--;
  return [from, to];
}

/** Whether the slices in view are too many to be drawn one by one on so many pixels. */
export function tooMany(slices: number, pixels: number): boolean {
  return slices > pixels / 3;
}

/** The offset of the slice of a track at a time, or -1. */
export function sliceAt(track: Track, slices: Slices, time: number): number {
  const offset = upperBound(slices.end, track.first, track.count, time);
  if (offset >= track.count || slices.begin[track.first + offset]! > time) return -1;
  return offset;
}

/** Cycles that a track worked and waited before a time. */
function before(track: Track, slices: Slices, time: number, offset: number, sums: Float64Array, waits: boolean, waiting: Uint8Array): number {
  // `offset`: the first slice that ends after `time`.
  let sum = sums[offset]!;
  if (offset < track.count) {
    const slice = track.first + offset;
    const begun = time - slices.begin[slice]!;
    if (begun > 0 && (waiting[slices.label[slice]!] === 1) === waits) sum += begun;
  }
  return sum;
}

/**
 * How much of every pixel of [begin, end) a track works and waits, from 0 to 1 each, into `busy` and `wait`. Costs
 * what the pixels cost, whatever the number of slices: cycles before a time are looked up in sums.
 */
export function density(track: Track, slices: Slices, waiting: Uint8Array, begin: number, end: number, busy: Float32Array, wait: Float32Array): void {
  const pixels = busy.length;
  const step = (end - begin) / pixels;
  let offset = upperBound(slices.end, track.first, track.count, begin);
  let busyBefore = before(track, slices, begin, offset, track.busyBefore, false, waiting);
  let waitBefore = before(track, slices, begin, offset, track.waitBefore, true, waiting);
  for (let pixel = 0; pixel < pixels; pixel++) {
    const time = begin + (pixel + 1) * step;
    // The next pixel's slice is near: steps that double, then bisection in between.
    let reach = 1;
    while (offset + reach < track.count && slices.end[track.first + offset + reach]! <= time) reach *= 2;
    offset += upperBound(slices.end, track.first + offset, Math.min(reach + 1, track.count - offset), time);
    const busyNow = before(track, slices, time, offset, track.busyBefore, false, waiting);
    const waitNow = before(track, slices, time, offset, track.waitBefore, true, waiting);
    busy[pixel] = (busyNow - busyBefore) / step;
    wait[pixel] = (waitNow - waitBefore) / step;
    busyBefore = busyNow;
    waitBefore = waitNow;
  }
}

/** The most and the least that is in a buffer during every pixel of [begin, end). */
export function extremes(fill: Fill, begin: number, end: number, least: Float32Array, most: Float32Array): void {
  const pixels = most.length;
  const step = (end - begin) / pixels;
  let at = upperBound(fill.time, 0, fill.time.length, begin) - 1;
  let level = at < 0 ? 0 : fill.fill[at]!;
  for (let pixel = 0; pixel < pixels; pixel++) {
    const until = begin + (pixel + 1) * step;
    let low = level;
    let high = level;
    while (at + 1 < fill.time.length && fill.time[at + 1]! < until) {
      at++;
      level = fill.fill[at]!;
      if (level < low) low = level;
      if (level > high) high = level;
    }
    least[pixel] = low;
    most[pixel] = high;
  }
}

/** Steps of an axis over a span: 1, 2 or 5 times a power of ten, at least `pixels` apart. */
export function axisStep(span: number, width: number, pixels: number): number {
  const least = (span * pixels) / Math.max(width, 1);
  const power = 10 ** Math.floor(Math.log10(Math.max(least, 1e-9)));
  for (const factor of [1, 2, 5, 10]) if (factor * power >= least) return Math.max(1, factor * power);
  return Math.max(1, 10 * power);
}

/** Level of detail: which slices are in view, and how much of every pixel is work and how much waiting. */
import type { Fill, Run, Slices, Track } from "./run";

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

/**
 * Into `shares`: how much of every pixel of [begin, end), from 0 to 1, slices with certain labels (1 in `member`) take.
 * `sums` has the cycles of those before every slice of the track. Costs what the pixels cost, whatever the number of slices.
 */
export function weighted(track: Track, slices: Slices, sums: Float64Array, member: Uint8Array, begin: number, end: number, shares: Float32Array): void {
  const { first, count } = track;
  const pixels = shares.length;
  const step = (end - begin) / pixels;
  // `offset`: the first slice that ends after a time; what of it was before that time counts, too.
  const before = (time: number, offset: number): number => {
    if (offset >= count) return sums[count]!;
    const slice = first + offset;
    const begun = time - slices.begin[slice]!;
    return begun > 0 && member[slices.label[slice]!] === 1 ? sums[offset]! + begun : sums[offset]!;
  };
  let offset = upperBound(slices.end, first, count, begin);
  let sum = before(begin, offset);
  for (let pixel = 0; pixel < pixels; pixel++) {
    const time = begin + (pixel + 1) * step;
    // The slice of the next pixel is near: steps that double, then bisection.
    let reach = 1;
    while (offset + reach < count && slices.end[first + offset + reach]! <= time) reach *= 2;
    offset += upperBound(slices.end, first + offset, Math.min(reach + 1, count - offset), time);
    const now = before(time, offset);
    shares[pixel] = (now - sum) / step;
    sum = now;
  }
}

/** How much of every pixel of [begin, end) a track works and waits, from 0 to 1 each. */
export function density(run: Run, track: Track, begin: number, end: number, busy: Float32Array, wait: Float32Array): void {
  weighted(track, run.slices, track.waitBefore, run.waiting, begin, end, wait);
  weighted(track, run.slices, track.busyBefore, run.working, begin, end, busy);
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

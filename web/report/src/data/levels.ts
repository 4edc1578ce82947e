/** How full buffers are. */
import type { Fill } from "./run";

interface Levels { empty: number; full: number; mean: number }

/** Shares of the run in which a buffer is empty and full, and how full it is on average (0 to 1), over nodes. */
export function levels(fills: readonly Fill[], blocks: number, length: number): Levels {
  const sums = { empty: 0, full: 0, mean: 0 };
  for (const fill of fills) {
    let time = 0;
    let level = 0;
    const add = (until: number): void => {
      const span = until - time;
      if (level <= 0) sums.empty += span;
      if (level >= blocks) sums.full += span;
      sums.mean += span * level;
      time = until;
    };
    fill.time.forEach((at, i) => {
      add(at);
      level = fill.fill[i]!;
    });
    add(Math.max(length, time));
  }
  const all = Math.max(1, length * fills.length);
  return { empty: sums.empty / all, full: sums.full / all, mean: sums.mean / all / Math.max(blocks, 1) };
}

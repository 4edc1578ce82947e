/** Which launches of two runs belong together. */
import type { Launch, Pair, ProfileDiff } from "./model";

export type Matched = ProfileDiff["launches"][number];

/** The launches of both runs that belong together: by the difference of their profiles, else by name and order. */
export function matched(pair: Pair): { before: number; after: number; diff: Matched | null }[] {
  const index = (launches: Launch[], number: number): number => launches.findIndex((launch) => launch.number === number);
  const byDiff = (pair.diff?.launches ?? []).map((diff) => ({
    before: index(pair.before.launches, diff.before.launches[0] ?? -1), after: index(pair.after.launches, diff.after.launches[0] ?? -1), diff,
  })).filter(({ before, after }) => before >= 0 && after >= 0);
  if (byDiff.length > 0) return byDiff;
  const taken = new Set<number>();
  return pair.before.launches.flatMap((launch, before) => {
    const after = pair.after.launches.findIndex((other, at) => !taken.has(at) && other.name === launch.name);
    taken.add(after);
    return after < 0 ? [] : [{ before, after, diff: null }];
  });
}

/** "1.38 times as fast", "1.20 times as slow", "as fast as before". */
export function ratio(before: number, after: number): string {
  if (before === after) return "as fast as before";
  return after < before ? `${(before / Math.max(after, 1)).toFixed(2)} times as fast` : `${(after / Math.max(before, 1)).toFixed(2)} times as slow`;
}

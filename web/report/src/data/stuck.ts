/** Who waited for something that never came, when a launch failed. */
import type { Run } from "./run";

export interface Stuck {
  /** What for, as the slices are called. */
  text: string;
  /** Of each that waits so, its last slice. */
  slices: number[];
  /** Their kernels or processors, without repetition. */
  roles: string[];
  nodes: number[];
}

/** The last slices of tracks that are waits which nothing ended, by what they are called; none of a launch that ended well. */
export function stuckWaits(run: Run): Stuck[] {
  const result = new Map<number, Stuck>();
  if ((run.launch.findings ?? []).length === 0) return [];
  for (const track of run.tracks) {
    const last = track.first + track.count - 1;
    const label = track.count === 0 ? -1 : run.slices.label[last]!;
    if (label < 0 || run.waiting[label] !== 1 || run.slices.cause[last]! >= 0) continue;
    const stuck = result.get(label) ?? { text: run.launch.labels[label]!.text, slices: [], roles: [], nodes: [] };
    result.set(label, stuck);
    stuck.slices.push(last);
    stuck.nodes.push(track.node);
    if (!stuck.roles.includes(track.role)) stuck.roles.push(track.role);
  }
  return [...result.values()];
}

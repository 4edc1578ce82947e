/** Where the processors were when a launch failed, and who should have ended their waits. */
import type { Standpoint } from "./model";
import type { Run } from "./run";

/** Processors that are at one place for one reason. */
export interface Stuck {
  state: Standpoint["state"];
  /** What they wait for, or do, as the slices are called. */
  text: string;
  label: number;
  needs: string;
  /** Of each, its last slice; none of one that did nothing yet. */
  slices: number[];
  /** Their kernels or processors, without repetition. */
  roles: string[];
  nodes: number[];
  /** Tracks that should have ended the waits. */
  awaited: number[];
}

/** Who stood where, those together that did so alike: who broke a rule first, then who waits, by what for, then the others. */
export function standing(run: Run): Stuck[] {
  const result = new Map<string, Stuck>();
  for (const stand of run.launch.stands ?? []) {
    const track = run.tracks[stand.track];
    if (track === undefined) continue;
    const key = `${stand.state} ${stand.label} ${stand.needs}`;
    const stuck = result.get(key) ?? { state: stand.state, text: run.launch.labels[stand.label]?.text ?? "", label: stand.label, needs: stand.needs, slices: [], roles: [], nodes: [], awaited: [] };
    result.set(key, stuck);
    if (stand.slice >= 0) stuck.slices.push(stand.slice);
    stuck.nodes.push(track.node);
    if (!stuck.roles.includes(track.role)) stuck.roles.push(track.role);
    for (const awaited of stand.awaited) if (!stuck.awaited.includes(awaited)) stuck.awaited.push(awaited);
  }
  const order = { failed: 0, waits: 1, works: 2 };
  return [...result.values()].sort((a, b) => order[a.state] - order[b.state]);
}

/** Of a slice that is a wait without an end, the last slices of those who should have ended it. */
export function awaitedBy(run: Run, slice: number): number[] {
  const stand = (run.launch.stands ?? []).find((one) => one.slice === slice && one.state === "waits");
  return (stand?.awaited ?? []).flatMap((track) => {
    const row = run.tracks[track];
    return row === undefined || row.count === 0 ? [] : [row.first + row.count - 1];
  });
}

/** How full the buffers were at the end that somebody waits for: of each the counts of blocks, and on how many nodes. */
export function lastFills(run: Run): { buffer: number; full: number; nodes: number[] }[] {
  const waited = new Set((run.launch.stands ?? []).flatMap((stand) => run.launch.labels[stand.label]?.buffer ?? []));
  const result = new Map<string, { buffer: number; full: number; nodes: number[] }>();
  const standing = new Set((run.launch.stands ?? []).map((stand) => run.tracks[stand.track]?.node));
  for (const buffer of waited) {
    for (const node of standing) {
      if (node === undefined) continue;
      const fill = run.buffersOfNode[node]?.find((one) => one.name === buffer);
      const full = fill?.fill.at(-1) ?? 0;
      const row = result.get(`${buffer} ${full}`) ?? { buffer, full, nodes: [] };
      result.set(`${buffer} ${full}`, row);
      row.nodes.push(node);
    }
  }
  return [...result.values()].sort((a, b) => a.buffer - b.buffer || a.full - b.full);
}

/** What the map shows of every node. Times of a node are never longer than the run, however many processors it has. */
import type { Launch } from "./model";
import type { Run, Track } from "./run";
import { nodeOfStep } from "./selection";

export type Metric = "busy" | "waits" | "path" | "dram" | "noc" | "selected";

/** The values of a metric by node, in cycles or steps, of `dram` and `noc` in bytes. `labels` are those of the selection. */
export function valuesByNode(run: Run, metric: Metric, labels: Uint8Array | null): Float64Array {
  const { nodes } = run.launch;
  switch (metric) {
    case "busy": return busyByNode(run.launch);
    case "waits": return Float64Array.from(nodes, (node, index) => node.waits / Math.max(1, run.tracksOfNode[index]!.length));
    case "path": return pathByNode(run);
    case "dram": return Float64Array.from(nodes, (node) => node.dram_read + node.dram_written);
    case "noc": return Float64Array.from(nodes, (node) => node.noc_in + node.noc_out);
    case "selected": return Float64Array.from(nodes, (_, index) => (labels === null ? 0 : timeOf(run, run.tracksOfNode[index]!, labels)));
  }
}

/** The work of every node: the mean of its processors. */
export function busyByNode({ nodes, tracks }: Launch): Float64Array {
  const processors = nodes.map(() => 0);
  for (const { node } of tracks) processors[node]! += 1;
  return Float64Array.from(nodes, (node, index) => node.busy / Math.max(1, processors[index]!));
}

/** How the time of a node comes from those of its processors, for the legend. */
export const HOW: Record<Metric, string> = {
  busy: "mean of a node's processors", waits: "mean of a node's processors", path: "the node's part of the run's",
  dram: "summed over the run", noc: "summed over the run",
  selected: "in which a processor of the node is at it",
};

/** Cycles of the critical path at every node. */
export function pathByNode(run: Run): Float64Array {
  const result = new Float64Array(run.launch.nodes.length);
  for (let i = 0; i < run.path.count; i++) {
    const node = nodeOfStep(run, run.path.slice[i]!);
    if (node !== null) result[node]! += run.path.end[i]! - run.path.begin[i]!;
  }
  return result;
}

/** The time in which at least one of the tracks has a slice with one of the labels. */
function timeOf(run: Run, tracks: readonly Track[], labels: Uint8Array): number {
  const { label, begin, end } = run.slices;
  const slices = tracks.flatMap((track) => Array.from({ length: track.count }, (_, at) => track.first + at)).filter((slice) => labels[label[slice]!] === 1);
  const begins = Float64Array.from(slices, (slice) => begin[slice]!).sort();
  const ends = Float64Array.from(slices, (slice) => end[slice]!).sort();
  let time = 0;
  let open = 0;
  // The n-th begin and the n-th end belong to one stretch as long as fewer slices have ended than begun.
  for (let at = 0; at < begins.length; at++) {
    if (at + 1 < begins.length && begins[at + 1]! <= ends[at]!) continue;
    time += ends[at]! - begins[open]!;
    open = at + 1;
  }
  return time;
}

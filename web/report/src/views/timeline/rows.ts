/** Which rows the timeline has, and where: nodes in an order, the open ones with their processors, NoCs and buffers. */
import { standing } from "../../data/stuck";
import { pathByNode } from "../../data/nodes";
import type { Fill, NocRow, Run, Track } from "../../data/run";

export type Row =
  | { kind: "node"; node: number; y: number; height: number; open: boolean }
  | { kind: "track"; node: number; track: Track; y: number; height: number }
  | { kind: "noc"; node: number; noc: NocRow; y: number; height: number }
  | { kind: "buffer"; node: number; fill: Fill; y: number; height: number };

export type Order = "path" | "position" | "busy" | "waits" | "stuck";

export const NODE_HEIGHT = 20;
export const TRACK_HEIGHT = 17;
export const LANE_HEIGHT = 7;
export const BUFFER_HEIGHT = 19;
const GAP = 2;

/** The nodes from top to bottom. */
export function ordered(run: Run, order: Order): number[] {
  const nodes = run.launch.nodes.map((_, index) => index);
  const by = (value: (node: number) => number): number[] => nodes.sort((a, b) => value(b) - value(a) || a - b);
  switch (order) {
    case "position": return nodes;
    case "busy": return by((node) => run.launch.nodes[node]!.busy);
    case "waits": return by((node) => run.launch.nodes[node]!.waits);
    case "stuck": {
      const stuck = stuckNodes(run);
      return [...stuck, ...nodes.filter((node) => !stuck.includes(node))];
    }
    case "path": {
      const cycles = pathByNode(run);
      return by((node) => cycles[node]!);
    }
  }
}

/** Of a launch that has failed the nodes where somebody had not ended, those first who broke a rule or wait. */
export function stuckNodes(run: Run): number[] {
  return [...new Set(standing(run).flatMap((stuck) => stuck.nodes))];
}

/** The rows and their height together, in CSS pixels. */
export function rowsOf(run: Run, order: readonly number[], open: ReadonlySet<number>): { rows: Row[]; height: number } {
  const rows: Row[] = [];
  let y = 0;
  for (const node of order) {
    const isOpen = open.has(node);
    rows.push({ kind: "node", node, y, height: NODE_HEIGHT, open: isOpen });
    y += NODE_HEIGHT;
    if (!isOpen) continue;
    for (const track of run.tracksOfNode[node]!) {
      rows.push({ kind: "track", node, track, y, height: TRACK_HEIGHT });
      y += TRACK_HEIGHT;
    }
    for (const noc of run.nocs(node)) {
      const height = Math.max(12, noc.lanes * LANE_HEIGHT + GAP);
      rows.push({ kind: "noc", node, noc, y, height });
      y += height;
    }
    for (const fill of run.buffersOfNode[node]!) {
      rows.push({ kind: "buffer", node, fill, y, height: BUFFER_HEIGHT });
      y += BUFFER_HEIGHT;
    }
    y += 4;
  }
  return { rows, height: y };
}

/** The row at a height, by bisection. */
export function rowAt(rows: readonly Row[], y: number): Row | undefined {
  let low = 0;
  let high = rows.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (rows[middle]!.y + rows[middle]!.height <= y) low = middle + 1;
    else high = middle;
  }
  const row = rows[low];
  return row !== undefined && row.y <= y ? row : undefined;
}

/** Height of the strip of one processor in the row of a closed node. */
export const stripHeight = (tracks: number): number => Math.max(1, Math.floor((NODE_HEIGHT - 4) / Math.max(tracks, 1)));

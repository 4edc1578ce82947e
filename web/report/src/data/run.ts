/** A launch with its columns unpacked, and what the views look up in it. */
import { unpacked } from "./columns";
import { resourceOfRole } from "../palette";
import type { Column, Label, Launch } from "./model";

const NONE: Column = { i: [] };

/** The slices of all processors, track after track; `begin` ascends within a track, and slices do not overlap. */
export interface Slices {
  count: number;
  begin: Float64Array;
  end: Float64Array;
  label: Int32Array;
  cause: Int32Array;
}

export interface Transfers {
  count: number;
  begin: Float64Array;
  end: Float64Array;
  node: Int32Array;
  source: Int32Array;
  destination: Int32Array;
  bytes: Float64Array;
  packets: Int32Array;
  receivers: Int32Array;
  noc: Int32Array;
  lane: Int32Array;
  label: Int32Array;
  kind: Int32Array;
}

export interface PathSteps {
  count: number;
  begin: Float64Array;
  end: Float64Array;
  slice: Int32Array;
  resource: Int32Array;
  label: Int32Array;
}

export interface Track {
  index: number;
  node: number;
  role: string;
  kernel?: number | null;
  first: number;
  count: number;
  /** Time of work and of waiting before slice `first + i`: count + 1 numbers each. */
  busyBefore: Float64Array;
  waitBefore: Float64Array;
}

/** A buffer on a node: from `time[i]` on there are `fill[i]` blocks in it (parts of blocks, too), before the first none. */
export interface Fill {
  index: number;
  name: number;
  node: number;
  time: Float64Array;
  fill: Float64Array;
}

/** Transfers of one node over one NoC, in order of their begin. */
export interface NocRow {
  node: number;
  noc: number;
  lanes: number;
  /** By lane: numbers of transfers, ascending in time. */
  order: Int32Array[];
}


export class Run {
  /** 1 for labels of waiting, and for those of work. */
  readonly waiting: Uint8Array;
  readonly working: Uint8Array;
  readonly tracksOfNode: Track[][];
  readonly buffersOfNode: Fill[][];
  private readonly nocRows = new Map<number, NocRow[]>();
  private transfersByNode: Int32Array[] | undefined;

  constructor(
    readonly launch: Launch,
    readonly slices: Slices,
    readonly tracks: Track[],
    readonly transfers: Transfers,
    readonly path: PathSteps,
    readonly fills: Fill[],
  ) {
    this.waiting = Uint8Array.from(launch.labels, (label) => (label.kind === "wait" ? 1 : 0));
    this.working = this.waiting.map((waits) => 1 - waits);
    this.tracksOfNode = launch.nodes.map(() => []);
    for (const track of tracks) this.tracksOfNode[track.node]?.push(track);
    this.buffersOfNode = launch.nodes.map(() => []);
    for (const fill of fills) this.buffersOfNode[fill.node]?.push(fill);
  }

  get length(): number {
    return this.launch.length;
  }

  label(index: number): Label | undefined {
    return this.launch.labels[index];
  }

  /** The resource whose work the work of a track is: of a kernel of the simulator, what the critical path calls it. */
  resourceOf(track: Track): string {
    const byRole = resourceOfRole(track.role);
    if (byRole !== null) return byRole;
    for (let i = 0; i < this.path.count; i++) {
      const label = this.launch.labels[this.path.label[i]!];
      if (label?.kind === "busy" && label.kernel === track.kernel) return this.launch.path!.resources[this.path.resource[i]!]!;
    }
    return "data movement";
  }

  /** Time on the critical path by resource, the most first; those with none are left out. */
  pathTotals(): [string, number][] {
    const resources = this.launch.path?.resources ?? [];
    const sums = new Float64Array(resources.length);
    for (let i = 0; i < this.path.count; i++) sums[this.path.resource[i]!]! += this.path.end[i]! - this.path.begin[i]!;
    return resources.map((resource, index): [string, number] => [resource, sums[index]!]).filter(([, time]) => time > 0).sort((a, b) => b[1] - a[1]);
  }

  /** The track that a slice (global number) is of. */
  trackOf(slice: number): Track | undefined {
    let low = 0;
    let high = this.tracks.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      const track = this.tracks[middle]!;
      if (slice < track.first) high = middle;
      else if (slice >= track.first + track.count) low = middle + 1;
      else return track;
    }
    return undefined;
  }

  /** Numbers of the transfers that a node issued, ascending in time. */
  transfersOf(node: number): Int32Array {
    if (this.transfersByNode === undefined) {
      const { count, node: issuer, begin } = this.transfers;
      const counts = new Int32Array(this.launch.nodes.length);
      for (let i = 0; i < count; i++) if (issuer[i]! >= 0) counts[issuer[i]!]!++;
      this.transfersByNode = Array.from(counts, (size) => new Int32Array(size));
      counts.fill(0);
      for (let i = 0; i < count; i++) {
        const of = issuer[i]!;
        if (of >= 0) this.transfersByNode[of]![counts[of]!++] = i;
      }
      for (const list of this.transfersByNode) list.sort((a, b) => begin[a]! - begin[b]!);
    }
    return this.transfersByNode[node] ?? new Int32Array(0);
  }

  /** The rows of a node's transfers, one for each NoC that it used. */
  nocs(node: number): NocRow[] {
    let rows = this.nocRows.get(node);
    if (rows === undefined) {
      const byNoc = new Map<number, number[][]>();
      for (const transfer of this.transfersOf(node)) {
        const noc = this.transfers.noc[transfer]!;
        const lanes = byNoc.get(noc) ?? [];
        byNoc.set(noc, lanes);
        const lane = Math.min(this.transfers.lane[transfer]!, MOST_LANES - 1);
        while (lanes.length <= lane) lanes.push([]);
        lanes[lane]!.push(transfer);
      }
      rows = [...byNoc.entries()]
        .sort(([a], [b]) => a - b)
        .map(([noc, lanes]) => ({ node, noc, lanes: lanes.length, order: lanes.map((lane) => Int32Array.from(lane)) }));
      this.nocRows.set(node, rows);
    }
    return rows;
  }
}

/** Transfers that would need more lanes share the last one. */
export const MOST_LANES = 4;

const ints = async (column: Column | undefined): Promise<Int32Array> => Int32Array.from(await unpacked(column ?? NONE));
const numbers = (column: Column | undefined): Promise<Float64Array> => unpacked(column ?? NONE);

/** Unpacks a launch. Numbers that contradict each other are an error with the name of the column. */
export async function unpackedRun(launch: Launch): Promise<Run> {
  const [gap, length, label, cause] = await Promise.all([
    numbers(launch.slices?.gap), numbers(launch.slices?.length), ints(launch.slices?.label), ints(launch.slices?.cause),
  ]);
  const count = gap.length;
  same("slices", count, [length, label, cause]);
  const begin = new Float64Array(count);
  const end = new Float64Array(count);
  const waiting = Uint8Array.from(launch.labels, (row) => (row.kind === "wait" ? 1 : 0));
  const tracks = launch.tracks.map((row, index): Track => {
    if (row.first + row.count > count) throw new Error(`track ${index} has slices to ${row.first + row.count} of ${count}`);
    const busyBefore = new Float64Array(row.count + 1);
    const waitBefore = new Float64Array(row.count + 1);
    let time = 0;
    for (let i = 0; i < row.count; i++) {
      const slice = row.first + i;
      const cycles = length[slice]!;
      time += gap[slice]!;
      begin[slice] = time;
      time += cycles;
      end[slice] = time;
      const waits = waiting[label[slice]!] === 1;
      busyBefore[i + 1] = busyBefore[i]! + (waits ? 0 : cycles);
      waitBefore[i + 1] = waitBefore[i]! + (waits ? cycles : 0);
    }
    return { ...row, index, busyBefore, waitBefore };
  });
  const transfers = await unpackedTransfers(launch);
  const path = await unpackedPath(launch);
  const fills = await unpackedFills(launch);
  return new Run(launch, { count, begin, end, label, cause }, tracks, transfers, path, fills);
}

async function unpackedTransfers(launch: Launch): Promise<Transfers> {
  const columns = launch.transfers;
  const begin = await numbers(columns?.begin);
  const length = await numbers(columns?.length);
  const bytes = await numbers(columns?.bytes);
  const [node, source, destination, packets] = await Promise.all([ints(columns?.node), ints(columns?.source), ints(columns?.destination), ints(columns?.count)]);
  const [receivers, noc, lane, label, kind] = await Promise.all([ints(columns?.receivers), ints(columns?.noc), ints(columns?.lane), ints(columns?.label), ints(columns?.kind)]);
  same("transfers", begin.length, [length, node, source, destination, noc, lane, label, kind, bytes, packets, receivers]);
  const end = begin.map((time, i) => time + length[i]!);
  return { count: begin.length, begin, end, node, source, destination, bytes, packets, receivers, noc, lane, label, kind };
}

async function unpackedPath(launch: Launch): Promise<PathSteps> {
  const columns = launch.path ?? undefined;
  const length = await numbers(columns?.length);
  const [slice, resource, label] = await Promise.all([ints(columns?.at), ints(columns?.resource), ints(columns?.label)]);
  same("path", length.length, [slice, resource, label]);
  const begin = new Float64Array(length.length);
  const end = new Float64Array(length.length);
  let time = 0;
  length.forEach((cycles, i) => {
    begin[i] = time;
    time += cycles;
    end[i] = time;
  });
  return { count: length.length, begin, end, slice, resource, label };
}

async function unpackedFills(launch: Launch): Promise<Fill[]> {
  const time = await numbers(launch.fills?.time);
  const pages = await numbers(launch.fills?.fill);
  same("fills", time.length, [pages]);
  return (launch.buffers ?? []).map((row, index) => {
    const until = row.first + row.count;
    const blockPages = launch.buffer_names?.[row.name]?.block_pages ?? 1;
    return { index, name: row.name, node: row.node, time: time.subarray(row.first, until), fill: pages.subarray(row.first, until).map((count) => count / blockPages) };
  });
}

function same(table: string, count: number, columns: ArrayLike<number>[]): void {
  for (const column of columns) if (column.length !== count) throw new Error(`a column of ${table} has ${column.length} rows instead of ${count}`);
}

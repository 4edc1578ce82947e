/** The data of a report as they stand in the page: docs/reference/report.md describes every field. */

/** Whole numbers: plain, or base64 of a raw deflate stream of zigzag LEB128 varints; `d: 1` for differences of neighbours. */
export type Column = { i: number[] } | { z: string; n: number; d?: 0 | 1 };

export interface Cell {
  x: number;
  y: number;
  kind: "worker" | "dram" | "ethernet" | "arc" | "pcie" | "other";
  node: number | null;
  bank: number | null;
}

export interface ChipPlan {
  name: string;
  clock_hz: number;
  columns: number;
  rows: number;
  cells: Cell[];
}

export interface NodeTotals {
  node: number[];
  x: number;
  y: number;
  busy: number;
  waits: number;
  dram_read: number;
  dram_written: number;
  noc_in: number;
  noc_out: number;
}

export interface Label {
  text: string;
  kind: "busy" | "wait";
  waits_for: string | null;
  file: number | null;
  line: number | null;
  kernel: number | null;
  buffer: number | null;
  pipe?: number | null;
}

export interface TrackRow {
  node: number;
  role: string;
  first: number;
  count: number;
}

export interface SliceColumns {
  gap: Column;
  length: Column;
  label: Column;
  cause: Column;
}

export interface TransferColumns {
  begin: Column;
  length: Column;
  node: Column;
  source: Column;
  destination: Column;
  bytes: Column;
  count?: Column;
  noc: Column;
  lane: Column;
  label: Column;
  kind: Column;
}

export interface End {
  text: string;
  cell: number | null;
  node: number | null;
  bank: number | null;
}

export interface Link {
  noc: number;
  x: number;
  y: number;
  along: "row" | "column";
  busy: number;
  share: number;
  bytes?: number;
}

export interface BufferName {
  text: string;
  file: number | null;
  line: number | null;
  blocks: number;
  block_bytes: number;
  made_by?: string;
}

export interface BufferRow {
  name: number;
  node: number;
  first: number;
  count: number;
}

export interface PipeRow {
  net: string;
  name?: string;
  source: number;
  destinations: number[];
  bytes: number;
  transfers: number;
  file: number | null;
  line: number | null;
}

/** Cycles by role of the processor, or of the one with most of it. */
export type ByRole = number | Record<string, number>;

export interface SourceLine {
  line: number;
  path?: number;
  cycles?: number;
  share: number;
  busy: ByRole;
  waits: ByRole;
  kernel?: number | string | null;
}

export interface SourceFile {
  file: string;
  text: string;
  lines: SourceLine[];
}

export interface KernelText {
  name: string;
  roles: string[];
  text: string | null;
  lines: [number, number, number][];
}

export interface Explanation {
  file: number | string;
  line: number;
  text?: string;
  remarks: string[];
}

export interface Roofline {
  points: { name: string; flops_per_byte: number; flops_per_cycle: number }[];
  ceilings: { name: string; kind: "compute" | "bandwidth"; per_cycle: number }[];
}

export interface PathColumns {
  begin: Column;
  end: Column;
  slice: Column;
  resource: Column;
  label: Column;
}

export interface AdviceLine {
  file: string;
  line: number;
  kernel?: string;
}

export interface AdviceObject {
  name: string;
  sentence: string;
  change: string;
  lines: AdviceLine[];
  cycles: number;
  basis: "emulated" | "estimated";
  how: string;
  l1_bytes?: number;
  results?: string;
  wrong?: boolean;
}

export interface Argument {
  name: string;
  shape: number[];
  dtype: string;
  layout: string;
  memory: string;
}

/** What `--profile --format json` prints for a launch; only what the page uses. */
export interface ProfileObject {
  name: string;
  launch: number;
  arguments?: Argument[];
  constants?: Record<string, unknown>;
  grid: number[];
  nodes: number;
  cycles: number;
  bound_by: string;
  path: Record<string, number>;
  processors: { role: string; busy: number; most_busy: number; waits: number }[];
  roof: { resource: string; cycles: number; because: string; share: number };
  dram_bytes: number;
  dram_unique_bytes: number;
  busiest_bank: number;
  busiest_link: number;
  advice: AdviceObject[];
  claim?: string;
}

export interface StatsBuffer {
  name: string;
  file: string;
  line: number;
  blocks: number;
  bytes: number;
  high_water: number;
  block_count: number;
  reserve_waits: number;
  data_waits: number;
  reserve_wait_cycles?: number;
  data_wait_cycles?: number;
}

export interface StatsPipe {
  name: string;
  file: string;
  line: number;
  pipes: number;
  sends: number;
  bytes: number;
  receives: number;
  waits: number;
  wait_cycles?: number;
}

/** What `--stats --format json` prints for a launch; only what the page uses. */
export interface StatsObject {
  arguments?: Argument[];
  constants?: Record<string, unknown>;
  nodes: number;
  buffers: StatsBuffer[];
  pipes: StatsPipe[];
}

export interface Finding {
  code?: string;
  severity?: string;
  message?: string;
  file?: string;
  line?: number;
}

export interface Launch {
  name: string;
  number: number;
  target: "emu" | "sim";
  unit: "cycles" | "steps";
  length: number;
  chip: ChipPlan;
  verdict: string;
  first: { sentence: string; lines: AdviceLine[] } | null;
  profile: ProfileObject | null;
  stats: StatsObject | null;
  nodes: NodeTotals[];
  labels: Label[];
  tracks: TrackRow[];
  slices: SliceColumns;
  transfers: TransferColumns | null;
  transfer_kinds?: string[];
  ends?: End[];
  links?: Link[];
  buffers?: BufferRow[];
  fills?: { time: Column; fill: Column } | null;
  buffer_names?: BufferName[];
  pipes?: PipeRow[];
  sources: SourceFile[];
  kernels: KernelText[];
  decisions?: Explanation[];
  roof?: Roofline | null;
  path?: PathColumns | null;
  path_resources?: string[];
}

export interface Report {
  schema: number;
  kind: "report";
  title: string;
  command?: string;
  launches: Launch[];
  findings?: Finding[];
}

export interface DiffLine {
  file: string;
  line: number | null;
  text?: string;
  kernel?: string;
  before: number | null;
  after: number | null;
}

export interface Pair {
  schema: number;
  kind: "reports";
  before: Report;
  after: Report;
  diff: unknown;
}

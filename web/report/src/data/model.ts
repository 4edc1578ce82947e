/** The data of a report as they stand in the page. `src/ttl/report/records.py` describes every field; only what the page uses is here. */

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
  title?: string;
  clock_hz: number;
  columns: number;
  rows: number;
  cells: Cell[];
}

export interface NodeTotals {
  node: number[];
  /** Null in a grid that no chip has. */
  x: number | null;
  y: number | null;
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
  kernel_line?: number | null;
  buffer: number | null;
  net?: number | null;
  pipe?: number | null;
}

export interface TrackRow {
  node: number;
  role: string;
  kernel?: number | null;
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
  count: Column;
  receivers: Column;
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
  bytes: number;
  share: number;
}

/** The links from a chip to a neighbour, one way. */
export interface ChipLink {
  source: number;
  target: number;
  ports: number;
  bytes: number;
  busy: number;
  share: number;
}

/** The chips of a launch over several, by their numbers in the system, row by row. */
export interface Mesh {
  title: string;
  topology: string;
  rows: number;
  columns: number;
  /** By chip; empty where the launch has none. */
  names: string[];
  /** By node. */
  chips: number[];
  links: ChipLink[];
  bisection_bytes_per_second: number;
}

export interface BufferName {
  text: string;
  file: number | null;
  line: number | null;
  made_by: string;
  blocks: number;
  block_pages: number;
  block_bytes: number;
}

export interface BufferRow {
  name: number;
  node: number;
  first: number;
  count: number;
}

export interface PipeRow {
  net: number;
  name: string;
  source: number;
  destinations: number[];
  bytes: number;
  transfers: number;
  file: number | null;
  line: number | null;
}

/** Where a processor, or a kernel of the simulator, was when its launch failed. */
export interface Standpoint {
  track: number;
  state: "waits" | "failed" | "works";
  label: number;
  /** The last of its track; -1: it has none. */
  slice: number;
  /** What would have to happen for it to go on. */
  needs: string;
  /** Tracks that should have ended the wait. */
  awaited: number[];
}

export interface SourceLine {
  line: number;
  /** Of the critical path. */
  cycles: number;
  share: number;
  /** By role of the processor; or of the one with most of it. */
  busy: Record<string, number> | number;
  waits: Record<string, number> | number;
}

export interface SourceFile {
  file: string;
  text: string;
  lines: SourceLine[];
}

export interface KernelText {
  name: string;
  roles: string[];
  microcores: string[];
  file: string;
  text: string;
  lines: [number, number, number][];
}

export interface Explanation {
  file: number | string;
  line: number;
  text?: string;
  remarks: string[];
}

export interface Roofline {
  /** Of the work: `x` is work for every byte from or to DRAM, `y` work for every cycle. */
  unit: string;
  points: { name: string; x: number; y: number }[];
  ceilings: { name: string; kind: "compute" | "bandwidth"; per_cycle: number }[];
  bound_by: string;
  attained: number;
  text: string;
}

/** The critical path from the beginning of the launch to its end, without gaps. */
export interface PathColumns {
  length: Column;
  resource: Column;
  at: Column;
  label: Column;
  resources: string[];
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
  reserve_wait_cycles?: number | null;
  data_wait_cycles?: number | null;
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
  wait_cycles?: number | null;
}

/** What `--stats --format json` prints for a launch; only what the page uses. */
export interface StatsObject {
  arguments?: Argument[];
  constants?: Record<string, unknown>;
  nodes: number;
  buffers: StatsBuffer[];
  pipes: StatsPipe[];
}

export interface FindingPlace {
  file: string;
  line: number;
  label: string;
}

/** What would mend it: texts for places; lines and columns from 1, ends exclusive. */
export interface Fix {
  description: string;
  edits: { file: string; line: number; column: number; end_line: number; end_column: number; replacement: string }[];
}

/** A diagnostic, or an exception of Python, as `--format json` has it. */
export interface Finding {
  kind?: "diagnostic" | "exception";
  code?: string;
  severity?: string;
  /** Of an exception. */
  type?: string;
  message?: string;
  primary?: FindingPlace | null;
  secondary?: FindingPlace[];
  notes?: string[];
  help?: string[];
  fix?: Fix | null;
  /** Of an exception, the calls in the program that led to it, the outermost first. */
  frames?: { file: string; line: number; function: string; text: string }[];
  /** Where an exception was raised. */
  file?: string | null;
  line?: number | null;
}

/** What a tile program loads or stores, through which buffer of its explicit operation. */
export interface DesignedStream {
  buffer: string;
  tensor: string;
  direction: "in" | "out";
  kernel: string;
  multicast: string;
  group: [number, number];
  movers: number[];
  block: number[];
  blocks: number;
  bytes: number;
  turns: number;
  reasons: string[];
  file: number | null;
  line: number;
  cycles: number;
}

export interface Design {
  grid: [number, number];
  sentence: string;
  estimate: number;
  limited_by: string;
  loops: string[];
  streams: DesignedStream[];
  source: string;
}

/** Cycles here and on a card, of `ttl profile --measured`. */
export interface Measured {
  what: string;
  estimated: number;
  emulated: number;
  measured: number | null;
  /** Emulated against measured, as a part of what was measured. */
  error: number | null;
  /** Of a signpost, position in `sources`. */
  file: number | null;
  line: number | null;
}

export interface Launch {
  name: string;
  number: number;
  values?: string;
  target: "emu" | "sim";
  unit: "cycles" | "steps";
  length: number;
  chip: ChipPlan;
  /** What to do first, in a sentence; empty in the simulator and of a launch that has failed. */
  headline?: string;
  verdict: string;
  first: { sentence: string; change: string; lines: [number | null, number][]; cycles: number } | null;
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
  design?: Design | null;
  mesh?: Mesh | null;
  measured?: Measured[];
  roof?: Roofline | null;
  path?: PathColumns | null;
  /** Why it has failed; none of one that ended well. */
  findings?: Finding[];
  /** Of one that has failed, where its processors were, by track. */
  stands?: Standpoint[];
  /** And the transfers that had not arrived. */
  under_way?: number[];
}

/** Why a program failed outside of its launches. */
export interface ProgramFailure {
  verdict: string;
  findings: Finding[];
  sources: SourceFile[];
}

export interface Report {
  schema: number;
  kind: "report";
  title: string;
  command?: string;
  launches: Launch[];
  findings?: Finding[];
  failure?: ProgramFailure | null;
}

export interface DiffPlace {
  file: string;
  line: number;
  kernel: string;
  text: string;
  path: number;
}

export interface DiffSide {
  launches: number[];
  constants: Record<string, unknown>;
  chip: string;
  cycles: number;
  path: Record<string, number>;
  bound_by: string;
}

/** What `ttl profile --diff --format json` prints. */
export interface ProfileDiff {
  launches: { name: string; speedup: number; before: DiffSide; after: DiffSide; lines: { change: number; before: DiffPlace | null; after: DiffPlace | null }[] }[];
  only_before: { name: string; launch: number; verdict: string }[];
  only_after: { name: string; launch: number; verdict: string }[];
}

/** A cell of a heat map: cycles, or where `exact` is false what they are at least, relative to the best. */
export interface HeatCell { cycles: number; ratio: number; exact: boolean }

export interface HeatMap {
  title: string;
  corner: string;
  columns: string[];
  rows: string[];
  cells: (HeatCell | null)[][];
}

/** What `ttl tune` found. */
export interface Tuning {
  schema: number;
  kind: "tuning";
  title: string;
  command: string;
  maps: HeatMap[];
  /** What the report says, one text for all shapes of an operation, then one for each call. */
  texts: string[][];
}

/** Cycles of the critical path in the baseline and in every run; null where one has it not. */
export interface CycleRow { baseline: number | null; runs: (number | null)[] }

export interface OperationRuns {
  name: string;
  values: string;
  launches: number;
  total: CycleRow;
  /** Of every run, how many times as fast as the baseline it is. */
  speedups: (number | null)[];
  kernels: (CycleRow & { kernel: string })[];
  /** Those first of which a run differs most. */
  lines: (CycleRow & { file: string; line: number; kernel: string; text: string })[];
}

/** Several runs against a baseline. */
export interface Runs {
  schema: number;
  kind: "runs";
  title: string;
  baseline: Report;
  runs: Report[];
  /** Of the baseline, then of the runs. */
  names: string[];
  /** Of every run against the baseline, as in a pair. */
  diffs: (ProfileDiff | null)[];
  /** null where a run has no cycles. */
  compared: { headline: string; baseline: string; runs: string[]; operations: OperationRuns[]; others: string[][] } | null;
}

export interface Pair {
  schema: number;
  kind: "reports";
  before: Report;
  after: Report;
  diff: ProfileDiff | null;
}

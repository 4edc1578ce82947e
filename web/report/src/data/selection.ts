/** The one selection of the page, and what of a run belongs to it. */
import type { Label, Launch, SourceFile } from "./model";
import type { Run, Track } from "./run";

export type Selection =
  | { kind: "node"; node: number }
  | { kind: "bank"; bank: number }
  | { kind: "line"; file: number; line: number }
  | { kind: "buffer"; buffer: number }
  | { kind: "pipe"; pipe: number }
  | { kind: "slice"; slice: number }
  | { kind: "transfer"; transfer: number }
  | { kind: "resource"; resource: string }
  | { kind: "advice"; advice: number };

/** What of a run belongs to a selection. Every view shows its own part of it. */
export interface Related {
  nodes: Set<number>;
  banks: Set<number>;
  /** `lineKey`s. */
  lines: Set<string>;
  buffers: Set<number>;
  pipes: Set<number>;
  resources: Set<string>;
  advice: Set<number>;
  /** 1 for every label whose slices belong to the selection; null: labels do not decide (a node, a bank). */
  labels: Uint8Array | null;
  slice: number | null;
  transfer: number | null;
}

export const lineKey = (file: number, line: number): string => `${file}:${line}`;

/** How a selection stands in the fragment of the URL; `parsed` reads it. */
export function written(selection: Selection): string {
  switch (selection.kind) {
    case "node": return `node:${selection.node}`;
    case "bank": return `bank:${selection.bank}`;
    case "line": return `line:${selection.file}:${selection.line}`;
    case "buffer": return `buffer:${selection.buffer}`;
    case "pipe": return `pipe:${selection.pipe}`;
    case "slice": return `slice:${selection.slice}`;
    case "transfer": return `transfer:${selection.transfer}`;
    case "resource": return `resource:${encodeURIComponent(selection.resource)}`;
    case "advice": return `advice:${selection.advice}`;
  }
}

/** The selection that a fragment names, or null where it names nothing of this run. */
export function parsed(text: string, run: Run): Selection | null {
  const [kind, first = "", second = ""] = text.split(":");
  const { launch } = run;
  const number = (part: string, below: number): number | null => {
    const value = /^\d+$/.test(part) ? Number(part) : -1;
    return value >= 0 && value < below ? value : null;
  };
  const index = (below: number): number | null => number(first, below);
  switch (kind) {
    case "node": { const node = index(launch.nodes.length); return node === null ? null : { kind, node }; }
    case "bank": { const bank = index(4096); return bank === null ? null : { kind, bank }; }
    case "buffer": { const buffer = index(launch.buffer_names?.length ?? 0); return buffer === null ? null : { kind, buffer }; }
    case "pipe": { const pipe = index(launch.pipes?.length ?? 0); return pipe === null ? null : { kind, pipe }; }
    case "slice": { const slice = index(run.slices.count); return slice === null ? null : { kind, slice }; }
    case "transfer": { const transfer = index(run.transfers.count); return transfer === null ? null : { kind, transfer }; }
    case "advice": { const advice = index(launch.profile?.advice.length ?? 0); return advice === null ? null : { kind, advice }; }
    case "resource": {
      const resource = decoded(first);
      return resource !== null && resourcesOf(launch).includes(resource) ? { kind, resource } : null;
    }
    case "line": {
      const file = index(launch.sources.length);
      const line = number(second, 1e7);
      return file === null || line === null ? null : { kind, file, line };
    }
    default: return null;
  }
}

function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null; // a broken escape in a fragment that somebody typed
  }
}

/** The resources that a critical path may go through. */
export function resourcesOf(launch: Launch): string[] {
  return launch.path?.resources ?? [];
}

/** The index in `sources` of the file of a line of advice or of statistics. */
export function fileOf(launch: Launch, file: string | number | null | undefined): number | null {
  return fileAmong(launch.sources, file);
}

/** The index of a file among sources, by its whole name or the end of it. */
export function fileAmong(sources: readonly SourceFile[], file: string | number | null | undefined): number | null {
  if (file === null || file === undefined) return null;
  if (typeof file === "number") return file;
  const exact = sources.findIndex((source) => source.file === file);
  if (exact >= 0) return exact;
  const ending = sources.findIndex((source) => file.endsWith(`/${source.file}`) || source.file.endsWith(`/${file}`));
  return ending >= 0 ? ending : null;
}

const nothing = (): Related => ({
  nodes: new Set(), banks: new Set(), lines: new Set(), buffers: new Set(), pipes: new Set(), resources: new Set(), advice: new Set(),
  labels: null, slice: null, transfer: null,
});

/** Everything of a run that belongs to a selection. */
export function related(run: Run, selection: Selection): Related {
  const result = nothing();
  const { launch } = run;
  switch (selection.kind) {
    case "node": {
      result.nodes.add(selection.node);
      const labels = labelsOfTracks(run, run.tracksOfNode[selection.node] ?? []);
      addLabels(run, result, labels);
      for (const fill of run.buffersOfNode[selection.node] ?? []) result.buffers.add(fill.name);
      result.pipes.clear(); // not all of a net that it waits for
      (launch.pipes ?? []).forEach((pipe, index) => {
        if (pipe.source === selection.node || pipe.destinations.includes(selection.node)) result.pipes.add(index);
      });
      return result;
    }
    case "bank": {
      result.banks.add(selection.bank);
      const labels = new Uint8Array(launch.labels.length);
      for (let i = 0; i < run.transfers.count; i++) {
        if (banksOf(run, i).includes(selection.bank)) {
          result.nodes.add(run.transfers.node[i]!);
          mark(labels, run.transfers.label[i]!);
        }
      }
      addLabels(run, result, labels);
      result.resources.add("DRAM");
      return result;
    }
    case "line": {
      result.lines.add(lineKey(selection.file, selection.line));
      return withLabels(run, result, labelsOfLines(launch, result.lines));
    }
    case "buffer": {
      result.buffers.add(selection.buffer);
      const name = launch.buffer_names?.[selection.buffer];
      if (name && name.file !== null && name.line !== null) result.lines.add(lineKey(name.file, name.line));
      for (const fill of run.fills) if (fill.name === selection.buffer) result.nodes.add(fill.node);
      return withLabels(run, result, matching(launch, (label) => label.buffer === selection.buffer));
    }
    case "pipe": {
      const pipe = launch.pipes?.[selection.pipe];
      result.pipes.add(selection.pipe);
      if (pipe === undefined) return result;
      const labels = matching(launch, (label) => (typeof label.pipe === "number" ? label.pipe === selection.pipe : label.net === pipe.net));
      addLabels(run, result, labels);
      if (pipe.file !== null && pipe.line !== null) result.lines.add(lineKey(pipe.file, pipe.line));
      result.labels = labels;
      result.nodes = new Set([pipe.source, ...pipe.destinations]);
      result.pipes = new Set([selection.pipe]);
      return result;
    }
    case "slice": {
      const track = run.trackOf(selection.slice);
      result.slice = selection.slice;
      if (track) result.nodes.add(track.node);
      const labels = new Uint8Array(launch.labels.length);
      mark(labels, run.slices.label[selection.slice]!);
      addLabels(run, result, labels);
      result.labels = labels;
      return result;
    }
    case "transfer": {
      const labels = new Uint8Array(launch.labels.length);
      result.transfer = selection.transfer;
      mark(labels, run.transfers.label[selection.transfer]!);
      addLabels(run, result, labels);
      result.labels = labels;
      result.nodes.add(run.transfers.node[selection.transfer]!);
      for (const end of [run.transfers.source[selection.transfer]!, run.transfers.destination[selection.transfer]!]) {
        const node = launch.ends?.[end]?.node;
        if (node !== null && node !== undefined) result.nodes.add(node);
      }
      for (const bank of banksOf(run, selection.transfer)) result.banks.add(bank);
      result.resources.add(result.banks.size > 0 ? "DRAM" : "NoC");
      return result;
    }
    case "resource": {
      const number = launch.path?.resources.indexOf(selection.resource) ?? -1;
      const labels = new Uint8Array(launch.labels.length);
      for (let i = 0; i < run.path.count; i++) {
        if (run.path.resource[i] !== number) continue;
        mark(labels, run.path.label[i]!);
        const node = nodeOfStep(run, run.path.slice[i]!);
        if (node !== null) result.nodes.add(node);
      }
      addLabels(run, result, labels);
      result.labels = labels;
      result.resources = new Set([selection.resource]);
      return result;
    }
    case "advice": {
      const advice = launch.profile?.advice[selection.advice];
      result.advice.add(selection.advice);
      for (const place of advice?.lines ?? []) {
        const file = fileOf(launch, place.file);
        if (file !== null) result.lines.add(lineKey(file, place.line));
      }
      withLabels(run, result, labelsOfLines(launch, result.lines));
      result.advice = new Set([selection.advice]);
      return result;
    }
  }
}

/** The node that a step of the critical path is at. */
export function nodeOfStep(run: Run, slice: number): number | null {
  if (slice < 0) return null;
  if (slice < run.slices.count) return run.trackOf(slice)?.node ?? null;
  return run.transfers.node[slice - run.slices.count] ?? null;
}

/** The DRAM banks at the ends of a transfer. */
export function banksOf(run: Run, transfer: number): number[] {
  const ends = run.launch.ends ?? [];
  return [run.transfers.source[transfer]!, run.transfers.destination[transfer]!].flatMap((end) => {
    const bank = ends[end]?.bank;
    return bank === null || bank === undefined ? [] : [bank];
  });
}

/** Cycles of the slices with these labels, by node: work and waiting together. */
export function cyclesByNode(run: Run, labels: Uint8Array): Float64Array {
  const result = new Float64Array(run.launch.nodes.length);
  const { label, begin, end } = run.slices;
  for (const track of run.tracks) {
    let sum = 0;
    for (let i = track.first; i < track.first + track.count; i++) if (labels[label[i]!] === 1) sum += end[i]! - begin[i]!;
    result[track.node]! += sum;
  }
  return result;
}

/** Cycles of one node by line: of the processor with most of it, as in a profile. */
export function linesOfNode(run: Run, node: number): Map<string, { busy: number; waits: number }> {
  const result = new Map<string, { busy: number; waits: number }>();
  for (const track of run.tracksOfNode[node] ?? []) {
    const byLabel = new Float64Array(run.launch.labels.length);
    for (let i = track.first; i < track.first + track.count; i++) byLabel[run.slices.label[i]!]! += run.slices.end[i]! - run.slices.begin[i]!;
    const ofTrack = new Map<string, { busy: number; waits: number }>();
    byLabel.forEach((cycles, index) => {
      const label = run.launch.labels[index]!;
      if (cycles === 0 || label.file === null || label.line === null) return;
      const key = lineKey(label.file, label.line);
      const cost = ofTrack.get(key) ?? { busy: 0, waits: 0 };
      ofTrack.set(key, cost);
      if (label.kind === "wait") cost.waits += cycles;
      else cost.busy += cycles;
    });
    for (const [key, cost] of ofTrack) {
      const most = result.get(key) ?? { busy: 0, waits: 0 };
      result.set(key, { busy: Math.max(most.busy, cost.busy), waits: Math.max(most.waits, cost.waits) });
    }
  }
  return result;
}

function matching(launch: Launch, belongs: (label: Label) => boolean): Uint8Array {
  return Uint8Array.from(launch.labels, (label) => (belongs(label) ? 1 : 0));
}

/** The labels of lines: what happens there, and of a line that makes a buffer or a net, what waits for that. */
function labelsOfLines(launch: Launch, lines: ReadonlySet<string>): Uint8Array {
  const at = (place: { file: number | null; line: number | null }): boolean => place.file !== null && place.line !== null && lines.has(lineKey(place.file, place.line));
  const buffers = new Set((launch.buffer_names ?? []).flatMap((name, index) => (at(name) ? [index] : [])));
  const nets = new Set((launch.pipes ?? []).flatMap((pipe) => (at(pipe) ? [pipe.net] : [])));
  return matching(launch, (label) => at(label) || (label.buffer !== null && buffers.has(label.buffer)) || (label.net !== null && label.net !== undefined && nets.has(label.net)));
}

function mark(labels: Uint8Array, label: number): void {
  if (label >= 0 && label < labels.length) labels[label] = 1;
}

function labelsOfTracks(run: Run, tracks: Track[]): Uint8Array {
  const labels = new Uint8Array(run.launch.labels.length);
  for (const track of tracks) for (let i = track.first; i < track.first + track.count; i++) labels[run.slices.label[i]!] = 1;
  return labels;
}

/** The lines, buffers and pipes of labels, and the advice about those lines. */
function addLabels(run: Run, result: Related, labels: Uint8Array): void {
  const { launch } = run;
  launch.labels.forEach((label, index) => {
    if (labels[index] !== 1) return;
    if (label.file !== null && label.line !== null) result.lines.add(lineKey(label.file, label.line));
    if (label.buffer !== null) result.buffers.add(label.buffer);
    if (typeof label.pipe === "number") result.pipes.add(label.pipe);
    else if (label.net !== null && label.net !== undefined) {
      (launch.pipes ?? []).forEach((pipe, pipeIndex) => { if (pipe.net === label.net) result.pipes.add(pipeIndex); });
    }
  });
}

/** What belongs to the slices of labels: also their nodes, resources and advice. */
function withLabels(run: Run, result: Related, labels: Uint8Array): Related {
  const { launch } = run;
  const nodes = result.nodes.size === 0;
  const exactLines = new Set(result.lines);
  addLabels(run, result, labels);
  result.labels = labels;
  (launch.pipes ?? []).forEach((pipe, index) => {
    if (pipe.file !== null && pipe.line !== null && exactLines.has(lineKey(pipe.file, pipe.line))) result.pipes.add(index);
  });
  (launch.buffer_names ?? []).forEach((name, index) => {
    if (name.file !== null && name.line !== null && exactLines.has(lineKey(name.file, name.line))) result.buffers.add(index);
  });
  for (let i = 0; i < run.path.count; i++) {
    const label = run.path.label[i]!;
    if (label >= 0 && labels[label] === 1) {
      const resource = launch.path?.resources[run.path.resource[i]!];
      if (resource !== undefined) result.resources.add(resource);
    }
  }
  (launch.profile?.advice ?? []).forEach((advice, index) => {
    const about = advice.lines.some((place) => {
      const file = fileOf(launch, place.file);
      return file !== null && result.lines.has(lineKey(file, place.line));
    });
    if (about) result.advice.add(index);
  });
  if (nodes) cyclesByNode(run, labels).forEach((cycles, node) => { if (cycles > 0) result.nodes.add(node); });
  return result;
}

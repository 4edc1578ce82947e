/** Reports made up for tests and benchmarks: the shape of a multicast matrix multiplication, of any size, always the same. */
import { deflateRawSync } from "node:zlib";
import type { Column, DesignedStream, Label, Launch, Report } from "../src/data/model";

export interface SampleOptions {
  columns?: number;
  rows?: number;
  /** Slices of every processor. */
  slices?: number;
  /** What every name is made of, for tests with hostile names. */
  name?: string;
  target?: "emu" | "sim";
  packed?: boolean;
  /** Whether it was designed for a tile program. */
  designed?: boolean;
  /** Whether a card measured it, too. */
  measured?: boolean;
}

/** Packs numbers as the Python side does: differences or values, zigzag, LEB128, deflate, base64. */
export function pack(values: ArrayLike<number>, differences: boolean): Column {
  const bytes: number[] = [];
  let before = 0;
  for (let i = 0; i < values.length; i++) {
    const signed = differences ? values[i]! - before : values[i]!;
    before = values[i]!;
    let value = signed >= 0 ? signed * 2 : -signed * 2 - 1;
    while (value >= 128) {
      bytes.push((value % 128) | 128);
      value = Math.floor(value / 128);
    }
    bytes.push(value);
  }
  return { z: deflateRawSync(Uint8Array.from(bytes)).toString("base64"), n: values.length, d: differences ? 1 : 0 };
}

function random(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

export const PROGRAM = `import ttl
import ttnn


@ttl.operation(grid=(8, 8))
def matmul(a, b, y):
    a_net = ttl.PipeNet([ttl.Pipe(src=(0, y), dst=(slice(1, 8), y)) for y in range(8)])
    a_dfb = ttl.make_dataflow_buffer_like(a, shape=(2, 4))
    b_dfb = ttl.make_dataflow_buffer_like(b, shape=(4, 2))
    y_dfb = ttl.make_dataflow_buffer_like(y, shape=(2, 2))

    @ttl.datamovement()
    def read_a():
        with a_dfb.reserve() as a_blk:
            xf = ttl.copy(a[0:2, 0:4], a_blk)
            xf.wait()
            ttl.copy(a_blk, pipe).wait()

    @ttl.compute()
    def compute():
        with a_dfb.wait() as a_blk, b_dfb.wait() as b_blk:
            total += a_blk @ b_blk
        y_blk.store(total)

    @ttl.datamovement()
    def read_b_and_write():
        with b_dfb.reserve() as b_blk:
            ttl.copy(b[0:4, 0:2], b_blk).wait()
        with y_dfb.wait() as y_blk:
            ttl.copy(y_blk, y[0:2, 0:2]).wait()
`;

const ROLES = ["brisc", "ncrisc", "unpack", "math", "pack"];
/** By role: the labels of its work and of its waiting. */
const LABELS_OF: Record<string, [number, number]> = { brisc: [4, 5], ncrisc: [0, 1], unpack: [6, 7], math: [2, 3], pack: [8, 9] };

/** One launch. */
export function sampleLaunch(options: SampleOptions = {}): Launch {
  const { columns = 8, rows = 8, slices: perTrack = 200, name = "", target = "emu", packed = true } = options;
  const named = (text: string): string => (name === "" ? text : `${name}${text}`);
  const next = random(18);
  const column = (values: ArrayLike<number>, differences: boolean): Column => (packed ? pack(values, differences) : { i: Array.from(values) });
  const nodes = Array.from({ length: columns * rows }, (_, node) => ({ column: node % columns, row: Math.floor(node / columns) }));
  const label = (text: string, kind: "busy" | "wait", waits_for: string | null, line: number, kernel: number, buffer: number | null, net: number | null = null): Label =>
    ({ text: named(text), kind, waits_for, file: 0, line, kernel, kernel_line: null, buffer, net });
  const labels: Label[] = [
    label("ttl.copy(a[0:2, 0:4], a_blk)", "busy", null, 15, 0, 0),
    label("waits for DRAM", "wait", "DRAM", 16, 0, 0),
    label("total += a_blk @ b_blk", "busy", null, 22, 1, null),
    label("waits for unpack", "wait", "unpack", 22, 1, null),
    label("ttl.copy(b[0:4, 0:2], b_blk)", "busy", null, 28, 2, 1),
    label("waits for the pipe a_net", "wait", "message", 17, 2, 0, 0),
    label("a_dfb.wait()", "busy", null, 21, 1, 0),
    label("waits for data in a_dfb", "wait", "data", 21, 1, 0),
    label("y_blk.store(total)", "busy", null, 23, 1, 2),
    label("waits for math", "wait", "math", 23, 1, 2),
  ];
  const tracks: Launch["tracks"] = [];
  const gap: number[] = [];
  const length: number[] = [];
  const ofSlice: number[] = [];
  const cause: number[] = [];
  let longest = 1;
  const transfers: number[][] = [];
  nodes.forEach((_, node) => {
    for (const role of ROLES) {
      const first = length.length;
      let time = 0;
      const slow = 1 + ((node * 7) % 5) / 10;
      for (let i = 0; i < perTrack; i++) {
        const waits = i % 2 === 1;
        const before = i === 0 ? 40 + Math.floor(next() * 60) : next() < 0.1 ? Math.floor(next() * 20) : 0;
        const cycles = Math.max(1, Math.floor((waits ? 40 + next() * 160 : 20 + next() * 60) * slow));
        gap.push(before);
        length.push(cycles);
        ofSlice.push(LABELS_OF[role]![waits ? 1 : 0]);
        // What ended a wait: the previous processor's slice of the same turn.
        cause.push(waits && tracks.length % 5 !== 0 ? tracks.at(-1)!.first + i - 1 : -1);
        time += before + cycles;
        if ((role === "brisc" || role === "ncrisc") && !waits) transfers.push([time, Math.floor(100 + next() * 200), node, role === "brisc" ? 1 : 0, i]);
      }
      tracks.push({ node, role, kernel: role === "brisc" ? 2 : role === "ncrisc" ? 0 : 1, first, count: perTrack });
      longest = Math.max(longest, time);
    }
  });
  longest += 400;
  // Of all processors of a node together, as in a real report. Labels alternate: work, wait.
  const timeOf = (node: number, odd: 0 | 1): number => tracks.filter((track) => track.node === node).reduce((sum, { first, count }) => sum + length.slice(first, first + count).filter((_, at) => at % 2 === odd).reduce((all, cycles) => all + cycles, 0), 0);
  const cells: Launch["chip"]["cells"] = [];
  const banks: number[] = [];
  for (let y = 0; y < rows + 2; y++) {
    for (let x = 0; x < columns + 2; x++) {
      const dram = x === 0 || x === Math.floor(columns / 2) + 1;
      const worker = !dram && y > 0 && y !== Math.floor(rows / 2) + 1;
      const row = y > Math.floor(rows / 2) + 1 ? y - 2 : y - 1;
      const at = x > Math.floor(columns / 2) + 1 ? x - 2 : x - 1;
      const bank = dram && y % 2 === 0 ? banks.length : null;
      if (bank !== null) banks.push(cells.length);
      cells.push({ x, y, kind: worker ? "worker" : dram ? (bank === null ? "other" : "dram") : "ethernet", node: worker && at < columns && row < rows ? row * columns + at : null, bank });
    }
  }
  const ends: NonNullable<Launch["ends"]> = [
    ...nodes.map(({ column: x, row: y }, node) => ({ text: `node (${x}, ${y})`, cell: cells.findIndex((cell) => cell.node === node), node, bank: null })),
    ...banks.map((cell, bank) => ({ text: `DRAM bank ${bank}`, cell, node: null, bank })),
  ];
  const bankEnd = (i: number): number => nodes.length + (i % Math.max(1, banks.length));
  const share = (cycles: number): number => cycles / longest;
  const bufferNames = ["a_dfb", "b_dfb", "y_dfb"].map((text, index) => ({ text: named(text), file: 0, line: 8 + index, blocks: 2, block_pages: 1, block_bytes: 16384, made_by: "user" }));
  const buffers: NonNullable<Launch["buffers"]> = [];
  const times: number[] = [];
  const fills: number[] = [];
  nodes.forEach((_, node) => {
    for (let buffer = 0; buffer < 3; buffer++) {
      const first = times.length;
      let time = 0;
      let fill = 0;
      const steps = Math.min(perTrack, 2000);
      for (let i = 0; i < steps; i++) {
        times.push(time);
        fills.push(fill);
        time += Math.floor(1 + (next() * 2 * longest) / steps / 1.1);
        if (time >= longest) break;
        fill = fill === 0 ? 1 : fill === 2 ? 1 : next() < 0.5 ? 0 : 2;
      }
      buffers.push({ name: buffer, node, first, count: times.length - first });
    }
  });
  const pathLength: number[] = [];
  const pathSlice: number[] = [];
  const pathResource: number[] = [];
  const pathLabel: number[] = [];
  const resources = ["NoC", "DRAM", "data movement", "math", "launch"];
  const critical = tracks.filter((track) => track.node === nodes.length - 1);
  for (let time = 0, turn = 0; time < longest; turn++) {
    const until = Math.min(longest, time + 60 + Math.floor(next() * 300));
    const track = critical[turn % critical.length]!;
    pathLength.push(until - time);
    pathSlice.push(time === 0 ? -1 : track.first + Math.min(perTrack - 1, turn));
    pathResource.push(time === 0 ? 4 : turn % 4);
    pathLabel.push(time === 0 ? -1 : ofSlice[track.first + Math.min(perTrack - 1, turn)]!);
    time = until;
  }
  const path: Record<string, number> = { NoC: Math.floor(longest * 0.6), DRAM: Math.floor(longest * 0.2), "data movement": Math.floor(longest * 0.1), math: Math.floor(longest * 0.08), launch: Math.floor(longest * 0.02) };
  const file = name === "" ? "examples/matmul_multicast.py" : `${name}matmul.py`;
  const busy = target === "emu";
  const launch: Launch = {
    name: named("matmul"), number: 1, target, unit: busy ? "cycles" : "steps", length: longest,
    chip: { name: "wormhole", clock_hz: 1e9, columns: columns + 2, rows: rows + 2, cells },
    headline: busy ? `Change first, at matmul_multicast.py:13: ${named("define read_b_and_write before read_a: of two kernels that read, the first has NoC 0")}; saves about 900 of ${longest.toLocaleString("en-US")} cycles` : "",
    verdict: `${named("matmul")}: ${longest.toLocaleString("en-US")} ${busy ? "cycles" : "steps"} on ${nodes.length} nodes of wormhole${busy ? ", bound by NoC" : ""}`,
    first: busy ? { sentence: named("read_a reads over NoC 0 and read_b_and_write over NoC 1; the other way round their transfers get in each other's way less"), change: named("define read_b_and_write before read_a: of two kernels that read, the first has NoC 0"), lines: [[0, 13]], cycles: 900 } : null,
    profile: busy ? {
      name: named("matmul"), launch: 1, grid: [columns, rows], nodes: nodes.length, cycles: longest, bound_by: "NoC", path,
      arguments: [{ name: named("a"), shape: [512, 512], dtype: "bfloat16", layout: "tile", memory: "dram" }], constants: { K_BLOCK: 4 },
      processors: ROLES.map((role) => ({ role, busy: longest * 0.2, most_busy: longest * 0.3, waits: longest * 0.6 })),
      roof: { resource: "DRAM", cycles: Math.floor(longest / 4), because: "1.6 MB at 288 GB/s", share: 0.25 },
      dram_bytes: 1572864, dram_unique_bytes: 1572864, busiest_bank: 0.29, busiest_link: 0.73,
      advice: [
        { name: "unbalanced-nocs", sentence: named("read_a reads over NoC 0 and read_b_and_write over NoC 1; the other way round their transfers get in each other's way less"), change: named("define read_b_and_write before read_a"), lines: [{ file, line: 13, kernel: "read_a" }, { file, line: 26, kernel: "read_b_and_write" }], cycles: Math.floor(longest / 20), basis: "emulated", how: "when that is done", l1_bytes: 0, results: "", wrong: false },
        { name: "more-blocks", sentence: named("a_dfb has room for 2 blocks, and its producer waits for room"), change: named("give a_dfb 3 blocks"), lines: [{ file, line: 8 }], cycles: Math.floor(longest / 50), basis: "estimated", how: "a third of the waits", l1_bytes: 16384, results: "", wrong: false },
      ],
      claim: "Cycles are estimates.",
    } : null,
    stats: null,
    nodes: nodes.map(({ column: x, row: y }, node) => ({
      node: [x, y], x: cells.find((cell) => cell.node === node)?.x ?? 0, y: cells.find((cell) => cell.node === node)?.y ?? 0,
      busy: timeOf(node, 0), waits: timeOf(node, 1),
      dram_read: x === 0 || y === 0 ? 65536 : 0, dram_written: 8192, noc_in: 65536 + x * 5000, noc_out: y * 9000,
    })),
    labels, tracks,
    slices: { gap: column(gap, false), length: column(length, false), label: column(ofSlice, false), cause: column(cause, true) },
    transfers: {
      begin: column(transfers.map((row) => row[0]!), true), length: column(transfers.map((row) => row[1]!), false), node: column(transfers.map((row) => row[2]!), true),
      source: column(transfers.map((row) => bankEnd(row[4]!)), false), destination: column(transfers.map((row) => row[2]!), false), bytes: column(transfers.map(() => 16384), true),
      count: column(transfers.map(() => 8), true), receivers: column(transfers.map(() => 1), true), noc: column(transfers.map((row) => row[3]!), false), lane: column(transfers.map((row) => (row[4]! / 2) % 2), false),
      label: column(transfers.map((row) => (row[3] === 0 ? 0 : 4)), false), kind: column(transfers.map(() => 0), false),
    },
    transfer_kinds: ["read", "write", "multicast", "word", "increment"],
    ends,
    links: cells.filter((cell) => cell.kind === "worker").flatMap((cell) => [
      { noc: 0, x: cell.x, y: cell.y, along: "row" as const, busy: Math.floor(longest * (cell.y / 20)), bytes: 30 * Math.floor(longest * (cell.y / 20)), share: share(longest * (cell.y / 20)) },
      { noc: 1, x: cell.x, y: cell.y, along: "column" as const, busy: Math.floor(longest * (cell.x / 14)), bytes: 30 * Math.floor(longest * (cell.x / 14)), share: share(longest * (cell.x / 14)) },
    ]),
    buffers, fills: { time: column(times, true), fill: column(fills, false) }, buffer_names: bufferNames,
    pipes: Array.from({ length: rows }, (_, row) => ({
      net: 0, name: named("a_net"), source: row * columns, destinations: Array.from({ length: columns - 1 }, (_unused, x) => row * columns + x + 1), bytes: 262144, transfers: 16, file: 0, line: 7,
    })),
    sources: [{
      file, text: name === "" ? PROGRAM : PROGRAM.replaceAll("a_dfb", `${name}a_dfb`),
      lines: [15, 16, 17, 21, 22, 23, 28].map((line, index) => ({ line, cycles: Math.floor((longest * [2, 40, 8, 3, 20, 7, 10][index]!) / 100), share: [2, 40, 8, 3, 20, 7, 10][index]! / 100, busy: { math: 1000 * (index + 1) }, waits: { math: 2000 } })),
    }],
    kernels: [
      { name: named("read_a"), roles: ["ncrisc"], microcores: [], file: "read_a.cpp", text: `#include "dataflow_api.h"\n\nvoid kernel_main() {\n  // ${named("matmul.py")}:15\n  noc_async_read(a, b, c);\n  noc_async_read_barrier();\n}\n`, lines: [[5, 0, 15], [6, 0, 16]] },
      { name: named("compute"), roles: ["unpack", "math", "pack"], microcores: [], file: "compute.cpp", text: "void MAIN {\n  cb_wait_front(0, 8);\n  matmul_tiles(0, 1, 0, 0, 0);\n  pack_tile(0, 2);\n}\n", lines: [[2, 0, 21], [3, 0, 22], [4, 0, 23]] },
      { name: named("read_b_and_write"), roles: ["brisc"], microcores: [], file: "read_b_and_write.cpp", text: "void kernel_main() {\n  noc_async_read(b, c, d);\n}\n", lines: [[2, 0, 28]] },
    ],
    decisions: [{ file, line: 22, text: "total += a_blk @ b_blk", remarks: [named("the sum stays in the registers over the loop: 4 tiles of 4")] }],
    roof: {
      unit: "cycles of math", points: [{ name: named("matmul"), x: 0.197, y: 14.6 }],
      ceilings: [{ name: "math", kind: "compute", per_cycle: 64 }, { name: "DRAM", kind: "bandwidth", per_cycle: 288 }], bound_by: "DRAM", attained: 0.258, text: "310,208 cycles of math for 1,572,864 bytes",
    },
    path: { length: column(pathLength, false), at: column(pathSlice, true), resource: column(pathResource, false), label: column(pathLabel, false), resources },
  };
  if (options.designed) {
    const stream = (buffer: string, direction: "in" | "out", kernel: string, multicast: string, group: [number, number], line: number): DesignedStream => ({
      buffer: named(buffer), tensor: named(buffer.replace("_dfb", "")), direction, kernel, multicast: multicast && named(multicast), group,
      movers: nodes.flatMap(({ column: x, row: y }, node) => (x % group[0] === 0 && y % group[1] === 0 ? [node] : [])),
      block: [2, 4], blocks: 2, bytes: 32768, turns: 4, reasons: [named("4 blocks for a node, the next one comes while this one is used")], file: 0, line, cycles: busy ? Math.floor(longest / 50) : 0,
    });
    launch.design = {
      grid: [columns, rows], sentence: named(`${columns * rows} nodes, about 9,000 cycles, most of them data movement`), estimate: 9000, limited_by: "data movement", loops: [named("m: 8 nodes, 1 block of 2 tiles")],
      streams: [stream("a_dfb", "in", "read", "along rows", [columns, 1], 15), stream("b_dfb", "in", "write", "along columns", [1, rows], 28), stream("bias_dfb", "in", "read", "to all", [columns, rows], 28), stream("y_dfb", "out", "write", "", [1, 1], 30)], source: named("@ttl.operation(grid=(8, 8))\ndef matmul(a, b, y):\n"),
    };
  }
  if (options.measured) {
    launch.measured = [
      { what: named("matmul, first begin to last end"), estimated: 9000, emulated: 20000, measured: 25000, error: -0.2, file: null, line: null },
      { what: named("kernels on pack"), estimated: 700, emulated: 900, measured: null, error: null, file: null, line: null },
      { what: named("fetch on ncrisc, matmul_multicast.py:16"), estimated: 100, emulated: 480, measured: 400, error: 0.2, file: 0, line: 16 },
    ];
  }
  if (!busy) return { ...launch, transfers: null, links: [], roof: null, path: null, decisions: [] };
  return launch;
}

/** A launch over three chips, two nodes on each, of a system of two rows of three, the rows rings. */
export function sampleMesh(): Launch {
  const launch = sampleLaunch({ columns: 6, rows: 1, slices: 6 });
  const chips = [0, 0, 1, 1, 4, 4];
  const nodes = launch.nodes.map((node, index) => ({ ...node, node: [0, Math.floor(index / 2), index % 2, 0], x: 1 + (index % 2), y: 1 }));
  const pairs: [number, number][] = [[0, 1], [1, 2], [0, 2], [3, 4], [4, 5], [3, 5], [0, 3], [1, 4], [2, 5]];
  const links = pairs.flatMap(([a, b], at) => [[a, b], [b, a]].map(([source, target]) => ({ source: source!, target: target!, ports: 2, bytes: at * 1000, busy: at * 10, share: at / 9 })));
  return { ...launch, nodes, mesh: { title: "six chips", topology: "torus", rows: 2, columns: 3, names: ["chip (0, 0)", "chip (0, 1)", "", "", "chip (0, 2)", ""], chips, links, bisection_bytes_per_second: 75e9 } };
}

/** A call on three chips of that system, on each by itself, of which the third has no launch; and a later one. */
export function sampleDevices(): Report {
  const { mesh } = sampleMesh();
  const launches = [0, 1].map((chip) => {
    const launch = sampleLaunch({ columns: 2, rows: 1, slices: 6 + 4 * chip });
    return { ...launch, mesh: { ...mesh!, chips: launch.nodes.map(() => chip), links: mesh!.links.map((link) => ({ ...link, bytes: 0, busy: 0, share: 0 })) } };
  });
  return { ...sampleReport(), launches: [...launches, { ...launches[0]!, number: 2 }] };
}

export function sampleReport(options: SampleOptions = {}): Report {
  return { schema: 1, kind: "report", title: `${options.name ?? ""}matmul_multicast.py`, command: "ttl run --target emu --report out.html matmul_multicast.py", launches: [sampleLaunch(options), { ...sampleLaunch({ ...options, slices: 20 }), number: 2 }], findings: [] };
}

/** The page as Python writes it. */
export function pageOf(report: unknown, script: string, style: string): string {
  const json = JSON.stringify(report).replaceAll("<", "\\u003c");
  const policy = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:";
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="${policy}"><title>report</title><style>${style}</style></head><body><script type="application/json" id="report">${json}</script><script>${script}</script></body></html>`;
}

/** Small things that views compute. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { Store, lookTogether } from "../src/data/store";
import { awaitedBy, lastFills, standing } from "../src/data/stuck";
import { missing } from "../src/views/timeline/overlay";
import { ordered } from "../src/views/timeline/rows";
import { traffic } from "../src/data/traffic";
import { levels } from "../src/data/levels";
import { matched, ratio } from "../src/data/pairing";
import type { Pair } from "../src/data/model";
import { busyByNode } from "../src/data/nodes";
import { unpackedRun } from "../src/data/run";
import { bytes, counted, microseconds, percent, short } from "../src/format";
import { cellsOfChip, launchesByChip, linkLines, meanByChip } from "../src/data/chips";
import { insideStrings } from "../src/views/code";
import { blocksOf, reached } from "../src/views/design";
import { deviation } from "../src/views/measured";
import { sampleDevices, sampleLaunch, sampleMesh, sampleReport } from "./sample";

test("numbers as people read them", () => {
  assert.deepEqual([counted(1, "cycles"), counted(21180, "cycles"), percent(0.004), percent(0.37), bytes(999), bytes(1_572_864), short(12_340), microseconds(21_180, 1e9), microseconds(2_500_000, 1e9)], ["1 cycle", "21,180 cycles", "0.4 %", "37 %", "999 B", "1.6 MB", "12.34k", "21.2 µs", "2,500.0 µs"]);
});

test("how far the emulated chip is from a card", () => {
  const row = { what: "kernels on math", estimated: 1, emulated: 2, measured: 3, file: null, line: null };
  assert.deepEqual([0.124, -0.3, 0, null].map((error) => deviation({ ...row, error })), ["+12 %", "−30 %", "+0 %", ""]);
});

test("how full a buffer is, over the whole run", () => {
  const fill = { index: 0, name: 0, node: 0, time: Float64Array.from([0, 25, 75]), fill: Float64Array.from([0, 2, 1]) };
  assert.deepEqual(levels([fill], 2, 100), { empty: 0.25, full: 0.5, mean: 0.625 });
});

test("traffic: every byte is in some bin, and DRAM's over its NoC, too", async () => {
  const run = await unpackedRun(sampleLaunch({ columns: 2, rows: 2, slices: 30 }));
  const { series, time } = traffic(run, 0, run.length, 50);
  assert.deepEqual(series.map(({ name }) => name), ["from DRAM", "NoC 0", "NoC 1"]);
  const all = run.transfers.bytes.reduce((sum, bytes) => sum + bytes, 0);
  const step = run.length / 50;
  for (const names of [["from DRAM"], ["NoC 0", "NoC 1"]]) {
    const sum = series.filter(({ name }) => names.includes(name)).reduce((total, { rate }) => total + rate.reduce((part, value) => part + value * step, 0), 0);
    assert.ok(Math.abs(sum - all) / all < 1e-9);
  }
  assert.ok(time[0]! > 0 && time[49]! < run.length);
});

test("lines inside strings of three quotes", () => {
  assert.deepEqual(insideStrings(['"""It\'s', "a # 'text", '"""', "x = '\"\"\"'  # \"\"\"", "y"]), [null, '"""', '"""', null, null]);
});

test("launches of two runs: by their difference, else by name", () => {
  const pair = (diff: Pair["diff"]): Pair => ({ schema: 1, kind: "reports", before: sampleReport({ columns: 1, rows: 1, slices: 4 }), after: sampleReport({ columns: 1, rows: 1, slices: 4 }), diff });
  assert.deepEqual(matched(pair(null)).map(({ before, after }) => [before, after]), [[0, 0], [1, 1]]);
  const side = (number: number) => ({ launches: [number], constants: {}, chip: "wormhole", cycles: 1, path: {}, bound_by: "" });
  const diff = { launches: [{ name: "matmul", speedup: 1, before: side(2), after: side(1), lines: [] }], only_before: [], only_after: [] };
  assert.deepEqual(matched(pair(diff)).map(({ before, after }) => [before, after]), [[1, 0]]);
  assert.deepEqual([ratio(100, 50), ratio(50, 100), ratio(7, 7)], ["2.00 times as fast", "2.00 times as slow", "as fast as before"]);
});

test("columns that contradict each other are an error with the table's name", async () => {
  const launch = sampleLaunch({ columns: 1, rows: 1, slices: 4, packed: false });
  await assert.rejects(unpackedRun({ ...launch, slices: { ...launch.slices, label: { i: [1] } } }), /a column of slices has 1 rows instead of 20/);
  await assert.rejects(unpackedRun({ ...launch, tracks: [{ node: 0, role: "math", first: 18, count: 4 }] }), /track 0 has slices to 22 of 20/);
});

test("a launch of the simulator has no transfers and no path", async () => {
  const run = await unpackedRun(sampleLaunch({ columns: 2, rows: 1, slices: 6, target: "sim" }));
  assert.deepEqual([run.transfers.count, run.path.count, run.nocs(0).length], [0, 0, 0]);
});

test("who stands where when a launch has failed, who should have ended that, and how full the buffers are", async () => {
  const launch = sampleLaunch({ columns: 2, rows: 1, slices: 6, packed: false });
  const whole = await unpackedRun(launch);
  assert.deepEqual([standing(whole), awaitedBy(whole, 5), missing(whole, 5)], [[], [], []]);
  const last = whole.tracks.map((track) => track.first + track.count - 1);
  const label = { ...launch.labels[7]!, text: "waits for data in a_dfb, forever" };
  const waits = (track: number, awaited: number[]) => ({ track, state: "waits" as const, label: launch.labels.length, slice: last[track]!, needs: "1 page", awaited });
  const stands = [{ ...waits(3, []), state: "works" as const, slice: -1 }, waits(0, [2]), waits(5, [2, 7]), waits(2, [0])];
  const run = await unpackedRun({ ...launch, labels: [...launch.labels, label], findings: [{ code: "TTL0916" }], stands });
  const [stuck, other, ...others] = standing(run);
  assert.deepEqual([stuck?.slices, stuck?.nodes, stuck?.awaited, other?.state, others.length], [[last[0], last[5], last[2]], [0, 1, 0], [2, 7, 0], "works", 0]);
  assert.deepEqual(awaitedBy(run, last[5]!), [last[2], last[7]]);
  assert.deepEqual(missing(run, last[0]!).map(({ wait, by, depth }) => [wait, by, depth]), [[last[0], last[2], 0], [last[2], last[0], 1]]);
  assert.deepEqual(lastFills(run).flatMap(({ buffer, nodes }) => [buffer, ...nodes]).filter((value) => value !== 0), [1]);
  assert.deepEqual(ordered(run, "stuck"), [0, 1]);
});

test("two runs are looked at together, each in its own length", async () => {
  const [one, other] = await Promise.all([10, 40].map(async (slices) => new Store(await unpackedRun(sampleLaunch({ columns: 1, rows: 1, slices })), "light")));
  lookTogether(one!, other!);
  one!.look(one!.run.length / 4, one!.run.length / 2);
  const share = (store: Store, time: number) => Math.round((100 * time) / store.run.length);
  assert.deepEqual([share(other!, other!.begin), share(other!, other!.end)], [25, 50]);
  other!.look(0, other!.run.length);
  assert.deepEqual([one!.begin, one!.end], [0, one!.run.length]);
});

test("the plan of a tile program: what a buffer holds, and whom the nodes that read reach", () => {
  const { design } = sampleLaunch({ columns: 4, rows: 2, slices: 4, designed: true });
  assert.deepEqual(design!.streams.map(({ movers }) => movers), [[0, 4], [0, 1, 2, 3], [0], [0, 1, 2, 3, 4, 5, 6, 7]]);
  assert.equal(blocksOf(design!.streams[0]!), "2 x (2, 4) tiles, 4 blocks for a node");
  const grid = [4, 2] as const;
  const to = (group: [number, number], mover: number) => reached(grid, { group }, mover);
  assert.deepEqual([to([4, 1], 4), to([1, 2], 2), to([1, 1], 3)], [[[[0, 1], [3, 1]]], [[[2, 0], [2, 1]]], []]);
  assert.deepEqual([to([2, 1], 7), to([4, 2], 0).map(([, end]) => end)], [[[[2, 1], [3, 1]]], [[3, 0], [0, 1], [1, 1], [2, 1], [3, 1]]]);
});

test("nodes of one chip on its floor plan, or row by row where no chip has such a grid", () => {
  const launch = sampleMesh();
  const mesh = launch.mesh!;
  assert.deepEqual([mesh.chips, mesh.names[3]], [[0, 0, 1, 1, 4, 4], ""]);
  const on = (chip: number) => cellsOfChip(launch, mesh, chip).cells.filter((cell) => cell.node !== null).map((cell) => [cell.node, cell.x, cell.y]);
  assert.deepEqual([on(1), on(4), on(3)], [[[2, 1, 1], [3, 2, 1]], [[4, 1, 1], [5, 2, 1]], []]);
  const nowhere = { ...launch, nodes: launch.nodes.map((node) => ({ ...node, x: null, y: null })) };
  const plain = cellsOfChip(nowhere, mesh, 4);
  assert.deepEqual([plain.cells.map((cell) => [cell.node, cell.x, cell.y]), plain.columns, plain.rows], [[[4, 0, 0], [5, 1, 0]], 2, 1]);
});

test("what the nodes of a chip have in the mean, and nothing for a chip without nodes", () => {
  assert.deepEqual(meanByChip(sampleMesh().mesh!, [1, 3, 5, 7, 10, 20]), [2, 6, null, null, 15, null]);
});

test("launches of one call on several chips, and none beside one over all chips", () => {
  const { launches } = sampleDevices();
  const [first, second, later] = launches;
  assert.deepEqual([...launchesByChip(second!, launches)], [[0, first], [1, second]]);
  assert.deepEqual([...launchesByChip(later!, launches)], [[0, later]]);
  const over = sampleMesh();
  assert.deepEqual([launchesByChip(over, [over, over]).size, launchesByChip({ ...over, mesh: null }, [over]).size], [0, 0]);
  const { tracks, nodes } = first!;
  const busy = nodes.map((node, index) => node.busy / tracks.filter((track) => track.node === index).length);
  assert.deepEqual([...busyByNode(first!)], busy);
});

test("links: both ways side by side, a ring as stubs at the edges", () => {
  const mesh = sampleMesh().mesh!;
  const [there, back] = [linkLines(mesh, 0, 1, 60, 40), linkLines(mesh, 1, 0, 60, 40)];
  assert.deepEqual(there.map(({ x1, x2 }) => [x1, x2]), [[40, 60]]);
  assert.deepEqual(back.map(({ x1, x2 }) => [x1, x2]), [[60, 40]]);
  assert.ok(there[0]!.y1 < 20 && back[0]!.y1 > 20);
  assert.deepEqual(linkLines(mesh, 1, 4, 60, 40).map(({ y1, y2 }) => [y1, y2]), [[40, 60]]);
  // From chip 0 to chip 2, its neighbour around the row of three.
  assert.deepEqual(linkLines(mesh, 0, 2, 60, 40).map(({ x1, x2 }) => [x1, x2]), [[0, -20], [180, 160]]);
});

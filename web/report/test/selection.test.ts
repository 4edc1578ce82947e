/** One selection: what belongs to it, how it stands in the address, and what is not of this run. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { readFragment, writeFragment } from "../src/data/fragment";
import { type Metric, valuesByNode } from "../src/data/nodes";
import { unpackedRun } from "../src/data/run";
import { cyclesByNode, linesOfNode, parsed, related, type Selection, written } from "../src/data/selection";
import { Store } from "../src/data/store";
import { chain } from "../src/views/timeline/overlay";
import { ordered, rowAt, rowsOf } from "../src/views/timeline/rows";
import { sampleLaunch } from "./sample";

const run = await unpackedRun(sampleLaunch({ columns: 3, rows: 2, slices: 40 }));

const SELECTIONS: Selection[] = [
  { kind: "node", node: 4 }, { kind: "bank", bank: 0 }, { kind: "line", file: 0, line: 22 }, { kind: "buffer", buffer: 1 }, { kind: "pipe", pipe: 1 },
  { kind: "slice", slice: 57 }, { kind: "transfer", transfer: 3 }, { kind: "resource", resource: "data movement" }, { kind: "advice", advice: 1 },
];

for (const selection of SELECTIONS) {
  test(`a ${selection.kind} comes back from the address`, () => {
    const fragment = writeFragment({ select: written(selection), tab: "" });
    assert.deepEqual(parsed(readFragment(fragment)["select"]!, run), selection);
  });

  test(`a ${selection.kind} selects in the other views`, () => {
    const result = related(run, selection);
    const views = [result.nodes, result.lines, result.buffers, result.pipes, result.resources, result.advice, result.banks].filter((set) => set.size > 0);
    assert.ok(views.length >= 2, JSON.stringify([...result.nodes]));
    assert.ok(result.nodes.size > 0 && result.lines.size > 0);
  });
}

test("what an address names and this run does not have is no selection", () => {
  for (const text of ["", "node:999", "node:-1", "node:1e1", "buffer:3", "slice:999999", "resource:%", "resource:gold", "line:7:1", "line:0:x", "advice:9", "__proto__:1"]) assert.equal(parsed(text, run), null);
});

test("a line has the buffers, nodes and advice of its slices", () => {
  const result = related(run, { kind: "line", file: 0, line: 21 });
  assert.deepEqual([...result.buffers], [0]);
  assert.equal(result.nodes.size, 6);
  const advised = related(run, { kind: "line", file: 0, line: 13 });
  assert.deepEqual([...advised.advice], [0]);
});

test("cycles of a selection by node are those of its slices", () => {
  const { labels } = related(run, { kind: "line", file: 0, line: 22 });
  const math = run.tracks.filter((track) => track.role === "math");
  assert.deepEqual([...cyclesByNode(run, labels!)], math.map((track) => track.busyBefore[track.count]! + track.waitBefore[track.count]!));
});

for (const target of ["emu", "sim"] as const) {
  test(`no time of a node is longer than the run, whatever the map shows (${target})`, async () => {
    const one = await unpackedRun(sampleLaunch({ columns: 3, rows: 2, slices: 40, target }));
    const all = new Uint8Array(one.launch.labels.length).fill(1);
    for (const metric of ["busy", "waits", "path", "selected"] as Metric[]) {
      const values = [...valuesByNode(one, metric, all)];
      assert.ok(values.every((value) => value <= one.length), `${metric}: ${Math.max(...values)} of ${one.length}`);
      assert.ok(metric === "path" || Math.max(...values) > one.length / 10, metric);
    }
    // All processors together are longer than the run: what the map must not show as its time.
    assert.ok(Math.max(...cyclesByNode(one, all)) > one.length);
  });
}

test("what is selected takes a node the time in which one of its processors is at it", async () => {
  const launch = sampleLaunch({ columns: 1, rows: 1, slices: 4, packed: false });
  const track = (role: string, first: number, count: number) => ({ node: 0, role, first, count });
  // [10, 20) and [40, 50); [15, 25), [25, 30) and, of another label, [30, 60)
  const slices = { gap: { i: [10, 20, 15, 0, 0] }, length: { i: [10, 10, 10, 5, 30] }, label: { i: [0, 0, 0, 0, 1] }, cause: { i: [-1, -1, -1, -1, -1] } };
  const one = await unpackedRun({ ...launch, slices, tracks: [track("math", 0, 2), track("pack", 2, 3)], length: 60 });
  const labels = (...which: number[]) => Uint8Array.from(launch.labels, (_, index) => (which.includes(index) ? 1 : 0));
  const time = (...which: number[]) => valuesByNode(one, "selected", labels(...which))[0];
  assert.deepEqual([time(0), time(1), time(0, 1), time(), time(2)], [30, 30, 50, 0, 0]);
});

test("lines of a node: of the processor with most", () => {
  const lines = linesOfNode(run, 2);
  const math = run.tracksOfNode[2]!.find((track) => track.role === "math")!;
  assert.deepEqual(lines.get("0:22"), { busy: math.busyBefore[math.count], waits: math.waitBefore[math.count] });
});

test("the causes of a wait, going back", () => {
  const math = run.tracks.find((track) => track.role === "math")!;
  const steps = chain(run, math.first + 5, 6);
  assert.equal(steps[0]!.wait, math.first + 5);
  assert.equal(steps[0]!.cause, run.slices.cause[math.first + 5]);
  assert.ok(steps.length >= 2);
  assert.equal(new Set(steps.map((step) => step.wait)).size, steps.length);
});

test("the store selects, clears, and keeps the view inside the run", () => {
  const store = new Store(run, "light");
  let told = 0;
  store.on("selection", () => told++);
  store.select({ kind: "node", node: 1 });
  store.select({ kind: "node", node: 1 });
  assert.equal(store.selection, null);
  assert.equal(told, 2);
  store.look(-500, run.length * 4);
  assert.deepEqual([store.begin, store.end], [0, run.length]);
  store.zoom(1e-9, 100);
  assert.ok(store.end - store.begin >= 8 && store.begin <= 100 && store.end >= 100);
  store.look(run.length - 10, run.length + 90);
  assert.equal(store.end, run.length);
});

test("rows: open nodes have processors, NoCs and buffers; every height has its row", () => {
  const { rows, height } = rowsOf(run, ordered(run, "path"), new Set([5]));
  assert.equal(rows[0]!.node, 5);
  assert.deepEqual(rows.slice(0, 11).map((row) => row.kind), ["node", "track", "track", "track", "track", "track", "noc", "noc", "buffer", "buffer", "buffer"]);
  for (const row of rows) {
    assert.equal(rowAt(rows, row.y), row);
    assert.equal(rowAt(rows, row.y + row.height - 0.5), row);
  }
  assert.equal(rowAt(rows, height + 5), undefined);
});

test("a pipe has the waits and copies of its own, where labels say which pipe they are about", async () => {
  const launch = sampleLaunch({ columns: 3, rows: 2, slices: 40 });
  const nets = launch.labels.map((label) => label.net);
  const marked = nets.findIndex((net) => net === launch.pipes![1]!.net);
  assert.ok(marked >= 0);
  const labels = launch.labels.map((label, index) => (index === marked ? { ...label, pipe: 0 } : label));
  const own = await unpackedRun({ ...launch, labels });
  assert.equal(related(own, { kind: "pipe", pipe: 0 }).labels![marked], 1);
  assert.equal(related(own, { kind: "pipe", pipe: 1 }).labels![marked], 0);
});

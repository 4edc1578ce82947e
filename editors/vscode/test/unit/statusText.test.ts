import assert from "node:assert/strict";
import { test } from "node:test";
import type { Status } from "../../src/protocol";
import { shown } from "../../src/statusText";

const STATUS: Status = { uri: "file:///a.py", state: "ready", chip: "wormhole", target: "sim", grid: [8, 8], errors: 1, warnings: 2, milliseconds: 41.6 };
const RUNNING = { state: "running", python: "/usr/bin/python3", version: "0.1.0" } as const;

test("chip and target, and what was found", () => {
  const { text, tooltip, alarm } = shown(RUNNING, STATUS);
  assert.equal(text, "$(circuit-board) wormhole · sim");
  assert.match(tooltip, /wormhole, grid 8x8, target sim/);
  assert.match(tooltip, /1 error, 2 warnings; checked in 42 ms/);
  assert.match(tooltip, /Python: \/usr\/bin\/python3/);
  assert.equal(alarm, false);
});

test("every state is told apart", () => {
  const texts = (["checking", "ready", "stale", "failed"] as const).map((state) => shown(RUNNING, { ...STATUS, state }).text);
  const servers = (["none", "starting", "stopped", "missing"] as const).map((state) => shown({ state }, undefined).text);
  assert.equal(new Set([...texts, ...servers]).size, 8);
  assert.equal(shown({ state: "missing", complaint: "no Python" }, undefined).tooltip, "no Python");
  assert.equal(shown(RUNNING, { ...STATUS, state: "failed" }).alarm, true);
});

test("a grid may be text, numbers or nothing", () => {
  assert.match(shown(RUNNING, { ...STATUS, grid: "4x4" }).tooltip, /grid 4x4/);
  assert.doesNotMatch(shown(RUNNING, { ...STATUS, grid: null }).tooltip, /grid/);
});

/** Level of detail: against the same by going through all slices. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { axisStep, density, extremes, sliceAt, tooMany, upperBound, visible } from "../src/data/lod";
import { type Run, unpackedRun } from "../src/data/run";
import { sampleLaunch } from "./sample";

const run: Run = await unpackedRun(sampleLaunch({ columns: 2, rows: 2, slices: 300 }));
const WINDOWS = [[0, run.length], [0, 1], [777.5, 1801.25], [run.length - 50, run.length], [run.length * 2, run.length * 3]] as const;

test("slices in view are those that touch it", () => {
  for (const track of run.tracks) {
    for (const [begin, end] of WINDOWS) {
      const expected = Array.from({ length: track.count }, (_, i) => i).filter((i) => run.slices.end[track.first + i]! > begin && run.slices.begin[track.first + i]! < end);
      const [from, to] = visible(track, run.slices, begin, end);
      assert.deepEqual(Array.from({ length: to - from }, (_, i) => from + i), expected);
    }
  }
});

test("density of a pixel is the time of its slices", () => {
  const busy = new Float32Array(37);
  const wait = new Float32Array(37);
  for (const track of run.tracks) {
    for (const [begin, end] of WINDOWS) {
      density(run, track, begin, end, busy, wait);
      const step = (end - begin) / busy.length;
      for (let pixel = 0; pixel < busy.length; pixel++) {
        const sums = [0, 0];
        for (let i = track.first; i < track.first + track.count; i++) {
          const overlap = Math.min(run.slices.end[i]!, begin + (pixel + 1) * step) - Math.max(run.slices.begin[i]!, begin + pixel * step);
          if (overlap > 0) sums[run.waiting[run.slices.label[i]!]!]! += overlap / step;
        }
        assert.ok(Math.abs(busy[pixel]! - sums[0]!) < 1e-4 && Math.abs(wait[pixel]! - sums[1]!) < 1e-4);
      }
    }
  }
});

test("the slice at a time, or none in a gap", () => {
  const track = run.tracks[3]!;
  for (let i = 0; i < track.count; i++) assert.equal(sliceAt(track, run.slices, run.slices.begin[track.first + i]!), i);
  assert.equal(sliceAt(track, run.slices, 0), -1);
  assert.equal(sliceAt(track, run.slices, run.length * 2), -1);
});

test("most and least in a buffer, pixel by pixel", () => {
  const fill = { index: 0, name: 0, node: 0, time: Float64Array.from([10, 20, 21, 50]), fill: Float64Array.from([1, 2, 1, 0]) };
  const least = new Float32Array(6);
  const most = new Float32Array(6);
  extremes(fill, 0, 60, least, most);
  assert.deepEqual([...least], [0, 0, 1, 1, 1, 0]);
  assert.deepEqual([...most], [0, 1, 2, 1, 1, 1]);
});

test("bisection at both ends, and when slices are too many", () => {
  const values = Float64Array.from([1, 2, 2, 5]);
  assert.deepEqual([0, 1, 2, 5].map((value) => upperBound(values, 0, 4, value)), [0, 1, 3, 4]);
  assert.equal(tooMany(400, 1000), true);
  assert.equal(tooMany(300, 1000), false);
});

test("steps of an axis are 1, 2 or 5 times a power of ten", () => {
  assert.deepEqual([10, 1000, 21180, 77000].map((span) => axisStep(span, 800, 90)), [2, 200, 5000, 10000]);
});

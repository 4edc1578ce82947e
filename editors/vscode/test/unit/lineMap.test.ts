import assert from "node:assert/strict";
import { test } from "node:test";
import { best, LineMap, ranges } from "../../src/lineMap";

const READ = new LineMap([[3, "/a.py", 10], [4, "/a.py", 10], [7, "/a.py", 12], [9, "/b.py", 10]]);
const COMPUTE = new LineMap([[2, "/a.py", 20], [3, "/a.py", 10]]);

test("both ways, with lines from 0", () => {
  assert.deepEqual(READ.textLines("/a.py", 9), [2, 3]);
  assert.deepEqual(READ.textLines("/a.py", 10), []);
  assert.deepEqual(READ.sources(8), [{ file: "/b.py", line: 9 }]);
  assert.deepEqual(READ.sources(0), []);
  for (const line of [9, 11]) {
    for (const text of READ.textLines("/a.py", line)) assert.ok(READ.sources(text).some((place) => place.line === line && place.file === "/a.py"));
  }
});

test("names of files are compared as they are normalised", () => {
  const map = new LineMap([[1, "C:\\A.py", 1]], (file) => file.toLowerCase());
  assert.deepEqual(map.textLines("c:\\a.PY", 0), [0]);
});

test("the page in sight stays while it has something for the line", () => {
  assert.equal(best([READ, COMPUTE], 1, "/a.py", 9), 1);
  assert.equal(best([READ, COMPUTE], 0, "/a.py", 19), 1);
  assert.equal(best([READ, COMPUTE], 0, "/a.py", 50), undefined);
  assert.equal(best([], 0, "/a.py", 1), undefined);
});

test("consecutive lines are one range", () => {
  assert.deepEqual(ranges([5, 2, 3, 3, 9]), [[2, 3], [5, 5], [9, 9]]);
  assert.deepEqual(ranges([]), []);
});

/** Columns: what Python packs is what the page reads. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { unpacked, varints } from "../src/data/columns";
import { pack } from "./sample";

const VALUES = [0, 1, -1, 63, 64, -64, -65, 8191, 2 ** 31, -(2 ** 31) - 1, 2 ** 40 + 3, 2 ** 52 - 1, -(2 ** 52)];

for (const differences of [false, true]) {
  test(`numbers come back as they were, ${differences ? "as differences" : "as they are"}`, async () => {
    const values = differences ? VALUES.filter((value) => Math.abs(value) < 2 ** 50) : VALUES;
    assert.deepEqual([...(await unpacked(pack(values, differences)))], values);
  });
}

test("a plain column and an empty one", async () => {
  assert.deepEqual([...(await unpacked({ i: [3, -2] }))], [3, -2]);
  assert.equal((await unpacked(pack([], true))).length, 0);
});

test("a column that was cut off, or goes on, is an error", () => {
  assert.throws(() => varints(Uint8Array.from([2, 0x80]), 2, false), /2 numbers ends after 1/);
  assert.throws(() => varints(Uint8Array.from([2, 2, 2]), 2, false), /more than that/);
});

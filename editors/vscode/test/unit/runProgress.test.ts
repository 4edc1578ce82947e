import assert from "node:assert/strict";
import { test } from "node:test";
import { RunProgress } from "../../src/runProgress";

test("progress of a run that was asked for is its notification's", () => {
  const progress = new RunProgress();
  const messages: (string | undefined)[] = [];
  const ended = progress.show("ttl.run softmax.py", { report: ({ message }) => messages.push(message) });
  assert.equal(progress.hear("t", { kind: "begin", title: "ttl run: softmax.py" }), true);
  assert.equal(progress.hear("t", { kind: "report", message: "node (0, 0)" }), true);
  assert.equal(progress.hear("u", { kind: "begin", title: "ttl run: matmul.py" }), false);
  assert.equal(progress.hear("t", { kind: "end" }), true);
  assert.equal(progress.hear("t", { kind: "report", message: "late" }), false);
  ended();
  assert.equal(progress.hear("v", { kind: "begin", title: "ttl run: softmax.py" }), false);
  assert.deepEqual(messages, ["node (0, 0)"]);
});

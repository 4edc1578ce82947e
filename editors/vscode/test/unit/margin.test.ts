import assert from "node:assert/strict";
import { test } from "node:test";
import { type Change, explanation, heatLevel, moved, movedAll } from "../../src/margin";
import type { ProfileLine } from "../../src/protocol";

const LINE: ProfileLine = { line: 4, text: "1,266 cycles", cycles: 1266, share: 0.02, busy: 1266, waits: 0, heat: 0.02 };

test("heat has four levels and none", () => {
  assert.deepEqual([0, 0.01, 0.02, 0.25, 0.5, 0.75, 1, 7, Number.NaN].map(heatLevel), [0, 0, 1, 2, 3, 4, 4, 4, 0]);
});

/** The slow truth: a text whose lines have names, edited; where is the line now? */
function byText(line: number, change: Change, endCharacter: number): number | undefined {
  const names = Array.from({ length: 12 }, (_, index) => `line${index}`);
  const before = names.slice(0, change.startLine).join("\n") + (change.startLine > 0 ? "\n" : "") + (names[change.startLine] ?? "").slice(0, change.startCharacter);
  const after = (names[change.endLine] ?? "").slice(endCharacter) + "\n" + names.slice(change.endLine + 1).join("\n");
  const text = (before + "\n".repeat(change.newLines) + after).split("\n");
  const place = text.findIndex((value) => value.includes(`line${line}`) && !value.includes(`line${line}1`) && !value.includes(`line${line}0`));
  return place === -1 ? undefined : place;
}

test("lines move as the text does", () => {
  for (let startLine = 0; startLine < 8; startLine++) {
    for (let endLine = startLine; endLine < 9; endLine++) {
      for (const newLines of [0, 1, 3]) {
        const whole: Change = { startLine, startCharacter: 0, endLine, newLines };
        for (let line = 2; line < 9; line++) {
          assert.equal(moved(line, whole), byText(line, whole, 0), `line ${line}, whole lines ${JSON.stringify(whole)}`);
          const fromEnd: Change = { startLine, startCharacter: 5, endLine, newLines };
          assert.equal(moved(line, fromEnd), byText(line, fromEnd, 5), `line ${line}, from an end ${JSON.stringify(fromEnd)}`);
        }
      }
    }
  }
});

test("deleted lines lose their text, others keep it", () => {
  const lines = [LINE, { ...LINE, line: 5 }, { ...LINE, line: 9 }];
  const change = { startLine: 4, startCharacter: 0, endLine: 5, newLines: 0 };
  assert.deepEqual(movedAll(lines, change).map(({ line }) => line), [4, 8]);
});

test("a hover says what the numbers are", () => {
  assert.match(explanation(LINE, false), /^\*\*1,266 cycles\*\* of the critical path \(2\.0 %\)/);
  assert.doesNotMatch(explanation(LINE, false), /last change/);
  assert.match(explanation(LINE, true), /before the last change/);
});

/** Which lines of two texts belong together, both ways. Lines count from 0 here, as editors count them. */

import type { LineLink } from "./protocol";

export class LineMap {
  private readonly toText = new Map<string, number[]>();
  private readonly toSource = new Map<number, { file: string; line: number }[]>();

  constructor(links: readonly LineLink[], private readonly normalise: (file: string) => string = (file) => file) {
    for (const [textLine, file, sourceLine] of links) {
      const source = { file: normalise(file), line: sourceLine - 1 };
      append(this.toText, key(source.file, source.line), textLine - 1);
      append(this.toSource, textLine - 1, source);
    }
  }

  /** Lines of the text made from a line of the user's, in order; empty when none is. */
  textLines(file: string, line: number): readonly number[] {
    return this.toText.get(key(this.normalise(file), line)) ?? [];
  }

  /** Lines of the user's that a line of the text was made from. */
  sources(line: number): readonly { readonly file: string; readonly line: number }[] {
    return this.toSource.get(line) ?? [];
  }

  /** Whether anything of the text was made from lines of this file in a range, ends included. */
  touches(file: string, first: number, last: number): boolean {
    for (let line = first; line <= last; line++) if (this.textLines(file, line).length > 0) return true;
    return false;
  }
}

/** Consecutive lines as ranges, for decorations: [[first, last], ...]. */
export function ranges(lines: readonly number[]): [number, number][] {
  const joined: [number, number][] = [];
  for (const line of [...new Set(lines)].sort((a, b) => a - b)) {
    const last = joined.at(-1);
    if (last !== undefined && line === last[1] + 1) last[1] = line;
    else joined.push([line, line]);
  }
  return joined;
}

/** Of several texts, the one with the most lines made from this line, preferring the one shown now; undefined: none has any. */
export function best(maps: readonly LineMap[], shown: number, file: string, line: number): number | undefined {
  const counts = maps.map((map) => map.textLines(file, line).length);
  if ((counts[shown] ?? 0) > 0) return shown;
  const most = Math.max(0, ...counts);
  return most === 0 ? undefined : counts.indexOf(most);
}

function key(file: string, line: number): string {
  return `${line}:${file}`;
}

function append<K, V>(map: Map<K, V[]>, at: K, value: V): void {
  const values = map.get(at);
  if (values === undefined) map.set(at, [value]);
  else if (!values.includes(value)) values.push(value);
}

/** What the fix of a finding changes, as lines before and after. */
import type { Fix, SourceFile } from "./model";

export interface Change { file: number; line: number; before: string[]; after: string[] }

/** The lines that the edits of a fix change, by file and line; edits of files whose text is not known are left out. */
export function changesOf(fix: Fix, sources: readonly SourceFile[]): Change[] {
  const result: Change[] = [];
  const edits = [...fix.edits].sort((a, b) => a.file.localeCompare(b.file) || a.line - b.line || a.column - b.column);
  for (let at = 0; at < edits.length;) {
    const first = edits[at]!;
    const group = [first];
    let last = first.end_line;
    // Edits that share a line are one change.
    while (at + group.length < edits.length && edits[at + group.length]!.file === first.file && edits[at + group.length]!.line <= last) {
      group.push(edits[at + group.length]!);
      last = Math.max(last, group.at(-1)!.end_line);
    }
    at += group.length;
    const file = sources.findIndex((source) => source.file === first.file);
    if (file < 0) continue;
    const before = sources[file]!.text.split("\n").slice(first.line - 1, last);
    // Columns count characters, not the halves of those that JavaScript has two of.
    const lines = before.map((line) => Array.from(line));
    for (const edit of group.reverse()) {
      const [from, to] = [edit.line - first.line, edit.end_line - first.line];
      const text = [...(lines[from] ?? []).slice(0, edit.column - 1), ...Array.from(edit.replacement), ...(lines[to] ?? []).slice(edit.end_column - 1)];
      lines.splice(from, to - from + 1, text);
    }
    // An edit up to the beginning of a line leaves that line as it is.
    const after = lines.map((line) => line.join("")).join("\n").split("\n");
    result.push({ file, line: first.line, ...withoutCommonEnd(before, after) });
  }
  return result;
}

function withoutCommonEnd(before: string[], after: string[]): { before: string[]; after: string[] } {
  while (before.length > 0 && after.length > 0 && before.at(-1) === after.at(-1)) {
    before = before.slice(0, -1);
    after = after.slice(0, -1);
  }
  return { before, after };
}

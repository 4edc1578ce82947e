/** The profile in the margin, as data: which line shows what, and where lines go when the text is edited. */

import type { ProfileLine } from "./protocol";

export const HEATS = 4;

/** 0 (nothing worth a colour) to HEATS, of a share from 0 to 1. */
export function heatLevel(heat: number): number {
  if (!(heat > 0.01)) return 0;
  return Math.min(HEATS, 1 + Math.floor(Math.min(heat, 1) * HEATS));
}

/** A change of a text: these lines (from 0) were replaced by a text with so many line ends. */
export interface Change {
  readonly startLine: number;
  readonly startCharacter: number;
  readonly endLine: number;
  readonly newLines: number;
}

/**
 * Where a line is after a change; undefined when it was deleted.
 * A change that begins with the first character of a line replaces that line or pushes it down; elsewhere in it, the line stays.
 */
export function moved(line: number, change: Change): number | undefined {
  const delta = change.newLines - (change.endLine - change.startLine);
  if (line < change.startLine) return line;
  if (line > change.endLine) return line + delta;
  if (change.startCharacter === 0) return line === change.endLine ? line + delta : undefined;
  return line === change.startLine ? line : undefined;
}

export function movedAll(lines: readonly ProfileLine[], change: Change): ProfileLine[] {
  return lines.flatMap((entry) => {
    const line = moved(entry.line, change);
    return line === undefined ? [] : [{ ...entry, line }];
  });
}

/** What a hover over the end of a line says, as Markdown. */
export function explanation(entry: ProfileLine, stale: boolean): string {
  const number = (value: number): string => Math.round(value).toLocaleString("en-US");
  const rows = [
    `**${number(entry.cycles)} cycles** of the critical path (${(entry.share * 100).toFixed(1)} %)`,
    `busy ${number(entry.busy)} cycles on the processor that works on it most, waits ${number(entry.waits)}`,
  ];
  if (stale) rows.push("_of the text before the last change_");
  return rows.join("  \n");
}

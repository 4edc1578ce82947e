/** What the views of a run share: the selection, the stretch of time in view, the theme. */
import { type Related, related, type Selection, written } from "./selection";
import type { Run } from "./run";
import type { Theme } from "../palette";

type Change = "selection" | "time" | "theme" | "chip";

/** The shortest stretch of time that can be looked at, in cycles or steps. */
export const SHORTEST = 8;

export class Store {
  selection: Selection | null = null;
  related: Related | null = null;
  /** The stretch of time in view. */
  begin = 0;
  end: number;
  /** Which chip of the system the map shows, of a launch over several. */
  chip: number;
  private readonly listeners: { change: Change; call: () => void }[] = [];

  constructor(readonly run: Run, public theme: Theme) {
    this.end = Math.max(run.length, 1);
    this.chip = run.launch.mesh?.chips[0] ?? 0;
  }

  showChip(chip: number): void {
    if (chip === this.chip) return;
    this.chip = chip;
    this.emit("chip");
  }

  on(change: Change | Change[], call: () => void): void {
    for (const one of Array.isArray(change) ? change : [change]) this.listeners.push({ change: one, call });
  }

  /** Selects; the same again, or null, clears. */
  select(selection: Selection | null): void {
    const again = selection !== null && this.selection !== null && written(selection) === written(this.selection);
    this.selection = again ? null : selection;
    this.related = this.selection === null ? null : related(this.run, this.selection);
    this.emit("selection");
    if (this.selection?.kind === "node") this.showChip(this.run.launch.mesh?.chips[this.selection.node] ?? this.chip);
  }

  /** Looks at [begin, end), kept inside the run and not too short. */
  look(begin: number, end: number): void {
    const length = Math.max(this.run.length, 1);
    const span = Math.min(length, Math.max(SHORTEST, end - begin));
    const from = Math.max(0, Math.min(begin, length - span));
    if (from === this.begin && from + span === this.end) return;
    this.begin = from;
    this.end = from + span;
    this.emit("time");
  }

  /** Zooms by a factor (below 1: in) around a time. */
  zoom(factor: number, around: number): void {
    const span = Math.max(SHORTEST, (this.end - this.begin) * factor);
    const share = (around - this.begin) / (this.end - this.begin);
    this.look(around - share * span, around - share * span + span);
  }

  setTheme(theme: Theme): void {
    this.theme = theme;
    this.emit("theme");
  }

  private emit(change: Change): void {
    for (const listener of this.listeners) if (listener.change === change) listener.call();
  }
}

/** Two stores look at the same part of their runs from now on: the runs are as wide as each other, however long they are. */
export function lookTogether(one: Store, other: Store): void {
  let following = false;
  const follow = (from: Store, to: Store): void => from.on("time", () => {
    if (following) return;
    following = true;
    const scale = Math.max(to.run.length, 1) / Math.max(from.run.length, 1);
    to.look(from.begin * scale, from.end * scale);
    following = false;
  });
  follow(one, other);
  follow(other, one);
}

/** What the status bar says. */

import type { Status } from "./protocol";

export interface Shown {
  readonly text: string;
  readonly tooltip: string;
  readonly alarm: boolean;
}

export type ServerState = "none" | "starting" | "running" | "stopped" | "missing";

export interface ServerFacts {
  readonly state: ServerState;
  readonly python?: string;
  readonly version?: string;
  readonly complaint?: string;
}

export function shown(server: ServerFacts, status: Status | undefined): Shown {
  switch (server.state) {
    case "none":
      return { text: "$(circuit-board) ttl", tooltip: "TT-Lang: no file is open that imports ttl", alarm: false };
    case "missing":
      return { text: "$(warning) ttl", tooltip: server.complaint ?? "TT-Lang: no Python has the language server", alarm: true };
    case "stopped":
      return { text: "$(error) ttl", tooltip: "TT-Lang: the language server has stopped; the log says why", alarm: true };
    case "starting":
      return { text: "$(loading~spin) ttl", tooltip: "TT-Lang: the language server starts", alarm: false };
    case "running":
      break;
  }
  const lines = [`TT-Lang ${server.version ?? ""}`.trim()];
  if (server.python !== undefined) lines.push(`Python: ${server.python}`);
  if (status === undefined) return { text: "$(circuit-board) ttl", tooltip: lines.join("\n\n"), alarm: false };
  const symbol = { checking: "$(loading~spin)", ready: "$(circuit-board)", stale: "$(history)", failed: "$(error)" }[status.state];
  const grid = gridText(status.grid);
  lines.unshift(`${status.chip}${grid === "" ? "" : `, grid ${grid}`}, target ${status.target}`);
  lines.splice(1, 0, summary(status));
  return { text: `${symbol} ${status.chip} · ${status.target}`, tooltip: lines.join("\n\n"), alarm: status.state === "failed" };
}

function summary(status: Status): string {
  switch (status.state) {
    case "checking":
      return "being checked";
    case "failed":
      return "the check itself failed; the log says how";
    case "stale":
      return "not Python at the moment: findings of the last text that was are shown, marked stale";
    case "ready":
      return `${counted(status.errors, "error")}, ${counted(status.warnings, "warning")}; checked in ${Math.round(status.milliseconds)} ms`;
  }
}

function counted(count: number, word: string): string {
  return `${count} ${word}${count === 1 ? "" : "s"}`;
}

function gridText(grid: Status["grid"]): string {
  if (grid === null || grid === undefined) return "";
  return typeof grid === "string" ? grid : grid.join("x");
}

/** What the editor and `ttl lsp` say to each other beyond the language server protocol. */

/** Sent as `experimental` of the client's capabilities: who says this gets the notifications below. */
export const EXPERIMENTAL = { ttl: { profile: true, status: true } } as const;

export const STATUS = "ttl/status";
export const PROFILE = "ttl/profile";

export interface Status {
  readonly uri: string;
  readonly state: "checking" | "ready" | "stale" | "failed";
  readonly chip: string;
  readonly target: string;
  readonly grid: string | readonly number[] | null;
  readonly errors: number;
  readonly warnings: number;
  readonly milliseconds: number;
}

export interface ProfileLine {
  /** From 0. */
  readonly line: number;
  /** What stands at the end of the line. */
  readonly text: string;
  /** Cycles of the critical path, and their share of all, 0 to 1. */
  readonly cycles: number;
  readonly share: number;
  readonly busy: number;
  readonly waits: number;
  /** 0 to 1, for colours. */
  readonly heat: number;
}

export interface Profile {
  readonly uri: string;
  readonly version: number | null;
  readonly stale: boolean;
  readonly verdict: string;
  readonly launches: readonly unknown[];
  readonly lines: readonly ProfileLine[];
}

/** The argument of every command. */
export interface Target {
  readonly uri: string;
  readonly operation?: string;
}

export interface TaskResult {
  readonly status: "ok" | "failed" | "cancelled" | "limit";
  readonly exitCode: number | null;
  readonly seconds: number;
  readonly output: string;
  readonly diagnostics: readonly unknown[];
  /** Why it failed or was stopped, where the output does not say. */
  readonly reason?: string | null;
}

/** [line of the text beside, file of the user's, line there], lines from 1. */
export type LineLink = readonly [number, string, number];

export interface Kernel {
  readonly operation: string;
  readonly name: string;
  readonly file: string;
  readonly language: string;
  readonly text: string;
  readonly lines: readonly LineLink[];
}

export interface KernelsResult extends Partial<TaskResult> {
  readonly kernels?: readonly Kernel[];
}

export interface IrResult extends Partial<TaskResult> {
  readonly text?: string;
  readonly lines?: readonly LineLink[];
}

export interface ReportResult extends Partial<TaskResult> {
  readonly path?: string;
}

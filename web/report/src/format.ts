/** Numbers as people read them. */

const WHOLE = new Intl.NumberFormat("en-US", { maximumFractionDigits: 0 });

/** 12,345 */
export const whole = (value: number): string => WHOLE.format(Math.round(value));

/** 12,345 cycles; 1 step */
export function counted(value: number, unit: string): string {
  const rounded = Math.round(value);
  return `${whole(rounded)} ${rounded === 1 ? unit.replace(/s$/, "") : unit}`;
}

/** 37 %; 0.4 % below one. */
export function percent(share: number): string {
  const value = share * 100;
  if (value > 0 && value < 1) return `${value.toFixed(1)} %`;
  return `${Math.round(value)} %`;
}

/** 1.5 MB, 512 B: decimal, as bandwidths are. */
export function bytes(value: number): string {
  if (value < 1000) return `${whole(value)} B`;
  for (const unit of ["KB", "MB", "GB"]) {
    value /= 1000;
    if (value < 999.5 || unit === "GB") return `${value < 10 ? value.toFixed(1) : whole(value)} ${unit}`;
  }
  return "";
}

/** Cycles of a clock as time, in the one unit of reports: 12.3 µs, 1,234.5 µs */
export const microseconds = (cycles: number, hertz: number): string =>
  `${((cycles * 1e6) / hertz).toLocaleString("en-US", { minimumFractionDigits: 1, maximumFractionDigits: 1 })} µs`;

/** 12k, 1.2M: for axes. */
export function short(value: number): string {
  if (Math.abs(value) >= 1e6) return `${Number((value / 1e6).toFixed(3))}M`;
  if (Math.abs(value) >= 1e4) return `${Number((value / 1e3).toFixed(2))}k`;
  return WHOLE.format(value);
}

/** (3, 2) */
export const coordinates = (node: readonly number[]): string => `(${node.join(", ")})`;

/** The last part of a path. */
export const baseName = (path: string): string => path.split(/[\\/]/).at(-1) ?? path;

const ROLES: Record<string, string> = {
  brisc: "BRISC · data movement",
  ncrisc: "NCRISC · data movement",
  unpack: "TRISC 0 · unpack",
  math: "TRISC 1 · math",
  pack: "TRISC 2 · pack",
};

/** A processor with what it does; a kernel's name (in the simulator) stands for itself. */
export const roleName = (role: string): string => ROLES[role] ?? role;

const SHORT_ROLES: Record<string, string> = { brisc: "BRISC", ncrisc: "NCRISC", unpack: "unpack", math: "math", pack: "pack" };
/** Where a kernel runs: its microcores, or who runs it where those are not known. */
export const onMicrocores = (kernel: { roles: string[]; microcores: string[] }): string => (kernel.microcores.length > 0 ? kernel.microcores : kernel.roles.map((role) => SHORT_ROLES[role] ?? role)).join(", ");
export const shortRole = (role: string): string => SHORT_ROLES[role] ?? role;

/** Colours: after Okabe and Ito, told apart by people with any kind of colour vision, in a light and a dark version. */

export type Theme = "light" | "dark";

interface Shade { light: string; dark: string }

const SHADES: Record<string, Shade> = {
  math: { light: "#0072b2", dark: "#3d9be0" },
  compute: { light: "#0072b2", dark: "#3d9be0" },
  unpack: { light: "#009e73", dark: "#1fb88c" },
  pack: { light: "#b59a00", dark: "#e2d34a" },
  "data movement": { light: "#56a8dc", dark: "#7cc4ee" },
  DRAM: { light: "#e08a00", dark: "#eba23a" },
  NoC: { light: "#b95a90", dark: "#d98bb8" },
  links: { light: "#7a4fa3", dark: "#a98ad6" },
  synchronisation: { light: "#777e8c", dark: "#8d95a5" },
  launch: { light: "#a9a59c", dark: "#6d6a63" },
};

const OTHER: Shade = { light: "#8a8f98", dark: "#7d8490" };
const NETS: Shade[] = [SHADES["math"]!, SHADES["DRAM"]!, SHADES["unpack"]!, SHADES["NoC"]!, SHADES["pack"]!, SHADES["data movement"]!];

export const PATH: Shade = { light: "#d55e00", dark: "#ff7b2e" };

const OF_ROLE: Record<string, string> = { brisc: "data movement", ncrisc: "data movement", unpack: "unpack", math: "math", pack: "pack" };
const OF_WAIT: Record<string, string> = { data: "synchronisation", room: "synchronisation", semaphore: "synchronisation", message: "NoC", reads: "DRAM", writes: "DRAM", operands: "unpack", results: "math" };

/** The resource that the work of a processor is; null for a kernel of the simulator. */
export const resourceOfRole = (role: string): string | null => OF_ROLE[role] ?? null;

/** The resource whose colour a wait has. */
export function resourceOfWait(waitsFor: string | null): string {
  if (waitsFor === null) return "synchronisation";
  return waitsFor in SHADES ? waitsFor : (OF_WAIT[waitsFor] ?? OF_ROLE[waitsFor] ?? "synchronisation");
}

export const colourOf = (resource: string, theme: Theme): string => (SHADES[resource] ?? OTHER)[theme];
export const netColour = (index: number, theme: Theme): string => NETS[index % NETS.length]![theme];

export interface Rgb { r: number; g: number; b: number }

export function rgb(colour: string): Rgb {
  const value = Number.parseInt(colour.slice(1), 16);
  return { r: value >> 16, g: (value >> 8) & 255, b: value & 255 };
}

/** From `a` (share 0) to `b` (share 1). */
export function mixed(a: Rgb, b: Rgb, share: number): Rgb {
  return { r: Math.round(a.r + (b.r - a.r) * share), g: Math.round(a.g + (b.g - a.g) * share), b: Math.round(a.b + (b.b - a.b) * share) };
}

export const css = ({ r, g, b }: Rgb): string => `rgb(${r} ${g} ${b})`;

/** A pixel of an `ImageData` as one little-endian number. */
export const pixel = ({ r, g, b }: Rgb): number => ((255 << 24) | (b << 16) | (g << 8) | r) >>> 0;

export const SURFACE: Record<Theme, string> = { light: "#ffffff", dark: "#15181d" };

/** A sequential scale for maps and heat: light to dark blue on light, dark to light on dark; lightness alone tells values apart. */
const SCALE: Record<Theme, string[]> = {
  light: ["#f0f4f9", "#c3d9ee", "#86b6dd", "#3f8bc4", "#12609c", "#073763"],
  dark: ["#1d232c", "#1c3c5c", "#1f5f94", "#3487c6", "#79b6e6", "#d3e9fb"],
};

export function heat(share: number, theme: Theme): Rgb {
  const stops = SCALE[theme];
  const at = Math.max(0, Math.min(1, share)) * (stops.length - 1);
  const index = Math.min(Math.floor(at), stops.length - 2);
  return mixed(rgb(stops[index]!), rgb(stops[index + 1]!), at - index);
}

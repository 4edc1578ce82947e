/** The fragment of the URL: `#launch=2&select=line:0:62&time=100-900&tab=buffers`. */

export function readFragment(hash: string): Record<string, string> {
  const result: Record<string, string> = {};
  for (const part of hash.replace(/^#/, "").split("&")) {
    const at = part.indexOf("=");
    if (at > 0) result[part.slice(0, at)] = part.slice(at + 1);
  }
  return result;
}

export function writeFragment(kept: Record<string, string>): string {
  const parts = Object.entries(kept).filter(([, value]) => value !== "").map(([name, value]) => `${name}=${value}`);
  return parts.length === 0 ? "" : `#${parts.join("&")}`;
}

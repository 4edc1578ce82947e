/** Columns of numbers, out of the text of the page. */
import type { Column } from "./model";

async function inflated(packed: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  const text = atob(base64);
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  return bytes;
}

/** Zigzag LEB128 varints, below 2^53; fewer or more of them than `count` is an error. */
export function varints(bytes: Uint8Array, count: number, differences: boolean): Float64Array {
  const values = new Float64Array(count);
  let at = 0;
  let sum = 0;
  for (let i = 0; i < count; i++) {
    let value = 0;
    let scale = 1;
    let byte = 0x80;
    while (byte >= 0x80) {
      if (at >= bytes.length) throw new Error(`a column of ${count} numbers ends after ${i}`);
      byte = bytes[at++]!;
      value += (byte & 0x7f) * scale;
      scale *= 128;
    }
    // Not by shifts: they are of 32 bits.
    const signed = value % 2 === 0 ? value / 2 : -(value + 1) / 2;
    sum = differences ? sum + signed : signed;
    values[i] = sum;
  }
  if (at !== bytes.length) throw new Error(`a column of ${count} numbers has more than that`);
  return values;
}

/** The numbers of a column. */
export async function unpacked(column: Column): Promise<Float64Array> {
  if ("i" in column) return Float64Array.from(column.i);
  return varints(await inflated(bytesOf(column.z)), column.n, column.d === 1);
}

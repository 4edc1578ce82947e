/** What the networks and DRAM carry over time. */
import { banksOf } from "./selection";
import type { Run } from "./run";

export interface Traffic {
  /** The middle of every bin, and bytes for every cycle in it. */
  time: Float64Array;
  series: { name: string; rate: Float64Array }[];
}

/** Bytes for every cycle in bins of [begin, end), the bytes of a transfer spread evenly over its time: from and to DRAM, and over each NoC. */
export function traffic(run: Run, begin: number, end: number, bins: number): Traffic {
  const { transfers } = run;
  const step = (end - begin) / bins;
  const named = new Map<string, Float64Array>();
  const of = (name: string): Float64Array => {
    let rate = named.get(name);
    if (rate === undefined) named.set(name, (rate = new Float64Array(bins)));
    return rate;
  };
  const ends = run.launch.ends ?? [];
  const atMemory = (end: number): boolean => (ends[end]?.bank ?? null) !== null;
  for (let i = 0; i < transfers.count; i++) {
    const from = transfers.begin[i]!;
    const until = Math.max(transfers.end[i]!, from + 1);
    if (until <= begin || from >= end) continue;
    const perCycle = transfers.bytes[i]! / (until - from);
    const rates = [of(`NoC ${transfers.noc[i]}`)];
    if (banksOf(run, i).length > 0) rates.push(of(atMemory(transfers.source[i]!) ? "from DRAM" : "to DRAM"));
    const last = Math.min(bins - 1, Math.floor((until - begin) / step));
    for (let bin = Math.max(0, Math.floor((from - begin) / step)); bin <= last; bin++) {
      const overlap = Math.min(until, begin + (bin + 1) * step) - Math.max(from, begin + bin * step);
      if (overlap > 0) for (const rate of rates) rate[bin]! += (perCycle * overlap) / step;
    }
  }
  const order = ["from DRAM", "to DRAM", "NoC 0", "NoC 1"];
  return {
    time: Float64Array.from({ length: bins }, (_, bin) => begin + (bin + 0.5) * step),
    series: [...named].sort(([a], [b]) => order.indexOf(a) - order.indexOf(b)).map(([name, rate]) => ({ name, rate })),
  };
}

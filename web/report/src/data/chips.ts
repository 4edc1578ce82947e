/** The chips of a launch over several: which nodes are on which, and where a link is drawn. */
import type { Cell, Launch, Mesh } from "./model";

/** The cells of one chip, with the nodes of the launch that are on it; without routers, the nodes row by row. */
export function cellsOfChip(launch: Launch, mesh: Mesh, chip: number): { cells: Cell[]; columns: number; rows: number } {
  const own = launch.nodes.map((node, index) => ({ node, index })).filter(({ index }) => mesh.chips[index] === chip);
  const { cells, columns, rows } = launch.chip;
  if (own.every(({ node }) => node.x !== null)) {
    const at = new Map(own.map(({ node, index }) => [`${node.x},${node.y}`, index]));
    return { cells: cells.map((cell) => ({ ...cell, node: at.get(`${cell.x},${cell.y}`) ?? null })), columns, rows };
  }
  const width = Math.max(1, Math.ceil(Math.sqrt(own.length)));
  const placed = own.map(({ index }, position): Cell => ({ x: position % width, y: Math.floor(position / width), kind: "worker", node: index, bank: null }));
  return { cells: placed, columns: width, rows: Math.max(1, Math.ceil(placed.length / width)) };
}

/** The mean of what the nodes of each chip have; null for a chip without nodes. */
export function meanByChip(mesh: Mesh, values: ArrayLike<number>): (number | null)[] {
  const sums = mesh.names.map(() => [0, 0] as [number, number]);
  mesh.chips.forEach((chip, node) => {
    const sum = sums[chip]!;
    sum[0] += values[node]!;
    sum[1] += 1;
  });
  return sums.map(([sum, count]) => (count > 0 ? sum / count : null));
}

/** The launches of a call by the chip of each, where every device of a mesh runs the operation by itself; none of a launch over several chips. */
export function launchesByChip(launch: Launch, launches: readonly Launch[]): Map<number, Launch> {
  const [chip] = launch.mesh?.chips ?? [];
  if (chip === undefined || launch.mesh!.chips.some((other) => other !== chip)) return new Map();
  return new Map(launches.flatMap((other) => (other.number === launch.number && other.name === launch.name && other.mesh ? [[other.mesh.chips[0] ?? chip, other] as const] : [])));
}

export interface LinkLine { x1: number; y1: number; x2: number; y2: number }

/** Where the link from a chip to a neighbour is drawn, chips `step` apart and `size` wide. Both ways lie side by side; around a ring it is a stub at each edge. */
export function linkLines(mesh: Mesh, source: number, target: number, step: number, size: number): LinkLine[] {
  const place = (chip: number): [number, number] => [(chip % mesh.columns) * step + size / 2, Math.floor(chip / mesh.columns) * step + size / 2];
  const [x1, y1] = place(source);
  const [x2, y2] = place(target);
  const along = y1 === y2;
  const off = (source < target ? -1 : 1) * size * 0.16;
  const shift = along ? { x: 0, y: off } : { x: off, y: 0 };
  const line = (a: [number, number], b: [number, number]): LinkLine => ({ x1: a[0] + shift.x, y1: a[1] + shift.y, x2: b[0] + shift.x, y2: b[1] + shift.y });
  const sign = along ? Math.sign(x2 - x1) : Math.sign(y2 - y1);
  const moved = ([x, y]: [number, number], by: number): [number, number] => (along ? [x + by, y] : [x, y + by]);
  const half = size / 2;
  if (Math.abs(along ? x2 - x1 : y2 - y1) <= step) return [line(moved([x1, y1], sign * half), moved([x2, y2], -sign * half))];
  const stub = step - size;
  return [line(moved([x1, y1], -sign * half), moved([x1, y1], -sign * (half + stub))), line(moved([x2, y2], sign * (half + stub)), moved([x2, y2], sign * half))];
}

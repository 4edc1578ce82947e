/** Where times and slices are on the timeline, in CSS pixels. */
import type { Run, Track } from "../../data/run";
import type { Store } from "../../data/store";
import { NODE_HEIGHT, type Row, stripHeight } from "./rows";

/** Width of the names on the left, and heights of what stays on top: the whole run, the axis, the critical path. */
export const GUTTER = 148;
export const MINIMAP = 30;
export const AXIS = 20;
export const PATH_ROW = 22;

export class Geometry {
  rows: Row[] = [];
  height = 0;
  width = 600;
  viewHeight = 300;
  scroll = 0;
  private readonly rowOfNode = new Map<number, Row>();
  private readonly rowOfTrack = new Map<number, Row>();
  private readonly rowOfNoc = new Map<string, Row>();

  constructor(readonly run: Run, readonly store: Store) {}

  /** Height of what does not scroll. */
  get top(): number {
    return MINIMAP + AXIS + (this.run.path.count > 0 ? PATH_ROW : 0);
  }

  get plot(): number {
    return Math.max(50, this.width - GUTTER);
  }

  setRows(rows: Row[], height: number): void {
    this.rows = rows;
    this.height = height;
    this.rowOfNode.clear();
    this.rowOfTrack.clear();
    this.rowOfNoc.clear();
    for (const row of rows) {
      if (row.kind === "node") this.rowOfNode.set(row.node, row);
      else if (row.kind === "track") this.rowOfTrack.set(row.track.index, row);
      else if (row.kind === "noc") this.rowOfNoc.set(`${row.node}.${row.noc.noc}`, row);
    }
  }

  x(time: number): number {
    return GUTTER + ((time - this.store.begin) / (this.store.end - this.store.begin)) * this.plot;
  }

  time(x: number): number {
    return this.store.begin + ((x - GUTTER) / this.plot) * (this.store.end - this.store.begin);
  }

  /** From the top of the view. */
  y(row: Row): number {
    return this.top + row.y - this.scroll;
  }

  nodeRow(node: number): Row | undefined {
    return this.rowOfNode.get(node);
  }

  /** The height at which a track is drawn: its own row, or its strip in the row of the closed node. */
  middleOfTrack(track: Track): number {
    const own = this.rowOfTrack.get(track.index);
    if (own) return this.y(own) + own.height / 2;
    const row = this.rowOfNode.get(track.node);
    if (!row) return this.top;
    const tracks = this.run.tracksOfNode[track.node]!;
    const strip = stripHeight(tracks.length);
    return this.y(row) + 2 + (tracks.indexOf(track) + 0.5) * strip;
  }

  middleOfTransfer(transfer: number): number {
    const node = this.run.transfers.node[transfer]!;
    const row = this.rowOfNoc.get(`${node}.${this.run.transfers.noc[transfer]}`) ?? this.rowOfNode.get(node);
    return row ? this.y(row) + (row.kind === "node" ? NODE_HEIGHT : row.height) / 2 : this.top;
  }
}

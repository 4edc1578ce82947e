/** Draws what of the timeline changes with the stretch of time, the rows and the selection: everything but the pointer. */
import { axisStep, density, visible } from "../../data/lod";
import { coordinates, short, shortRole } from "../../format";
import { colourOf, mixed, pixel, rgb, SURFACE, type Theme } from "../../palette";
import { AXIS, type Geometry, GUTTER, MINIMAP, PATH_ROW } from "./geometry";
import { Painter } from "./paint";
import { Pixels } from "./pixels";
import { type Row, stripHeight } from "./rows";

const FONT = "11px system-ui, sans-serif";

interface Inks { text: string; muted: string; line: string; surface: string; raised: string; accent: string; onColour: string }

export const inks = (theme: Theme): Inks => theme === "light"
  ? { text: "#1b1f24", muted: "#5d6673", line: "#dfe3e8", surface: "#ffffff", raised: "#f5f7f9", accent: "#0b62c4", onColour: "#ffffff" }
  : { text: "#e6e9ee", muted: "#98a2b0", line: "#2c323b", surface: "#15181d", raised: "#1b1f26", accent: "#6db3ff", onColour: "#0c0e11" };

export class BaseLayer {
  readonly canvas = document.createElement("canvas");
  private readonly context = this.canvas.getContext("2d", { alpha: false })!;
  private pixels: Pixels | undefined;
  private painter: Painter | undefined;
  private painterTheme: Theme | undefined;
  private overview: { theme: Theme; width: number; busy: Float32Array; wait: Float32Array } | undefined;

  constructor(private readonly geometry: Geometry) {}

  draw(ratio: number): void {
    const { geometry: g, context } = this;
    const { run, store } = g;
    const ink = inks(store.theme);
    if (this.painterTheme !== store.theme) {
      this.painter = new Painter(run, store.theme);
      this.painterTheme = store.theme;
    }
    const painter = this.painter!;
    const width = Math.round(g.width * ratio);
    const height = Math.round(g.viewHeight * ratio);
    if (this.canvas.width !== width || this.canvas.height !== height) {
      this.canvas.width = width;
      this.canvas.height = height;
    }
    const plot = Math.max(1, Math.round(g.plot * ratio));
    if (this.pixels?.width !== plot || this.pixels.height !== height) this.pixels = new Pixels(plot, height);
    const pixels = this.pixels;
    pixels.clear(painter.surface);
    this.paintOverview(pixels, ratio);
    if (run.path.count > 0) this.paintPath(pixels, ratio);
    const shown = g.rows.filter((row) => g.y(row) + row.height > g.top && g.y(row) < g.viewHeight);
    for (const row of shown) this.paintRow(pixels, row, ratio);
    // What scrolls under the rows on top is covered by them: they are painted last.
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.fillStyle = ink.surface;
    context.fillRect(0, 0, width, height);
    context.putImageData(pixels.image, Math.round(GUTTER * ratio), 0);
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.font = FONT;
    context.textBaseline = "middle";
    for (const row of shown) this.write(row, ink);
    this.writeTop(ink);
  }

  private paintRow(pixels: Pixels, row: Row, ratio: number): void {
    const { geometry: g } = this;
    const { run, store } = g;
    const painter = this.painter!;
    const y = Math.round(g.y(row) * ratio);
    const top = Math.round(g.top * ratio);
    const height = Math.round(row.height * ratio);
    const related = store.related;
    const box = (offset: number, of: number) => ({ x: 0, y: Math.max(top, y + offset), width: pixels.width, height: Math.max(0, Math.min(of, y + offset + of - top)) });
    const { begin, end } = store;
    switch (row.kind) {
      case "node": {
        pixels.rect(0, Math.max(top, y), pixels.width, height - Math.max(0, top - y), painter.band);
        if (row.open) return;
        const tracks = run.tracksOfNode[row.node]!;
        const strip = Math.max(1, Math.floor(stripHeight(tracks.length) * ratio));
        tracks.forEach((track, index) => {
          const at = box(Math.round(2 * ratio) + index * strip, strip);
          painter.track(pixels, track, at, begin, end, related);
        });
        const foot = box(height - Math.round(2 * ratio), Math.round(2 * ratio));
        for (const track of tracks) painter.pathLine(pixels, `t${track.index}`, foot, begin, end, foot.height);
        for (const noc of run.nocs(row.node)) painter.pathLine(pixels, `x${row.node}.${noc.noc}`, foot, begin, end, foot.height);
        return;
      }
      case "track": {
        const at = box(Math.round(ratio), height - Math.round(3 * ratio));
        painter.track(pixels, row.track, at, begin, end, related);
        const foot = box(height - Math.round(3 * ratio), Math.round(2 * ratio));
        painter.pathLine(pixels, `t${row.track.index}`, foot, begin, end, foot.height);
        return;
      }
      case "noc": {
        const at = box(0, height - Math.round(2 * ratio));
        painter.noc(pixels, row.noc, at, begin, end, related);
        const foot = box(height - Math.round(2 * ratio), Math.round(2 * ratio));
        painter.pathLine(pixels, `x${row.node}.${row.noc.noc}`, foot, begin, end, foot.height);
        return;
      }
      case "buffer": {
        const blocks = run.launch.buffer_names?.[row.fill.name]?.blocks ?? 1;
        const at = box(0, height - Math.round(2 * ratio));
        pixels.rect(0, at.y + at.height, pixels.width, 1, painter.band);
        if (at.height > 4) painter.buffer(pixels, row.fill, blocks, at, begin, end, related);
      }
    }
  }

  /** The whole run in a row: how busy all processors are together. */
  private paintOverview(pixels: Pixels, ratio: number): void {
    const { run, store } = this.geometry;
    const width = pixels.width;
    if (this.overview?.width !== width || this.overview.theme !== store.theme) {
      const busy = new Float32Array(width);
      const wait = new Float32Array(width);
      const ofTrack = new Float32Array(width);
      const waits = new Float32Array(width);
      for (const track of run.tracks) {
        density(run, track, 0, Math.max(run.length, 1), ofTrack, waits);
        for (let x = 0; x < width; x++) {
          busy[x]! += ofTrack[x]! / run.tracks.length;
          wait[x]! += waits[x]! / run.tracks.length;
        }
      }
      this.overview = { theme: store.theme, width, busy, wait };
    }
    const height = Math.round((MINIMAP - 6) * ratio);
    const surface = rgb(SURFACE[store.theme]);
    const work = pixel(mixed(surface, rgb(colourOf("math", store.theme)), 0.7));
    const waiting = pixel(mixed(surface, rgb(inks(store.theme).text), 0.14));
    const foot = Math.round((MINIMAP - 3) * ratio);
    for (let x = 0; x < width; x++) {
      const busy = Math.round(Math.min(1, this.overview.busy[x]!) * height);
      const wait = Math.min(height - busy, Math.round(this.overview.wait[x]! * height));
      pixels.column(x, foot - busy - wait, wait, waiting);
      pixels.column(x, foot - busy, busy, work);
    }
  }

  private paintPath(pixels: Pixels, ratio: number): void {
    const { run, store } = this.geometry;
    const { path } = run;
    const surface = rgb(SURFACE[store.theme]);
    const scale = pixels.width / (store.end - store.begin);
    const y = Math.round((MINIMAP + AXIS + 2) * ratio);
    const height = Math.round((PATH_ROW - 5) * ratio);
    const related = store.related;
    for (let i = 0; i < path.count; i++) {
      if (path.end[i]! <= store.begin || path.begin[i]! >= store.end) continue;
      const resource = run.launch.path?.resources[path.resource[i]!] ?? "";
      const label = path.label[i]!;
      const dim = related !== null && !(related.resources.size === 1 && store.selection?.kind === "resource" ? related.resources.has(resource)
        : related.labels !== null ? label >= 0 && related.labels[label] === 1 : true);
      const colour = rgb(colourOf(resource, store.theme));
      const left = Math.max(0, Math.round((path.begin[i]! - store.begin) * scale));
      const right = Math.min(pixels.width, Math.round((path.end[i]! - store.begin) * scale));
      pixels.rect(left, y, Math.max(1, right - left - (right - left > 3 ? 1 : 0)), height, pixel(dim ? mixed(colour, surface, 0.78) : colour));
    }
  }

  private write(row: Row, ink: Inks): void {
    const { geometry: g, context } = this;
    const { run, store } = g;
    const y = g.y(row);
    if (y + row.height / 2 < g.top) return;
    const middle = y + row.height / 2;
    const related = store.related;
    switch (row.kind) {
      case "node": {
        const node = run.launch.nodes[row.node]!;
        const chosen = related?.nodes.has(row.node) === true && store.selection?.kind === "node";
        context.fillStyle = chosen ? ink.accent : ink.text;
        context.font = `600 ${FONT}`;
        context.fillText(`${row.open ? "▾" : "▸"} node ${coordinates(node.node)}`, 8, middle, GUTTER - 12);
        context.font = FONT;
        return;
      }
      case "track": {
        context.fillStyle = ink.muted;
        context.fillText(shortRole(row.track.role), 24, middle, GUTTER - 30);
        this.writeSlices(row.track, y, row.height, ink);
        return;
      }
      case "noc":
        context.fillStyle = ink.muted;
        context.fillText(`NoC ${row.noc.noc}`, 24, middle, GUTTER - 30);
        return;
      case "buffer": {
        const name = run.launch.buffer_names?.[row.fill.name];
        context.fillStyle = related?.buffers.has(row.fill.name) === true && store.selection?.kind === "buffer" ? ink.accent : ink.muted;
        context.fillText(`${name?.text ?? ""}, of ${name?.blocks ?? 1}`, 24, middle, GUTTER - 30);
      }
    }
  }

  /** The text of slices that have room for it. */
  private writeSlices(track: Parameters<typeof visible>[0], y: number, height: number, ink: Inks): void {
    const { geometry: g, context } = this;
    const { run, store } = g;
    const [from, to] = visible(track, run.slices, store.begin, store.end);
    if (to - from > g.plot / 40) return;
    const labels = store.related?.labels ?? null;
    for (let slice = track.first + from; slice < track.first + to; slice++) {
      const left = Math.max(GUTTER, g.x(run.slices.begin[slice]!));
      const width = Math.min(g.width, g.x(run.slices.end[slice]!)) - left;
      if (width < 46) continue;
      const label = run.launch.labels[run.slices.label[slice]!];
      if (label === undefined) continue;
      const dim = labels !== null && labels[run.slices.label[slice]!] !== 1;
      const waits = label.kind === "wait";
      context.fillStyle = waits || dim ? (dim ? ink.muted : ink.text) : ink.onColour;
      const text = fitted(context, label.text, width - 8);
      if (waits && text !== "") {
        context.globalAlpha = 0.82;
        const behind = context.fillStyle;
        context.fillStyle = ink.surface;
        context.fillRect(left + 2, y + 2, context.measureText(text).width + 4, height - 6);
        context.fillStyle = behind;
        context.globalAlpha = 1;
      }
      context.fillText(text, left + 4, y + height / 2 - 0.5);
    }
  }

  private writeTop(ink: Inks): void {
    const { geometry: g, context } = this;
    const { run, store } = g;
    const ratioBegin = (store.begin / Math.max(run.length, 1)) * g.plot;
    const ratioEnd = (store.end / Math.max(run.length, 1)) * g.plot;
    // The stretch in view, on the whole run.
    context.fillStyle = store.theme === "light" ? "rgb(27 31 36 / 0.10)" : "rgb(230 233 238 / 0.14)";
    context.fillRect(GUTTER, 0, ratioBegin, MINIMAP - 2);
    context.fillRect(GUTTER + ratioEnd, 0, g.plot - ratioEnd, MINIMAP - 2);
    context.strokeStyle = ink.accent;
    context.lineWidth = 1.5;
    context.strokeRect(GUTTER + ratioBegin + 0.75, 1, Math.max(3, ratioEnd - ratioBegin - 1.5), MINIMAP - 4);
    context.fillStyle = ink.muted;
    context.fillText("whole run", 8, MINIMAP / 2);
    context.fillText(run.launch.unit, 8, MINIMAP + AXIS / 2);
    context.strokeStyle = ink.line;
    context.lineWidth = 1;
    const step = axisStep(store.end - store.begin, g.plot, 90);
    context.fillStyle = ink.muted;
    for (let time = Math.ceil(store.begin / step) * step; time <= store.end; time += step) {
      const x = Math.round(g.x(time)) + 0.5;
      context.beginPath();
      context.moveTo(x, MINIMAP + AXIS - 4);
      context.lineTo(x, MINIMAP + AXIS);
      context.stroke();
      if (x < g.width - 30) context.fillText(short(time), x + 3, MINIMAP + AXIS / 2);
    }
    context.beginPath();
    context.moveTo(0, g.top - 0.5);
    context.lineTo(g.width, g.top - 0.5);
    context.stroke();
    if (run.path.count > 0) {
      context.fillStyle = ink.text;
      context.fillText("critical path", 8, MINIMAP + AXIS + PATH_ROW / 2);
      this.writePath(ink);
    }
  }

  private writePath(ink: Inks): void {
    const { geometry: g, context } = this;
    const { run, store } = g;
    context.fillStyle = ink.onColour;
    for (let i = 0; i < run.path.count; i++) {
      if (run.path.end[i]! <= store.begin || run.path.begin[i]! >= store.end) continue;
      const left = Math.max(GUTTER, g.x(run.path.begin[i]!));
      const width = Math.min(g.width, g.x(run.path.end[i]!)) - left;
      if (width < 34) continue;
      context.fillText(fitted(context, run.launch.path?.resources[run.path.resource[i]!] ?? "", width - 6), left + 3, MINIMAP + AXIS + PATH_ROW / 2);
    }
  }
}

/** As much of a text as fits, or nothing. */
function fitted(context: CanvasRenderingContext2D, text: string, width: number): string {
  const one = context.measureText("n").width;
  const room = Math.floor(width / one);
  if (text.length <= room || context.measureText(text).width <= width) return text;
  return room < 4 ? "" : `${text.slice(0, room - 1)}…`;
}


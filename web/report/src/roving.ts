/** One tab stop for many elements that can be pressed, by the pattern of ARIA for grids: arrow keys go from one to the next. */

export interface Placed { element: HTMLElement | SVGElement; x: number; y: number }

const KEYS: Record<string, [number, number]> = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

export class Roving {
  private placed: readonly Placed[] = [];
  private at: { x: number; y: number } | undefined;

  /** `container` holds the elements, which may be replaced: the place that has the focus keeps it. */
  constructor(private readonly container: HTMLElement | SVGElement) {
    container.addEventListener("keydown", (event) => this.key(event as KeyboardEvent));
    container.addEventListener("focusin", (event) => this.stop(this.placed.find(({ element }) => element === event.target)));
  }

  show(children: readonly Element[], placed: readonly Placed[]): void {
    const focused = this.container.contains(document.activeElement);
    this.container.replaceChildren(...children);
    this.placed = placed;
    for (const { element } of placed) element.setAttribute("tabindex", "-1");
    this.stop(placed.find(({ x, y }) => x === this.at?.x && y === this.at.y) ?? placed[0]);
    if (focused) this.current()?.element.focus();
  }

  private current(): Placed | undefined {
    return this.placed.find(({ element }) => element.getAttribute("tabindex") === "0");
  }

  private stop(next: Placed | undefined): void {
    if (next === undefined) return;
    this.current()?.element.setAttribute("tabindex", "-1");
    next.element.setAttribute("tabindex", "0");
    this.at = { x: next.x, y: next.y };
  }

  private key(event: KeyboardEvent): void {
    const from = this.placed.find(({ element }) => element === event.target);
    if (from === undefined || event.altKey || event.metaKey) return;
    const to = this.reached(from, event);
    if (to === undefined && KEYS[event.key] === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    to?.element.focus();
  }

  private reached(from: Placed, { key, ctrlKey }: KeyboardEvent): Placed | undefined {
    const row = ctrlKey ? this.placed : this.placed.filter(({ y }) => y === from.y);
    if (key === "Home") return row[0];
    if (key === "End") return row.at(-1);
    const [dx, dy] = KEYS[key] ?? [0, 0];
    // Straight ahead first, otherwise the nearest row, and there what is least to the side; in a row there is only straight ahead.
    const ahead = this.placed.map((cell) => ({ cell, far: (cell.x - from.x) * dx + (cell.y - from.y) * dy, side: Math.abs(dx === 0 ? cell.x - from.x : cell.y - from.y) }));
    const order = ahead.filter(({ far, side }) => far > 0 && (dx === 0 || side === 0)).sort((a, b) => Number(a.side > 0) - Number(b.side > 0) || a.far - b.far || a.side - b.side);
    return order[0]?.cell;
  }
}

/** Elements one after the other, each a step further along one axis. */
export const inLine = (elements: readonly (HTMLElement | SVGElement)[], upright = false): Placed[] =>
  elements.map((element, index) => (upright ? { element, x: 0, y: index } : { element, x: index, y: 0 }));

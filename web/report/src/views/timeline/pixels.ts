/** The pixels of the timeline. Writing them costs less than as many calls of a canvas, of which every frame would need tens of thousands. */

export class Pixels {
  readonly image: ImageData;
  private readonly data: Uint32Array;

  constructor(readonly width: number, readonly height: number) {
    this.image = new ImageData(width, height);
    this.data = new Uint32Array(this.image.data.buffer);
  }

  clear(colour: number): void {
    this.data.fill(colour);
  }

  /** Fills a rectangle; what stands outside is left out. */
  rect(x: number, y: number, width: number, height: number, colour: number): void {
    const left = Math.max(0, x);
    const right = Math.min(this.width, x + width);
    const bottom = Math.min(this.height, y + height);
    if (right <= left) return;
    for (let row = Math.max(0, y); row < bottom; row++) this.data.fill(colour, row * this.width + left, row * this.width + right);
  }

  /** Fills a rectangle with diagonal stripes: waiting is told from work without its colour, too. */
  stripes(x: number, y: number, width: number, height: number, colour: number, ground: number, period: number): void {
    const left = Math.max(0, x);
    const right = Math.min(this.width, x + width);
    const bottom = Math.min(this.height, y + height);
    const thick = period >> 2 || 1;
    for (let row = Math.max(0, y); row < bottom; row++) {
      const at = row * this.width;
      for (let column = left; column < right; column++) this.data[at + column] = (column + row) % period < thick ? colour : ground;
    }
  }

  /** One pixel wide, from `top` on. */
  column(x: number, top: number, height: number, colour: number): void {
    if (x < 0 || x >= this.width) return;
    const bottom = Math.min(this.height, top + height);
    for (let row = Math.max(0, top); row < bottom; row++) this.data[row * this.width + x] = colour;
  }
}

/** The overlay that explains the page to somebody who sees it for the first time. */
import { h } from "../dom";
import { RESOURCES } from "./inspector";

const WORDS: [string, string][] = [
  ["node", "one core of the chip with its memory (L1) and five processors; an operation runs on a grid of them"],
  ["BRISC, NCRISC", "the two processors of data movement: each runs one kernel that copies between DRAM, other nodes and buffers"],
  ["unpack, math, pack", "the three processors of a compute kernel: they bring tiles from buffers to registers, compute, and bring results back"],
  ["dataflow buffer", "a ring of blocks between two kernels of a node. A producer waits while it is full, a consumer while it is empty"],
  ["NoC 0, NoC 1", "the two networks on chip. NoC 0 leads right and down, NoC 1 left and up"],
  ["pipe, net", "a connection from one node to one or more, and a set of them"],
  ["critical path", "the chain of work, transfers and waiting that decides how long the run takes: shortening anything else does not make it shorter"],
  ["roofline", "the least time that the bytes and the arithmetic of the program can take on this chip"],
  ["cycles, steps", "cycles of the chip's clock, estimated by the emulated chip; the simulator has none and counts steps: calls of the language"],
];

const KEYS: [string, string][] = [
  ["Esc", "clear the selection, close this help"], ["?", "this help"], ["1 … 7", "the tabs below the timeline"], ["[ ]", "previous, next launch"],
  ["← → or A D", "move in the timeline"], ["+ − or W S", "zoom in, zoom out; 0: whole run"], ["N P", "next, previous slice of the processor"],
  ["C", "go to what ended the selected wait"], ["F", "zoom to the selected slice"],
  ["Ctrl + wheel, pinch", "zoom at the pointer (on the axis: wheel alone)"], ["drag", "move; on the axis, or with Shift: zoom to the stretch"], ["wheel, Shift + wheel", "scroll the nodes, move in time"], ["double click", "zoom to a slice"],
];

const table = (rows: [string, string][]): HTMLElement => h("dl", { class: "facts" }, ...rows.flatMap(([term, text]) => [h("dt", {}, term), h("dd", {}, text)]));

export class Help {
  readonly element: HTMLDialogElement;

  constructor() {
    this.element = h("dialog", { class: "help", "aria-label": "Help" },
      h("header", {}, h("h2", {}, "How to read this page"), h("button", { type: "button", click: () => this.element.close() }, "close")),
      h("p", {}, "On top stands what to do first, and below it how long the run took and what bounds it. The bar under it is the critical path by resource. The map shows the chip, the timeline what every processor did and what it waited for, the program what its lines cost, the hottest first. Whatever you click, what belongs to it is marked in all of them; the address of the page keeps it, so that you can send it."),
      h("div", { class: "help-columns" }, h("div", {}, h("h3", {}, "Words"), table(WORDS), h("h3", {}, "Resources of the critical path"), table(Object.entries(RESOURCES))), h("div", {}, h("h3", {}, "Keys and pointer"), table(KEYS),
        h("h3", {}, "In what order"), h("ol", {}, h("li", {}, "The verdict: what bounds the run?"), h("li", {}, "Click that resource in the bar: which lines and nodes is it?"), h("li", {}, "In the timeline, click a striped slice there: the arrow comes from what ended the wait."), h("li", {}, "Advice: what to change, and what that gains."), h("li", {}, "Compare: ttl report base.json other.json ... -o out.html, with the first run as the baseline.")))));
    this.element.addEventListener("click", (event) => { if (event.target === this.element) this.element.close(); });
  }

  toggle(): void {
    if (this.element.open) this.element.close();
    else this.element.showModal();
  }
}

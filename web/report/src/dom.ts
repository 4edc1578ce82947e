/** Elements. Text from a program is only ever given to `textContent`: nothing here reads HTML. */

type Child = Node | string | null | undefined | false;
type Handler = (event: never) => void;
type Attributes = Record<string, string | number | boolean | null | undefined | Handler>;

const SVG = "http://www.w3.org/2000/svg";

function fill<E extends Element>(element: E, attributes: Attributes, children: Child[]): E {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === "function") element.addEventListener(name, value as EventListener);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  for (const child of children) if (child !== null && child !== undefined && child !== false) element.append(child);
  return element;
}

/** An HTML element; attributes that are functions listen to the event of that name. */
export function h<K extends keyof HTMLElementTagNameMap>(tag: K, attributes: Attributes = {}, ...children: Child[]): HTMLElementTagNameMap[K] {
  return fill(document.createElement(tag), attributes, children);
}

export function svg<K extends keyof SVGElementTagNameMap>(tag: K, attributes: Attributes = {}, ...children: Child[]): SVGElementTagNameMap[K] {
  return fill(document.createElementNS(SVG, tag), attributes, children);
}

/** Makes an element work as a button: by click, Enter and Space. */
export function pressable<E extends Element>(element: E, label: string, press: (event: Event) => void, role = "button"): E {
  element.setAttribute("role", role);
  element.setAttribute("tabindex", "0");
  element.setAttribute("aria-label", label);
  element.addEventListener("click", press);
  element.addEventListener("keydown", (event) => {
    const { key } = event as KeyboardEvent;
    if (key !== "Enter" && key !== " ") return;
    event.preventDefault();
    press(event);
  });
  return element;
}

let tip: HTMLElement | undefined;

/** Shows lines of text beside the pointer; the first is the heading. */
export function showTip(x: number, y: number, lines: readonly string[]): void {
  tip ??= document.body.appendChild(h("div", { class: "tip", role: "tooltip" }));
  tip.replaceChildren(...lines.map((line, index) => h("div", { class: index === 0 ? "tip-head" : "tip-line" }, line)));
  tip.hidden = false;
  const { width, height } = tip.getBoundingClientRect();
  tip.style.left = `${Math.max(4, x + 14 + width > innerWidth - 4 ? x - width - 10 : x + 14)}px`;
  tip.style.top = `${Math.max(4, y + 16 + height > innerHeight - 4 ? y - height - 10 : y + 16)}px`;
}

export function hideTip(): void {
  if (tip) tip.hidden = true;
}

/** Shows `lines()` while the pointer is on an element, or the focus. */
export function tipped<E extends Element>(element: E, lines: () => readonly string[]): E {
  element.addEventListener("pointermove", (event) => showTip((event as PointerEvent).clientX, (event as PointerEvent).clientY, lines()));
  element.addEventListener("pointerleave", hideTip);
  element.addEventListener("focus", () => {
    if (!element.matches(":focus-visible")) return;
    const box = element.getBoundingClientRect();
    showTip(box.right, box.top, lines());
  });
  element.addEventListener("blur", hideTip);
  return element;
}

// What the counters of style sheets stand at, as in CSS Lists and Counters 3, where a text that is
// drawn says so. They are counted through the whole document, and so only where one is asked for.

import { flatChildren } from "../dom/tree.js";
import { numeral } from "./list_numbers.js";

const MOST = 20000;
const DEEPEST = 1000;
const PAIR = /([^\s]+) (-?\d+)/g;
// A counter lasts for the element that began it, what follows beside that, and what is in those.
class Count {
  constructor() {
    this.all = new Map();
    this.texts = new Map();
    this.left = MOST;
    this.element(document.documentElement, null, 0);
  }
  begin(name, value, owner) {
    const open = this.all.get(name) || this.all.set(name, []).get(name);
    if (open.at(-1)?.owner === owner) open.pop();
    open.push({ owner, value });
  }
  change(style, property, owner, change) {
    const told = style[property];
    if (told === "none") return;
    for (const [, name, value] of told.matchAll(PAIR)) {
      if (property === "counterReset" || !this.all.get(name)?.length)
        this.begin(name, property === "counterReset" ? Number(value) : 0, owner);
      if (change) change(this.all.get(name).at(-1), Number(value));
    }
  }
  apply(style, owner) {
    this.change(style, "counterReset", owner);
    this.change(style, "counterIncrement", owner, (counter, by) => (counter.value += by));
    this.change(style, "counterSet", owner, (counter, to) => (counter.value = to));
  }
  end(owner) {
    for (const open of this.all.values()) while (open.at(-1)?.owner === owner) open.pop();
  }
  drawn(element, pseudo) {
    const style = getComputedStyle(element, pseudo);
    const { content } = style;
    if (content === "none" || content === "normal" || style.display === "none") return;
    this.apply(style, element);
    if (!content.includes("counter")) return;
    const now = new Map();
    for (const [name, open] of this.all)
      now.set(
        name,
        open.map(({ value }) => value),
      );
    if (!this.texts.has(element)) this.texts.set(element, {});
    this.texts.get(element)[pseudo] = now;
  }
  element(element, parent, depth) {
    const style = getComputedStyle(element);
    if (style.display === "none" || depth > DEEPEST || this.left-- <= 0) return;
    this.apply(style, parent);
    this.drawn(element, "::before");
    for (const node of flatChildren(element))
      if (node.nodeType === 1) this.element(node, element, depth + 1);
    this.drawn(element, "::after");
    this.end(element);
  }
}
let counted = null;
// The values of a counter at a text that is drawn, outermost first; for as long as nothing else runs.
const at = (element, pseudo, name) => {
  if (!counted) {
    counted = new Count();
    queueMicrotask(() => (counted = null));
  }
  return counted.texts.get(element)?.[pseudo]?.get(name) || [];
};
// As `counter(name, style)` writes it, or `counters(…)` with what is between its values.
export const counterText = (element, pseudo, { name, between, style }) => {
  const values = at(element, pseudo, name);
  const all = between === undefined ? values.slice(-1) : values;
  return all.map((value) => numeral(value, style)).join(between ?? "");
};

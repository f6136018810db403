// Computed styles, asked once in a look.

import { documentSize, LARGE } from "./tree.js";

// ---- styles ----
// They are live: one that is kept need not be made again, which is half of what asking costs. Those
// of a large page would take memory, and a page may be looked at only once.
const styles = { "": new WeakMap(), "::before": new WeakMap(), "::after": new WeakMap() };
let [looks, keeps] = [0, false];
let last = { element: null, style: null };
export const styleOf = (element, pseudo = "") => {
  if (!pseudo && last.element === element) return last.style;
  const kept = keeps && styles[pseudo].get(element);
  if (kept) return kept;
  const style = getComputedStyle(element, pseudo);
  if (keeps) styles[pseudo].set(element, style);
  else if (!pseudo) last = { element, style };
  return style;
};
// Before all of the page is looked at.
export const forgetStyles = () => {
  keeps = looks++ > 0 && documentSize() <= LARGE;
};
// Whether it is drawn, and nothing makes it transparent.
const CLEAR = { visibilityProperty: true, opacityProperty: true };
export const isClear = (element) => element.checkVisibility(CLEAR);

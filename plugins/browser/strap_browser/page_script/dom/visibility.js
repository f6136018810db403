// Whether an element is seen: turned away, cut off, clipped, tiny.

import { clippingHolder, Extent } from "./clipping.js";
import { isShown } from "./geometry.js";
import { isClear, styleOf } from "./styles.js";
import { flatChildren, isRoot, parentOf, within } from "./tree.js";

// Where its transforms lead (CSS Transforms 2, 5.1).
const turn = ({ transform, rotate }) => {
  const [, axis, angle] = /^(.*?) ?(\S+)$/.exec(rotate === "none" ? "0deg" : rotate);
  const turned = /^[xyz]?$/.test(axis)
    ? `rotate${axis}(${angle})`
    : `rotate3d(${axis.split(" ")}, ${angle})`;
  return new DOMMatrix(turned).multiply(new DOMMatrix(transform));
};
// Whether it is turned away, as one side of a card is, together with what it is drawn in one space with.
export const isTurned = (element, style) => {
  if (style.backfaceVisibility !== "hidden") return false;
  let matrix = turn(style);
  for (let node = parentOf(element); node?.nodeType === 1; node = parentOf(node)) {
    const around = getComputedStyle(node);
    if (around.transformStyle !== "preserve-3d") break;
    matrix = turn(around).multiply(matrix);
  }
  return matrix.m33 < 0;
};
// Whether nobody sees what is in it, though it is drawn, unless that escapes it. `clear`: whether it
// is known that nothing makes it transparent.
export const isVeiled = (element, style, { width, height }, clear) =>
  (!clear && style.opacity === "0") ||
  isTurned(element, style) ||
  ((width <= 1 || height <= 1) && (cutsOff(element, style) || isFlattened(element)));
// What has no box cuts nothing off, nor do the document's own two, whose style is the window's.
const cutsOff = (element, { overflow, display }) =>
  overflow !== "visible" && display !== "contents" && !isRoot(element);
// Whether it has a size that a transform makes none, and with it whatever is in it.
const isFlattened = ({ offsetWidth, offsetHeight }) => offsetWidth > 1 && offsetHeight > 1;
// Whether somebody sees it out of what veils all else that is in it: what is too small to show
// anything cuts off only what is placed in it (CSS 2.1, 11.1.1), which what is absolute or fixed may
// not be.
export const escapes = (element, { position }, veil) => {
  if (position !== "absolute" && position !== "fixed") return false;
  if (getComputedStyle(veil).clipPath !== "none" || !isClear(element)) return false;
  const around = clippingHolder(element);
  return !around || !within(around, veil);
};
// All that does, the outermost of each.
export function* escapedParts(veil, inside = veil) {
  for (const node of flatChildren(inside)) {
    if (node.nodeType !== 1) continue;
    const style = getComputedStyle(node);
    if (style.display === "none") continue;
    if (escapes(node, style, veil)) yield node;
    else yield* escapedParts(veil, node);
  }
}
// Whether it is drawn where somebody sees it.
export const isSeen = (element) => {
  const extent = new Extent();
  if (!isShown(element) || extent.isOff(element, element.getBoundingClientRect())) return false;
  // What is around it can make it transparent, but cut it off only where it is placed in that.
  let placed = element;
  for (let node = element; node; node = parentOf(node)) {
    const holds = node === placed;
    if (holds) placed = clippingHolder(node);
    if (node.nodeType !== 1) continue;
    const style = getComputedStyle(node);
    if (holds ? isVeiled(node, style, node.getBoundingClientRect()) : style.opacity === "0")
      return false;
  }
  return true;
};
// Whether nobody sees the texts in it, or in what is drawn before or after its content: what else is
// in it may have a size of its own, as the items of a list without gaps have.
export const isTiny = (element, pseudo) => styleOf(element, pseudo).fontSize === "0px";

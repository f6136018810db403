// Boxes of elements.

import { editorOf } from "./code_editor.js";
import { isFolded, summaries } from "./details.js";
import { areaAt, areaBox, imageOf } from "./image_map.js";
import { flatChildren, parentOf } from "./tree.js";

// A text in a host is drawn where its slot is, and so hits what that is in, not the host.
export const elementAt = (x, y) => {
  let found = null;
  for (let root = document; root; root = found.shadowRoot) {
    let next = root.elementFromPoint(x, y);
    if (found && next?.getRootNode() !== root) [next] = root.elementsFromPoint(x, y);
    if (!next || (found && next.getRootNode() !== root)) break;
    found = next;
  }
  return (found?.localName === "img" && areaAt(found, x, y)) || found;
};
// ---- states ----
// What has no box of its own is where its parts are.
export const isContents = (element) => getComputedStyle(element).display === "contents";
const isLarge = ({ width, height }) => width >= 1 && height >= 1;
export const rangeOf = (node) => {
  const range = document.createRange();
  range.selectNodeContents(node);
  return range;
};
// Whether what has no box of its own is in one that is drawn, with what is in that.
export const isInBox = (element) => {
  let [part, box] = [element, element];
  while (box && (box.nodeType !== 1 || isContents(box))) [part, box] = [box, parentOf(box)];
  if (!box?.checkVisibility() || getComputedStyle(box).contentVisibility === "hidden") return false;
  return !isFolded(box) || summaries(box).includes(part);
};
// One by one: mostly it is asked whether there is any.
function* partRects(element) {
  const showsTexts = getComputedStyle(element).visibility === "visible";
  for (const node of flatChildren(element)) {
    if (node.nodeType === 3 && showsTexts)
      yield* [...rangeOf(node).getClientRects()].filter(isLarge);
    if (node.nodeType === 1) yield* isContents(node) ? partRects(node) : rects(node);
  }
}
// What a style sheet draws in an element that has no size of its own, as the knob of a slider.
const drawnIn = (element) => {
  const { position, overflow } = getComputedStyle(element);
  if (position === "static" || overflow !== "visible") return [];
  const { left, top } = element.getBoundingClientRect();
  const found = ["::before", "::after"].map((pseudo) => {
    const style = getComputedStyle(element, pseudo);
    if (style.content === "none" || style.position !== "absolute") return new DOMRect();
    const { e, f } = new DOMMatrix(style.transform);
    const [x, y] = [
      parseFloat(style.left) + parseFloat(style.marginLeft),
      parseFloat(style.top) + parseFloat(style.marginTop),
    ];
    return new DOMRect(
      left + x + e,
      top + y + f,
      parseFloat(style.width),
      parseFloat(style.height),
    );
  });
  return found.filter(isLarge);
};
const rects = (element) => {
  const image = imageOf(element);
  if (image) return isShown(image) ? [areaBox(element, image)] : [];
  if (element.checkVisibility({ visibilityProperty: true })) {
    const own = [...element.getClientRects()].filter(isLarge);
    return own.length || element.tabIndex < 0 ? own : drawnIn(element);
  }
  return isContents(element) && isInBox(element) ? partRects(element) : [];
};
const visibleRects = (element) => [...rects(element)];
export const isShown = (element) => {
  for (const _ of rects(element)) return true;
  return false;
};
// What a control that is not drawn itself is drawn by.
export const visibleLabel = (element) =>
  [...(element.labels || []), editorOf(element)].find((label) => label && isShown(label));
export const union = (rects) => {
  let { left, top, right, bottom } = rects[0];
  for (const one of rects) {
    [left, top] = [Math.min(left, one.left), Math.min(top, one.top)];
    [right, bottom] = [Math.max(right, one.right), Math.max(bottom, one.bottom)];
  }
  return new DOMRect(left, top, right - left, bottom - top);
};
export const boxOf = (element) => {
  const image = imageOf(element);
  if (image) return areaBox(element, image);
  const box = element.getBoundingClientRect();
  const parts = isLarge(box) ? [] : visibleRects(element);
  return parts.length ? union(parts) : box;
};
export const rectOf = (element) => {
  const rect = boxOf(element);
  return [rect.left, rect.top, rect.width, rect.height];
};
export const points = (rect) => {
  const left = Math.max(rect.left, 0);
  const width = Math.min(rect.right, innerWidth) - left;
  const top = Math.max(rect.top, 0);
  const height = Math.min(rect.bottom, innerHeight) - top;
  if (width < 1 || height < 1) return [];
  const places = [
    [0.5, 0.5],
    [0.25, 0.5],
    [0.75, 0.5],
    [0.5, 0.25],
    [0.5, 0.75],
    [0.1, 0.2],
    [0.9, 0.8],
  ];
  return places.map(([x, y]) => [left + width * x, top + height * y]);
};
export const largestRects = (element) =>
  visibleRects(element).sort((a, b) => b.width * b.height - a.width * a.height);

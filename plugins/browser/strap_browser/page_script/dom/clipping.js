// How far what is drawn can be brought into sight by scrolling the document, and what scrolls in it.

import { isRoot, parentOf } from "./tree.js";

const FAR = 5000;
// Which axes begin at their other end, where scrolling counts below zero.
const turned = ({ direction, display, flexDirection, writingMode }) => {
  const rtl = direction === "rtl";
  if (writingMode !== "horizontal-tb") return [writingMode !== "vertical-lr", rtl];
  const flex = display.endsWith("flex") ? flexDirection : "";
  return [rtl !== (flex === "row-reverse"), flex === "column-reverse"];
};
// How far what is in it can still be moved to the right, down, to the left and up, in pixels of its own.
const room = (element, style) => {
  const { scrollLeft, scrollTop, scrollWidth, scrollHeight, clientWidth, clientHeight } = element;
  const [wide, high] = [scrollWidth - clientWidth, scrollHeight - clientHeight];
  const [across, up] = turned(style);
  const right = across ? wide + scrollLeft : scrollLeft;
  const down = up ? high + scrollTop : scrollTop;
  return [right, down, wide - right, high - down];
};
const ofDocument = () => {
  const root = document.scrollingElement || document.documentElement;
  const { direction, writingMode } = getComputedStyle(document.body || root);
  const [right, down, left] = room(root, { direction, writingMode, display: "block" });
  return [right, down, left + root.clientWidth + FAR, Infinity];
};
const HOLDS = /^(absolute|fixed|relative|sticky)$/;
// Whether what is placed in it, however deep, is placed in that; `all`: also what is fixed.
const holds = (style, all) =>
  (!all && HOLDS.test(style.position)) ||
  [
    style.transform,
    style.translate,
    style.scale,
    style.rotate,
    style.perspective,
    style.filter,
  ].some((value) => value !== "none") ||
  style.backdropFilter !== "none" ||
  /paint|layout|strict|content/.test(style.contain) ||
  /transform|filter|perspective/.test(style.willChange);
// What holds the place of an element, null for the window: of what is above all, too.
export const clippingHolder = (element) => {
  const { position } = element.nodeType === 1 ? getComputedStyle(element) : {};
  if (position !== "fixed" && position !== "absolute") return parentOf(element);
  if (element.matches(":modal, :popover-open")) return null;
  const all = position === "fixed";
  for (let node = parentOf(element); node; node = parentOf(node))
    if (node.nodeType === 1 && holds(getComputedStyle(node), all)) return node;
  return all ? null : document;
};
// How much larger or smaller it is drawn than it is.
export const drawnExtent = (element) =>
  element.offsetWidth ? element.getBoundingClientRect().width / element.offsetWidth : 1;
const within = (element, around) => {
  const style = getComputedStyle(element);
  if (!/auto|scroll|hidden/.test(style.overflow)) return around;
  const scale = drawnExtent(element);
  return room(element, style).map((own, side) => around[side] + own * scale);
};
const EDGE = 4; // pixels: nothing is recognised in that, and a motion ends slowly
export const isBeside = (rect, box) =>
  rect.right <= box.left + EDGE || rect.left >= box.right - EDGE;
// What two boxes share from side to side.
export const shared = ({ left, right }, around) =>
  around
    ? { left: Math.max(left, around.left), right: Math.min(right, around.right) }
    : { left, right };
const isMoved = ({ transform, translate, willChange }) =>
  transform !== "none" || translate !== "none" || /transform/.test(willChange);
// Whether a box that nobody scrolls cuts it off at a side, from where a script moves it in, as the
// slides of a carousel. What is cut off below, or is only too wide, is often scrolled by a script.
export const isCut = (element) => {
  let [moved, rect] = [isMoved(getComputedStyle(element)), element.getBoundingClientRect()];
  for (let node = clippingHolder(element); node && !isRoot(node); node = clippingHolder(node)) {
    if (node.nodeType !== 1) continue;
    const style = getComputedStyle(node);
    const box = node.getBoundingClientRect();
    if (/auto|scroll/.test(style.overflowX)) rect = box;
    else if (
      style.overflowX !== "visible" &&
      isBeside(rect, box) &&
      (moved || style.overflowX === "clip")
    )
      return true;
    moved ||= isMoved(style);
  }
  return false;
};
// The extent of the document as it is now, for as long as it stays so.
export class Extent {
  page = ofDocument();
  // What the window holds is nowhere else than in it.
  window = [0, 0, innerWidth, innerHeight];
  rooms = new Map(
    /** @type {[Node | null, number[]][]} */ ([
      [null, this.window],
      [document, this.page],
      [document.scrollingElement, this.page],
    ]),
  );
  // How far what is in the node can be moved.
  around(node) {
    const inner = [];
    let outer = node;
    for (; !this.rooms.has(outer); outer = clippingHolder(outer)) inner.push(outer);
    let found = this.rooms.get(outer);
    for (const one of inner.reverse()) {
      if (one.nodeType === 1) found = within(one, found);
      this.rooms.set(one, found);
    }
    return found;
  }
  // Whether the element, which has that box, is drawn where nobody can scroll. What is in it may be
  // elsewhere, as the slides of a carousel are.
  isOff(element, { width, height, right, bottom, left, top }) {
    const above = height > 0 ? 0 : -1; // what has no height, but overflows, begins at its edge
    const beyond = (to) =>
      right + to[0] <= 0 || bottom + to[1] <= above || left >= to[2] || top >= to[3];
    return width > 0 && beyond(this.window) && beyond(this.around(clippingHolder(element)));
  }
}

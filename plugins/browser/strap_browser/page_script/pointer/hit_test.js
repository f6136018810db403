// Where to click an element, and what receives the click.

import { draws, handleOf, shellOf, takesMouse, thumbOf } from "../accessibility/stand_ins.js";
import { BOXES, captionOf } from "../dom/captions.js";
import { drawnExtent } from "../dom/clipping.js";
import { editorOf } from "../dom/code_editor.js";
import { opensItself } from "../dom/details.js";
import {
  boxOf,
  elementAt,
  isShown,
  largestRects,
  points,
  union,
  visibleLabel,
} from "../dom/geometry.js";
import { CONTROL, closest, isRoot, parentOf, within } from "../dom/tree.js";
import { bringIntoView } from "./into_view.js";

// Whether it is in what takes the mouse for a drawing: what lies over that beside it, just as large.
const NEARLY = 4;
const overlays = (hit, drawing) => {
  const around = drawing.localName === "canvas" && drawing.parentElement;
  if (!around || around === hit || isRoot(around) || !around.contains(hit)) return false;
  const over = [...around.children].find((one) => one !== drawing && one.contains(hit));
  if (!over) return false;
  const [own, other] = [drawing.getBoundingClientRect(), over.getBoundingClientRect()];
  return ["left", "top", "right", "bottom"].every(
    (side) => Math.abs(own[side] - other[side]) <= NEARLY,
  );
};
// Whether it is in what says no more than the element, a mere text: a shape of a diagram lies in it
// beside what takes the mouse for both.
const isOfItem = (hit, element) => {
  const text = element.textContent.trim();
  if (!text || element.matches(CONTROL) || within(hit, element)) return false;
  for (let node = parentOf(element); node && !isRoot(node); node = parentOf(node)) {
    if (node.textContent?.trim() !== text) return false; // which a document has none of
    if (node.nodeType !== 1 || node === hit || !within(hit, node)) continue;
    const control = closest(hit, CONTROL);
    return !control || within(node, control);
  }
  return false;
};
// Whether it is the field of the label that `element` is in, or is, or takes the mouse for it.
export const liesOver = (hit, element) =>
  closest(element, CONTROL)?.control === hit || overlays(hit, element) || isOfItem(hit, element);
// Whether what is hit acts itself, in a label that hands on no click then.
const ACTING = "a[href], button, input, select, summary, textarea";
const isActing = (hit, label) => {
  const acting = closest(hit, ACTING);
  return !!acting && within(acting, label);
};
// The control that the element is only the picture of: what takes no mouse in one, and is none itself.
const PICTURES = `:not(${CONTROL}), label, ${BOXES}`;
const pictured = (element) => {
  if (takesMouse(element) || !element.matches(PICTURES)) return undefined;
  for (let node = parentOf(element); node; node = parentOf(node))
    if (node.nodeType === 1 && node.matches(CONTROL) && takesMouse(node)) return node;
  return undefined;
};
// Whether a click that hits `hit` reaches `element`: inside it, on its label or the field of that,
// on its handle, or in the control that it is only the picture of.
export const receives = (hit, element) => {
  if (!hit) return false;
  if (within(hit, element) || draws(hit, element)) return true;
  const label = closest(hit, "label");
  if (label && (label.control === element || label === captionOf(element)))
    return !isActing(hit, label);
  if (liesOver(hit, element)) return true;
  const handle = handleOf(element);
  if (handle && within(hit, handle)) return true;
  const shell = shellOf(element);
  if (shell && within(hit, shell)) return !isAnother(hit, shell);
  const editor = editorOf(element);
  if (editor && within(hit, editor)) return true;
  return closest(hit, CONTROL) === pictured(element);
};
// Whether it is in a button or link of its own in the element, as in a card: not in one that is all
// that the element says, unless that says a value.
const BUTTONS = "a[href], button, [role=button], [role=link]";
const VALUED = ":is([role=scrollbar], [role=separator], [role=slider], [role=spinbutton])";
const isAnother = (hit, element) => {
  const other = closest(hit, BUTTONS);
  if (!other || other === element || !element.contains(other)) return false;
  return element.matches(VALUED) || other.textContent.trim() !== element.textContent.trim();
};
const aim = (element, offset) => {
  if (offset) {
    const box = boxOf(element);
    const [x, y] = [box.left + offset[0], box.top + offset[1]];
    return receives(elementAt(x, y), element) ? { x, y } : { by: elementAt(x, y) };
  }
  let [by, inner] = [null, null];
  for (const [x, y] of largestRects(element).slice(0, 3).flatMap(points)) {
    const hit = elementAt(x, y);
    if (!receives(hit, element)) by ||= hit;
    else if (!isAnother(hit, element)) return { x, y };
    else inner ||= { x, y };
  }
  return inner || { by };
};
// A bar stays where it is while the page scrolls: what it covers may be free elsewhere.
const isBar = (element) => {
  const fixed = ({ position }) => position === "fixed" || position === "sticky";
  for (let node = element; node; node = parentOf(node)) {
    if (node.nodeType !== 1 || !fixed(getComputedStyle(node))) continue;
    const { width, height } = node.getBoundingClientRect();
    return width < innerWidth || height < innerHeight;
  }
  return false;
};
const MIDDLE = ["center", "center"];
const PLACES = [
  MIDDLE,
  ...[
    ["end", "center"],
    ["start", "center"],
    ["center", "end"],
    ["center", "start"],
  ],
  ...[
    ["end", "end"],
    ["start", "start"],
    ["end", "start"],
    ["start", "end"],
  ],
];
const shown = (element, offset) => {
  let found;
  for (const way of PLACES) {
    bringIntoView(element, offset, way);
    found = aim(element, offset);
    if (found.x !== undefined || !isBar(found.by)) return found;
  }
  bringIntoView(element, offset, MIDDLE);
  return found;
};
// Where the browser draws the summary of `details` that have none, which is their first line.
const summaryPlace = (details) => {
  const { paddingTop, fontSize } = getComputedStyle(details);
  const down = details.clientTop + parseFloat(paddingTop) + parseFloat(fontSize) / 2;
  return [boxOf(details).width / 2, down * drawnExtent(details)];
};
// Places where an item is itself that has others of its kind in it, as in a tree: above them, beside
// them or below. In the middle a click would reach one of those.
const ownPlaces = (element) => {
  const { localName } = element;
  if (opensItself(element)) return [summaryPlace(element)];
  const role = element.getAttribute("role");
  const kind = role
    ? `[role="${CSS.escape(role)}"]`
    : /^li$|-/.test(localName) && CSS.escape(localName);
  const inner = kind ? [...element.querySelectorAll(kind)].filter(isShown) : [];
  if (!inner.length) return [];
  const [{ left, top, right, bottom, width, height }, parts] = [
    boxOf(element),
    union(inner.map(boxOf)),
  ];
  const [above, below] = [
    Math.min(parts.top - top, height),
    Math.min(bottom - parts.bottom, height),
  ];
  const [before, after] = [
    Math.min(parts.left - left, width),
    Math.min(right - parts.right, width),
  ];
  const places = [
    [above, width / 2, above / 2],
    [before, before / 2, height / 2],
    [after, width - after / 2, height / 2],
    [below, width / 2, height - below / 2],
  ];
  return places.filter(([room]) => room >= 1).map(([, x, y]) => [x, y]);
};
// Where in the element to try; undefined is anywhere.
const offsets = (element, drags) => {
  const thumb = drags ? thumbOf(element) : null;
  if (thumb) return [thumb, undefined];
  const own = ownPlaces(element);
  return own.length ? own : [undefined];
};
// A place where a click reaches the element, `{x, y}`, or what is in the way, `{by}`.
// To be dragged, by its thumb.
export const clickPoint = (element, offset, drags) => {
  let found;
  for (const way of offset ? [offset] : offsets(element, drags)) {
    found = aim(element, way);
    if (found.x === undefined) found = shown(element, way);
    if (found.x !== undefined) return found;
  }
  // A control that is drawn by something else is clicked there.
  const drawn = !offset && (handleOf(element) || visibleLabel(element) || shellOf(element));
  if (!drawn) return found;
  const instead = clickPoint(drawn);
  const hit = instead.x === undefined ? instead.by : elementAt(instead.x, instead.y);
  if (instead.x !== undefined && receives(hit, element)) return instead;
  return found.by ? found : { by: hit };
};

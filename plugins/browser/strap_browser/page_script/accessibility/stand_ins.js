// What is drawn, and clicked, in the place of a control: captions, boxes, thumbs, shells.

import { BOXES, OTHERS } from "../dom/captions.js";
import { boxOf, isShown } from "../dom/geometry.js";
import { isClear } from "../dom/styles.js";
import { CONTROL, closest, holdsUpTo, isRoot, parentOf, within } from "../dom/tree.js";
import { isUsed } from "./interactive.js";
import { roleOf } from "./role_and_name.js";
import { rolesWith } from "./roles.js";

const DRAWING = 40;
const isSmall = ({ width, height }) => width <= 2 * DRAWING && height <= DRAWING; // as of a switch
const drawsItself = (box) => isClear(box) && getComputedStyle(box).appearance !== "none";
export const draws = (hit, box) => {
  if (!box.matches(BOXES) || drawsItself(box) || !box.checkVisibility()) return false;
  if (hit.localName === "img" || hit.textContent.trim() || closest(hit, CONTROL)) return false;
  const [drawn, place] = [hit.getBoundingClientRect(), box.getBoundingClientRect()];
  const apart = Math.hypot(
    drawn.x + drawn.width / 2 - place.x - place.width / 2,
    drawn.y + drawn.height / 2 - place.y - place.height / 2,
  );
  if (!isSmall(drawn) || !isSmall(place) || apart > DRAWING / 4) return false;
  const around = [box.parentElement, box.parentElement?.parentElement];
  const both = around.find((one) => one && within(hit, one));
  if (both?.querySelectorAll(CONTROL).length !== 1) return false;
  for (let node = hit; node !== both; node = parentOf(node))
    if (node.nodeType === 1 && isUsed(node, roleOf(node))) return false;
  return true;
};
// Whether it is the drawing of a box that nobody sees itself, beside it or around it: a click there
// is one on the box, which is told.
const covers = (box, drawing) => {
  const [over, under] = [box.getBoundingClientRect(), drawing.getBoundingClientRect()];
  const [x, y] = [under.left + under.width / 2, under.top + under.height / 2];
  return over.left < x && x < over.right && over.top < y && y < over.bottom;
};
const isDrawingOf = (element, box) => {
  if (!box?.matches(BOXES) || (isClear(box) && box.offsetWidth > 1)) return false;
  return closest(element, "label")?.control === box || covers(box, element);
};
const slotted = (node) => (node?.localName === "slot" ? node.assignedElements()[0] : node);
export const drawsBox = (element) => {
  if (element.textContent.trim()) return false;
  const {
    previousElementSibling: before,
    nextElementSibling: after,
    firstElementChild: inner,
  } = element;
  const around = before ? null : parentOf(element);
  return [before, after, inner, around?.control].some((box) => isDrawingOf(element, slotted(box)));
};
// Whether it is the picture of a tick in what draws such a box, which says that it is ticked.
const NEAR = { most: 6, outwards: 3 };
export const isTick = (element) => {
  let around = element.parentElement;
  for (let out = 0; out < NEAR.outwards && around && holdsUpTo(around, NEAR.most); out++) {
    const box = around.querySelector(BOXES);
    if (box) return draws(element, box);
    around = around.parentElement;
  }
  return false;
};
export const isRangeInput = (field) => field.localName === "input" && field.type === "range";
// The handle of a slider whose own field is in it, or alone beside it, for the keyboard, and takes
// no mouse: no other control is in it.
const HANDLE = { least: 4, most: 64, outwards: 3 };
const isHandle = ({ width, height }) =>
  Math.max(width, height) <= HANDLE.most && Math.min(width, height) >= HANDLE.least;
export const handleOf = (field) => {
  if (!isRangeInput(field)) return null;
  const isOther = (one) => one !== field && roleOf(one) !== "tooltip";
  const [beside, ...others] = [...(field.parentNode?.children || [])].filter(isOther);
  const isTiny = field.offsetWidth <= 1 && field.offsetHeight <= 1;
  if (isTiny && beside && !others.length && isHandle(boxOf(beside))) return beside;
  let around = field;
  for (let out = 0; out < HANDLE.outwards; out++) {
    around = parentOf(around);
    if (around?.nodeType !== 1) continue;
    const { width, height } = boxOf(around);
    if (Math.max(width, height) > HANDLE.most) return null;
    if (Math.min(width, height) < HANDLE.least) continue;
    return around.querySelectorAll(OTHERS).length > 1 ? null : around;
  }
  return null;
};
// Where the thumb is of a slider that the browser draws, counted as a place in it; null for all else.
const THUMB = 16;
export const thumbOf = (field) => {
  if (!isRangeInput(field)) return null;
  const { direction, writingMode } = getComputedStyle(field);
  const { width, height } = boxOf(field);
  const [min, max] = [Number(field.min), field.max === "" ? 100 : Number(field.max)];
  const part = max > min ? (field.valueAsNumber - min) / (max - min) : 0;
  const along = (length) => THUMB / 2 + (direction === "rtl" ? 1 - part : part) * (length - THUMB);
  return writingMode === "horizontal-tb" ? [along(width), height / 2] : [width / 2, along(height)];
};
// What draws a field without a size: of a slider its handle, else the box around it with no other
// field in it but hidden ones.
const SHELL = { most: 100, outwards: 4, fields: 100 };
const SHELLED = rolesWith("shelled");
const FIELDS = "input:not([type=hidden]), select, textarea";
const isShelled = (field) => field.localName === "input" && SHELLED.has(roleOf(field));
const isLaidOut = (element) => element.checkVisibility({ visibilityProperty: true });
export const shellOf = (field) => {
  if (!(isRangeInput(field) || isShelled(field)) || !isLaidOut(field)) return null;
  // One that leaves the mouse to what is around it is as if it had no size.
  if (isShown(field) && (takesMouse(field) || roleOf(field) !== "combobox")) return null;
  if (!isRangeInput(field)) return boxAround(field);
  const handle = handleOf(field);
  return handle && isShown(handle) ? handle : null;
};
const isAlone = (field, around) => {
  const isOther = (one) => one !== field && (isShown(one) || (isShelled(one) && isLaidOut(one)));
  return (
    !around.getElementsByTagName("input")[SHELL.fields] &&
    ![...around.querySelectorAll(FIELDS)].some(isOther)
  );
};
const boxAround = (field) => {
  let around = field;
  for (let out = 0; out < SHELL.outwards; out++) {
    around = parentOf(around);
    if (!around || isRoot(around)) return null;
    if (around.nodeType !== 1) continue;
    const { width, height } = around.getBoundingClientRect();
    if (height > SHELL.most) return null;
    if (Math.min(width, height) < HANDLE.least || !isShown(around)) continue;
    return isAlone(field, around) && takesMouse(around) ? around : null;
  }
  return null;
};
export const takesMouse = (element) => getComputedStyle(element).pointerEvents !== "none";

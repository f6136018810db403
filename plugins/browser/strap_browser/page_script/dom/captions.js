// The label of a field that HTML ties to no control.

import { CONTROL, holdsUpTo } from "./tree.js";

// ---- where to click ----
// Whether `hit` is what draws a box to tick that is transparent, or that the browser does not draw: as
// small, in its place, without a text and no other control.
export const BOXES = "input[type=checkbox], input[type=radio]";
export const OTHERS = `:is(${CONTROL}):not(label)`;
// The label beside a box to tick, alone with it, that HTML ties to no control: scripts do, which draw
// the box by it.
const BESIDE = 12;
export const captionOf = (box) => {
  const around = box.parentElement;
  if (!box.matches(BOXES) || !around || !holdsUpTo(around, BESIDE)) return null;
  const beside = [...around.children].filter(({ localName }) => localName === "label");
  const alone =
    beside.length === 1 && !beside[0].control && around.querySelectorAll(OTHERS).length === 1;
  return alone ? beside[0] : null;
};
// The lone label in the group of a lone field: many forms tie none to their fields.
const ENTRIES = "input:not([type=hidden]), select, textarea";
const WITHIN = 2;
const groupAround = (part) => {
  let around = part.parentElement;
  for (let up = 0; up < WITHIN && around && holdsUpTo(around, BESIDE); up++) {
    const fields = around.querySelectorAll(ENTRIES);
    const labels = around.querySelectorAll("label");
    if (fields.length > 1 || labels.length > 1) return null;
    if (fields.length && labels.length) return { field: fields[0], label: labels[0] };
    around = around.parentElement;
  }
  return null;
};
export const labelAround = (field) => {
  const group = field.matches(BOXES) ? null : groupAround(field);
  return group && !group.label.control ? group.label : null;
};
// What a label names, by HTML or by its group.
export const fieldOf = (label) => {
  if (label.control) return label.control;
  const group = groupAround(label);
  return group && !group.field.matches(BOXES) ? group.field : null;
};

// Fields in a snapshot: what they hold, and which of them a widget replaces.

import { visibleLabel } from "../dom/geometry.js";
import { cleanText } from "../dom/text.js";
import { isSeen } from "../dom/visibility.js";
import { isAria } from "./attributes.js";
import { LABELLED } from "./interactive.js";
import { groupOf, titleOf } from "./options.js";
import { isDropDown } from "./role_tables.js";
import { statesOf } from "./states.js";

export const MASK = "•".repeat(8);
export const VALUELESS = /^(button|checkbox|image|radio|reset|submit)$/;
export const isField = ({ localName }) => /^(input|select|textarea)$/.test(localName);
export const isEntry = ({ localName }) => localName === "input" || localName === "textarea";
const PASSWORDS = "input[type=password]";
export const passwords = () =>
  new Set([...document.querySelectorAll(PASSWORDS)].map((field) => field.value).filter(Boolean));
export const isSelectDropDown = (element) => element.localName === "select" && isDropDown(element);
// The name of a group stands before its first option, and before the one that is chosen.
export const options = (element) => {
  let group = null;
  return [...element.options]
    .filter((option) => !option.hidden)
    .map((option) => {
      const begins = groupOf(option) !== group;
      group = groupOf(option);
      const name = begins || option.selected ? titleOf(option) : cleanText(option.label);
      return { role: "option", name, marks: statesOf(option, "option") };
    });
};
// Whether a click on the label that stands for a field arrives at it.
export const hasClickableLabel = (element) => {
  const label = visibleLabel(element);
  return !!label && getComputedStyle(label).pointerEvents !== "none";
};
// Whether it is for the keyboard alone: in what takes the mouse for it, as the handle of a slider.
export const isKeyed = (element, { pointerEvents }) =>
  isTyped(element) &&
  !PUSHED.has(element.type) &&
  element.tabIndex >= 0 &&
  pointerEvents === "none" &&
  getComputedStyle(element.parentElement || element.getRootNode().host).pointerEvents !== "none";
const isCalled = (label) => !!label && isSeen(label);
export const PUSHED = new Set(["button", "image", "reset", "submit"]);
export const isTyped = (element) => isEntry(element) && !LABELLED.has(element.type);
const isUnheard = (element) =>
  isAria(element, "aria-hidden") ||
  (!LABELLED.has(element.type) &&
    !!element.closest("[aria-hidden=true]") &&
    !isCalled(visibleLabel(element)));
const isUntouched = ({ localName }, { pointerEvents }) =>
  localName === "select" && pointerEvents === "none";
// What neither eyes nor assistive technology, or the mouse, nor the Tab key find: the field that a
// widget replaces. One for files that lies over a button takes the mouse.
const isOver = ({ type }, { pointerEvents }, { width, height }) =>
  type === "file" && pointerEvents !== "none" && width > 1 && height > 1;
export const isReplaced = (element, { style, rect }, unseen) =>
  (unseen || rect.width <= 1 || rect.height <= 1) &&
  element.tabIndex < 0 &&
  !isOver(element, style, rect) &&
  (isUntouched(element, style) || isUnheard(element));

// What fields hold.

import { keepsLines } from "../accessibility/lines.js";
import { chosenIn } from "../accessibility/options.js";
import { FRAMES } from "../accessibility/refs.js";
import { editorLines, editorOf, isTerminal } from "../dom/code_editor.js";
import { isMasked } from "../dom/masked.js";
import { cleanText } from "../dom/text.js";
import { closest, isRoot } from "../dom/tree.js";
import { editorText } from "./editors.js";

export const NOT_TEXT = ["button", "checkbox", "file", "image", "radio", "reset", "submit"];
const EDITABLE = "input, textarea, select, [contenteditable]:not([contenteditable=false])";
// The body of a frame's document, if that is edited as a whole; of another site's nobody knows.
const editorIn = (frame) => {
  const body = frame.contentDocument?.body;
  return body?.isContentEditable ? body : null;
};
// The field that is meant: the element, the control of a label, the only field inside that is not
// hidden (widgets keep their values in such), or the editor that the element is part of.
const DRAWN = { visibilityProperty: true };
// Whether it is the page as a whole, which takes neither a text nor the focus.
export const isPage = (element) =>
  isRoot(element) && !element.isContentEditable && element.tabIndex < 0;
export const fieldOf = (element) => {
  if (FRAMES.has(element.localName)) return editorIn(element);
  if (editorOf(element) || element.matches("input, textarea, select") || element.isContentEditable)
    return element;
  if (isRoot(element)) return null;
  if (element.localName === "label" && element.control) return element.control;
  const inside = [...element.querySelectorAll(EDITABLE)];
  if (element.shadowRoot) inside.push(...element.shadowRoot.querySelectorAll(EDITABLE));
  const drawn = inside.filter((one) => one.checkVisibility(DRAWN));
  return drawn.length === 1 ? drawn[0] : null;
};
// What a field holds, and how the snapshot shows it.
export const fieldState = (field) => {
  if (!field?.isConnected || NOT_TEXT.includes(field.type)) return { value: null };
  const drawn = editorOf(field);
  if (drawn && isTerminal(drawn)) return { value: null };
  if (drawn)
    return { value: editorLines(drawn), shown: editorLines(drawn), secret: false, part: true };
  const value = field.isContentEditable ? field.innerText : field.value;
  if (typeof value !== "string") return { value: null };
  return {
    value,
    ...(field.isContentEditable ? { editor: true, ...editorText(field) } : {}),
    shown: shownOf(field, value),
    secret: !field.isContentEditable && isMasked(field),
    number: field.type === "number" || field.getAttribute("role") === "spinbutton" || undefined,
  };
};
const shownOf = (field, value) => {
  // An editor in a frame is not what the frame itself shows.
  if (field.ownerDocument !== document) return undefined;
  if (field.localName === "select") return chosenIn(field);
  const joined = field.isContentEditable && !keepsLines(field, getComputedStyle(field));
  return joined ? cleanText(value) : value;
};
// A secret is for some origins alone: no origin is that of a sandboxed document. The script may reach
// other documents of the process, into which an element may have been moved.
export const mayHave = (field, origins) =>
  !origins || (field.isConnected && field.ownerDocument === document && origins.includes(origin));
// Whether something may answer what is entered: a list of options, or of what is found; what
// keys do elsewhere than in a field is unknown.
const LISTED = "[role=combobox], [list], [aria-autocomplete]:not([aria-autocomplete=none])";
const CONTROLS = "select, [aria-controls], [aria-owns], [aria-haspopup=listbox], [aria-expanded]";
export const isAnswered = (field) => {
  if (!field || !(field.matches("input, textarea, select") || field.isContentEditable)) return true;
  return field.matches(`${LISTED}, ${CONTROLS}`) || !!closest(field, "[role=combobox]");
};
// What all other fields hold: scripts set values without a trace in the DOM.
export const fieldValues = (except, roots = [document]) => {
  const held = [];
  for (const root of roots)
    for (const field of root.querySelectorAll("input, textarea, select")) {
      if (held.length > 2000) break;
      if (field !== except) held.push(field.value, field.checked);
    }
  return held.join("\n");
};
// What a field holds, as a person reads it; "" for what is none for text.
export const heldBy = (field) => {
  if (field.matches("select"))
    return [...field.selectedOptions].map((each) => each.label).join(", ");
  const text =
    field.matches("textarea") || (field.matches("input") && !NOT_TEXT.includes(field.type));
  return text ? field.value.slice(0, 10_000) : "";
};

// Values set as a person would, with the events that this sends.

import {
  chosenIn,
  isOpen,
  optionsBeside,
  optionsOf,
  plain,
  suggestedOptions,
  suggestion,
  unchosen,
} from "../accessibility/options.js";
import { roleOf } from "../accessibility/role_and_name.js";
import { rolesWith } from "../accessibility/roles.js";
import { isRangeInput, thumbOf } from "../accessibility/stand_ins.js";
import { editorOf, isTerminal } from "../dom/code_editor.js";
import { clip, focusedElement } from "../dom/tree.js";
import { copyFrom, pasteInto } from "./editors.js";
import { activate, activeOf, isActive, isSelectedIn } from "./selection.js";
import { fieldOf, mayHave, NOT_TEXT } from "./values.js";

const SET = ["color", "date", "datetime-local", "month", "range", "time", "week"];
const FORMS = {
  color: "#aabbcc",
  date: "2030-12-31",
  "datetime-local": "2030-12-31T23:59",
  month: "2030-12",
  number: "1234.5",
  time: "23:59",
  week: "2030-W52",
};
export const kindOf = (field) => {
  if (field.localName === "select") return "select";
  if (field.localName !== "input") return "text";
  if (NOT_TEXT.includes(field.type)) return field.type;
  return SET.includes(field.type) ? "set" : "text";
};
const changed = (field) => {
  field.dispatchEvent(new Event("input", { bubbles: true, composed: true }));
  field.dispatchEvent(new Event("change", { bubbles: true }));
};
// A slider is moved as by the mouse, whose release many pages wait for; 1 is the pointer that a mouse is.
const dragged = (field, type, buttons) => {
  const [x, y] = thumbOf(field);
  const { left, top } = field.getBoundingClientRect();
  const at = {
    clientX: left + x,
    clientY: top + y,
    button: 0,
    buttons,
    bubbles: true,
    cancelable: true,
    composed: true,
  };
  const made = type.startsWith("pointer")
    ? new PointerEvent(type, { ...at, pointerId: 1, pointerType: "mouse", isPrimary: true })
    : new MouseEvent(type, at);
  field.dispatchEvent(made);
};
// A colour as such a field holds it, where a style sheet would take it.
const colourOf = (value) => {
  const pen = CSS.supports("color", value) ? new OffscreenCanvas(1, 1).getContext("2d") : null;
  if (pen) pen.fillStyle = value;
  return pen ? pen.fillStyle : value;
};
const isSame = ({ type }, value, shown) =>
  type === "color"
    ? colourOf(value) === shown
    : shown === value || (type === "range" && value.trim() && Number(shown) === Number(value));
// Returns what the field then holds, before the page hears of it; null for what is no value of it.
export const setValue = (field, value, origins) => {
  const before = field.value;
  field.value = field.type === "color" ? colourOf(value) : value;
  const shown = field.value;
  const isTaken = !value || isSame(field, value, shown);
  field.value = before;
  if (!isTaken) return null;
  const isSlider = isRangeInput(field);
  activate(field);
  hearKey("keydown");
  if (isSlider) dragged(field, "pointerdown", 1);
  if (!mayHave(field, origins)) return null;
  field.value = shown;
  field.dispatchEvent(new Event("input", { bubbles: true, composed: true }));
  if (isSlider) for (const type of ["pointerup", "mouseup"]) dragged(field, type, 0);
  field.dispatchEvent(new Event("change", { bubbles: true }));
  hearKey("keyup");
  return shown;
};
// How a value of the field is written.
const steps = ({ step }) => (Number(step) > 0 ? ` in steps of ${step}` : "");
const form = (field) =>
  field.type === "range"
    ? `a number from ${field.min || 0} to ${field.max || 100}${steps(field)}`
    : FORMS[field.type] || "one of its options";
const takeSuggested = (field, { values, token, check }) => {
  const text = plain(values[0] ?? "").toLowerCase();
  const found = optionsBeside(field).find((option) =>
    [option.value, option.label, suggestion(option)].some(
      (one) => plain(one).toLowerCase() === text,
    ),
  );
  if (values.length !== 1) return { ok: false, why: "for one", final: true };
  if (field.readOnly) return { ok: false, why: "read-only", final: true };
  const ready = check(field, { token, point: false, settled: true });
  if (!ready.ok) return ready;
  if (!found)
    return {
      ok: false,
      why: "no option",
      kind: clip(values[0], 80),
      options: suggestedOptions(field).slice(0, 30),
    };
  activate(field);
  field.value = found.value;
  changed(field);
  return { ...ready, set: found.value };
};
// Returns what the field shows, before the page hears of it.
const choose = (field, values) => {
  const chosen = values.map((value) => optionsOf(field, value).find(isOpen));
  if (!field.multiple) chosen[0].selected = true;
  else for (const option of field.options) option.selected = chosen.includes(option);
  const shown = chosenIn(field);
  changed(field);
  return shown;
};
const MOVED = rolesWith("moved");
export const unready = (field, kind, element) => {
  if (!field) return MOVED.has(roleOf(element)) ? "moved" : "not a field";
  if (kind === "file") return "for files";
  if (NOT_TEXT.includes(kind)) return "to be clicked";
  const editor = editorOf(field);
  if (editor && isTerminal(editor)) return "a terminal";
  // HTML knows no slider to be read only: a script moves it that calls it so.
  if (field.readOnly && isRangeInput(field)) return "read-only slider";
  return field.readOnly && (kind === "set" || field.disabled) ? "read-only" : "";
};
export const selectOption = (element, { values, token, check }) => {
  const field = fieldOf(element);
  if (field && optionsBeside(field).length) return takeSuggested(field, { values, token, check });
  if (field?.localName !== "select") return { ok: false, why: "not a drop-down", final: true };
  if (values.length !== 1 && !field.multiple) return { ok: false, why: "for one", final: true };
  const found = check(field, { token, point: false, settled: true });
  if (!found.ok) return found;
  // Mostly not final: a page may still be fetching its options.
  const wrong = values.map((value) => unchosen(field, value)).find(Boolean);
  return wrong ? { ok: false, ...wrong } : { ...found, set: choose(field, values) };
};
export const notAValue = (field) => ({
  ok: false,
  why: "not a value",
  final: true,
  kind: field.type,
  form: form(field),
});
// Pages that look at a field when a key is pressed or let go hear of one, as from the keyboard of a
// phone, which says not of which (UI Events, section 5.6.3).
const UNNAMED = { key: "Unidentified", keyCode: 229, which: 229 };
export const hearKey = (type) => {
  const field = focusedElement();
  if (!field?.matches("input, textarea")) return;
  field.dispatchEvent(
    new KeyboardEvent(type, { ...UNNAMED, bubbles: true, cancelable: true, composed: true }),
  );
};
// One key of an action, however often the page has to be asked until it agrees.
let pressed = "";
export const pressKey = (token) => {
  if (pressed !== token) hearKey("keydown");
  pressed = token;
};
// The field that takes the keys, if the element has the focus.
const typedIn = (element) => {
  const field = fieldOf(element);
  return field && isActive(field) ? activeOf(field) : null;
};
export const paste = (element, { value, origins }) => {
  const field = typedIn(element);
  return { pasted: !!field && mayHave(field, origins) && pasteInto(field, value) };
};
export const copy = (element) => {
  const field = typedIn(element);
  return { copied: field ? copyFrom(field) : "" };
};
// Enters a text as a browser does where it has the focus and the selection; else as a script does.
// Returns whether neither can.
export const put = (field, text, whole) => {
  const byBrowser = isActive(field) && (editorOf(field) || isSelectedIn(field));
  if (
    byBrowser &&
    document.contentType === "text/html" &&
    document.execCommand("insertText", false, text)
  )
    return false;
  if (typeof field.value !== "string") return true;
  const { value, selectionStart, selectionEnd } = field;
  const [from, to] = whole
    ? [0, value.length]
    : [selectionStart ?? value.length, selectionEnd ?? value.length];
  field.value = value.slice(0, from) + text + value.slice(to);
  changed(field);
  return false;
};
// Tells of a text before strap enters it itself (`fields.insert`); returns whether nobody minds.
let own = null;
export const enterText = (field, text) => {
  const input = { inputType: "insertText", data: text };
  own = new InputEvent("beforeinput", {
    ...input,
    bubbles: true,
    cancelable: true,
    composed: true,
  });
  return field.dispatchEvent(own);
};
export const isReal = (event) => event.isTrusted || event === own;

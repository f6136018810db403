// Filling and focusing a field.

import { FRAMES } from "../accessibility/refs.js";
import { editorOf } from "../dom/code_editor.js";
import { focusedElement } from "../dom/tree.js";
import { boxesFrom } from "../forms/boxes.js";
import {
  enterText,
  kindOf,
  notAValue,
  pressKey,
  put,
  selectOption,
  setValue,
  unready,
} from "../forms/entering.js";
import { activate, isActive, isRange, isSelectedIn, selectAll, toEnd } from "../forms/selection.js";
import { foreignTarget } from "../forms/targets.js";
import { fieldOf, mayHave } from "../forms/values.js";
import { demandKeys, demandWhole } from "./guard.js";

// Why a secret must not go into this field, null if it may; then it is covered.
const coverAtFirst = (field, origins) => {
  const { may, posts } = cover(field, { origins });
  return may && !posts ? null : { ok: false, why: "secret", final: true, posts: may && posts };
};
// With `whole` a text that would replace but a part of what the field holds is not entered.
export const prepareFill = (element, { value, token, whole, key, origins, check }) => {
  const field = fieldOf(element);
  const kind = field ? kindOf(field) : "";
  const why = unready(field, kind, element);
  if (why) return { ok: false, why, final: true, kind };
  const wrong = origins && coverAtFirst(field, origins);
  if (wrong) return wrong;
  const given = value !== undefined;
  if (kind === "select" && given) {
    const chosen = selectOption(field, { values: [value], token, check });
    return chosen.ok ? { ...chosen, mode: "done" } : chosen;
  }
  const found = check(field, { token, point: false, settled: true });
  if (!found.ok) return found;
  if (given && field.type === "number" && Number.isNaN(Number(value))) return notAValue(field);
  if (kind !== "set" && kind !== "select")
    return prepareKeys(field, found, { value, token, whole, key });
  const set = given ? setValue(field, value, origins) : null;
  return set === null ? notAValue(field) : { ...found, mode: "done", set };
};
// Gives the field the focus, and selects what the text is to replace.
const prepareKeys = (field, found, { value, token, whole, key }) => {
  const fresh = !isActive(field);
  if (!activate(field)) return { ok: false, why: "not focusable" };
  // Some pages let a user write only once the field has the focus.
  if (field.readOnly) return { ok: false, why: "read-only" };
  const typed = { ...found, mode: "type", fresh };
  demandKeys();
  if (editorOf(field)) return { ...typed, keys: true };
  const editor = field.isContentEditable;
  if (key && !editor) pressKey(token);
  if (!isActive(field)) return { ok: false, why: "not focusable" };
  const empty = !(editor ? field.innerText : field.value);
  selectAll(field);
  if (whole) demandWhole();
  // Nothing is entered where nothing is to be.
  if (empty && value === "") demandKeys(false);
  return { ...typed, empty, editor };
};
export const focusField = (element, { token, text, check }) => {
  const field = fieldOf(element) || element;
  if (text && FRAMES.has(field.localName)) return { ok: false, why: "a frame", final: true };
  const found = check(field, { token, point: false, settled: true });
  if (!found.ok) return found;
  // What is selected is for the keys that follow; else text is added to what a field holds.
  const rests = isActive(field) && isSelectedIn(field) && (!text || isRange(field));
  if (!activate(field)) return { ok: false, why: "not focusable" };
  demandKeys();
  // An editor of code has a caret of its own.
  if (editorOf(field)) return { ...found, keys: true };
  if (rests) return found;
  if (field.matches("input, textarea") || field.isContentEditable) toEnd(field);
  return found;
};
// Enters a text where no browser does, in the field with the focus; returns the window of the frame
// that has it instead.
export const insert = (text) => {
  const field = focusedElement();
  if (field?.contentWindow) return field.contentWindow;
  if (field && enterText(field, text)) document.execCommand("insertText", false, text);
  return null;
};
// Shows dots where a secret is entered, so that no picture shows it; returns the document's origin.
// A secret of `count` characters may be for as many fields: `boxes` says how many it covered.
export const cover = (element, { origins, count = 0 }) => {
  const field = fieldOf(element) || element;
  const told = owners(field, origins);
  const boxes = count ? boxesFrom(field, count) : [field];
  if (told.may) for (const each of boxes) each.style.setProperty("-webkit-text-security", "disc");
  return { ...told, boxes: boxes.length };
};
const owners = (field, origins) => ({
  may: mayHave(field, origins),
  origin,
  posts: foreignTarget(field, origins),
});
// Enters a secret in this very field, in one step with the check that it may have it. Keys go to what
// has the focus, which a page around the frame can take. With `box` it is one character, for the
// field that is so many after this one, of `count`.
export const enter = (element, { text, origins, whole, box, count }) => {
  const first = fieldOf(element) || element;
  const field = box === undefined ? first : boxesFrom(first, count)[box];
  if (!field) return { may: true, kept: true };
  if (!isActive(field)) activate(field);
  const editor = editorOf(field);
  if (whole && !editor) selectAll(field);
  const before = cover(field, { origins });
  if (!before.may || before.posts || !enterText(field, text)) return before;
  const now = owners(field, origins);
  if (!now.may || now.posts) return now;
  const kept = put(field, text, whole && !editor);
  // The page may lead its form elsewhere as it hears of the text.
  const after = owners(field, origins);
  if (after.posts && typeof field.value === "string") field.value = "";
  return { ...after, kept };
};

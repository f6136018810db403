// What authors put on an element beside its words: it stays when a page is translated or restyled.

import { isMasked } from "../dom/masked.js";
import { CONTROL, clip } from "../dom/tree.js";
import { fieldOf } from "../forms/values.js";

const TEST_IDS = ["data-testid", "data-test", "data-cy", "data-qa"];
const BY_HAND = /^[A-Za-z]+(?:[-_][A-Za-z]+)*$/; // others are numbered by a library
const LONGEST = 200; // characters of a mark
const SECRET = /(?:^|\s)(?:cc-\S+|one-time-code|(?:new|current)-password)$/;
// Marks that several elements have tell none of them.
const isAlone = (element, name, value) =>
  document.querySelectorAll(`[${name}="${CSS.escape(value)}"]`).length === 1 &&
  element.getRootNode() === document;
// The element whose marks are taken: the component, for its only control of that kind. Marks within
// a component are the same in each instance.
const markedOf = (element) => {
  const root = element.getRootNode();
  const isOnly = root.host && root.querySelectorAll(element.localName).length === 1;
  return isOnly ? root.host : element;
};
// The elements, and if that is `wanted` the controls that have the marks of one of them.
export const withControls = (elements, wanted) =>
  elements.flatMap((one) => [
    one,
    ...[...((wanted && one.shadowRoot?.querySelectorAll(CONTROL)) || [])].filter(
      (it) => markedOf(it) === one,
    ),
  ]);
const pathOf = (url) => {
  const parsed = URL.parse?.(url);
  return /^https?:$/.test(parsed?.protocol ?? "") ? clip(parsed.pathname, LONGEST) : "";
};
const isSecret = (field) =>
  isMasked(field) || SECRET.test(field.getAttribute("autocomplete") ?? "");
export const marksOf = (element) => {
  const told = {};
  const marked = markedOf(element);
  const take = (kind, name) => {
    const value = marked.getAttribute(name);
    if (value && value.length <= LONGEST && isAlone(marked, name, value)) told[kind] ??= value;
  };
  for (const name of TEST_IDS) take("testid", name);
  if (BY_HAND.test(marked.id)) take("id", "id");
  if (marked !== element || element.matches("input, select, textarea, button"))
    take("field", "name");
  const link = element.closest("a[href]");
  const path = link ? link.href : element.type === "submit" && element.form?.action;
  if (typeof path === "string" && pathOf(path)) told.path = pathOf(path);
  const field = fieldOf(element);
  if (field) told.tag = field.localName;
  if (field && isSecret(field)) told.secret = true;
  return told;
};

// What authors put on an element beside its words: it stays when a page is translated or restyled.

import { isMasked } from "../dom/masked.js";
import { clip } from "../dom/tree.js";
import { fieldOf } from "../forms/values.js";

const TEST_IDS = ["data-testid", "data-test", "data-cy", "data-qa"];
const BY_HAND = /^[A-Za-z]+(?:[-_][A-Za-z]+)*$/; // others are numbered by a library
const LONGEST = 200; // characters of a mark
const SECRET = /(?:^|\s)(?:cc-\S+|one-time-code|(?:new|current)-password)$/;
// Marks that several elements have tell none of them, and neither do those in a component, which
// each of its instances has.
const isAlone = (element, name, value) => {
  const root = element.getRootNode();
  const alike = `[${name}="${CSS.escape(value)}"]`;
  return root === document && root.querySelectorAll(alike).length === 1;
};
const pathOf = (url) => {
  const parsed = URL.parse?.(url);
  return /^https?:$/.test(parsed?.protocol ?? "") ? clip(parsed.pathname, LONGEST) : "";
};
const isSecret = (field) =>
  isMasked(field) || SECRET.test(field.getAttribute("autocomplete") ?? "");
export const marksOf = (element) => {
  const told = {};
  const take = (kind, name) => {
    const value = element.getAttribute(name);
    if (value && value.length <= LONGEST && isAlone(element, name, value)) told[kind] ??= value;
  };
  for (const name of TEST_IDS) take("testid", name);
  if (BY_HAND.test(element.id)) take("id", "id");
  if (element.matches("input, select, textarea, button")) take("field", "name");
  const link = element.closest("a[href]");
  const path = link ? link.href : element.type === "submit" && element.form?.action;
  if (typeof path === "string" && pathOf(path)) told.path = pathOf(path);
  const field = fieldOf(element);
  if (field) told.tag = field.localName;
  if (field && isSecret(field)) told.secret = true;
  return told;
};

// The states of elements to assistive technology, in words, as in WAI-ARIA 1.2.

import { opensItself, summaries } from "../dom/details.js";
import { ariaValue, isAria, isDisabled } from "./attributes.js";
import { rolesWith } from "./roles.js";

const TRISTATE = /^(true|false|mixed)$/;
const tristate = (word, value) => {
  if (value === "mixed") return `${word}=mixed`;
  return value === true || value === "true" ? word : "";
};
// A cell has no such state by the standard, but tables of data say so of the ticks that they draw.
const CHECKED = rolesWith("checked");
// Nor have buttons, links and what has no role this one, but calendars and lists say so of theirs.
const SELECTED = rolesWith("selected");
const DISABLED = rolesWith("disabled");
const EXPANDED = rolesWith("expanded");
const INVALID = rolesWith("invalid");
const written = (element, name) => ariaValue(element, name)?.trim().toLowerCase();
const isTicked = (element) => element.type === "checkbox" || element.type === "radio";
// A box of HTML is what it is. What its author says beside that, and may have drawn instead of it,
// is told where it is something else.
const checked = (element) => {
  const attribute = written(element, "aria-checked");
  const said = tristate("checked", attribute);
  if (element.localName !== "input" || !isTicked(element)) return said;
  const own = tristate("checked", element.indeterminate ? "mixed" : element.checked);
  const told = own === said || !TRISTATE.test(attribute) ? "" : `aria-checked=${attribute}`;
  return `${own} ${told}`.trim();
};
const selected = (element) =>
  element.localName === "option" ? element.selected : isAria(element, "aria-selected");
// A drop-down that is open is drawn by the browser, outside of the page.
const KNOWS_OPEN = CSS.supports("selector(:open)");
// A summary has that state of what it opens, whatever its role (HTML-AAM).
const isSummary = (element) =>
  element.localName === "summary" && element.parentElement?.localName === "details";
const opens = (element) => isSummary(element) || opensItself(element);
const isOpened = (element) => {
  if (!isSummary(element)) return element.open && opensItself(element);
  const { parentElement: details } = element;
  return details.open && summaries(details).includes(element);
};
const isExpanded = (element) =>
  isAria(element, "aria-expanded") ||
  isOpened(element) ||
  (element.localName === "select" && KNOWS_OPEN && element.matches(":open"));
const invalid = (element) => {
  const value = written(element, "aria-invalid");
  if (!value || value === "false") return "";
  return value === "grammar" || value === "spelling" ? `invalid=${value}` : "invalid";
};
// A level that no other line shows by what it is in.
const LEVELLED = new Set(["row", "treeitem"]);
const depth = (element, role) => {
  if (!LEVELLED.has(role) || element.parentElement?.closest(`[role=${role}]`)) return 0;
  return level(element) > 1 && level(element);
};
const level = (element) => {
  const own = /^h([1-6])$/.exec(element.localName)?.[1] || 0;
  return Number(element.getAttribute("aria-level")) || Number(own);
};
const sorted = (element) => {
  const order = written(element, "aria-sort");
  return order && order !== "none" && `sort=${order}`;
};
const isCurrent = (element) => {
  const value = written(element, "aria-current");
  return !!value && value !== "false";
};
// The states of an element in words.
export const statesOf = (element, role, plain) =>
  [
    CHECKED.has(role) && checked(element),
    DISABLED.has(role) && isDisabled(element, plain) && "disabled",
    (EXPANDED.has(role) || opens(element)) && isExpanded(element) && "expanded",
    INVALID.has(role) && invalid(element),
    role === "heading" && level(element) && `level=${level(element)}`,
    depth(element, role) && `level=${level(element)}`,
    role === "button" && tristate("pressed", written(element, "aria-pressed")),
    SELECTED.has(role) && selected(element) && "selected",
    isCurrent(element) && "current",
    sorted(element),
  ].filter(Boolean);
// What a gauge or a slider stands at, as a person reads it; "" for everything else.
const RANGES = rolesWith("range");
const share = (value, least, most) =>
  least === 0 && most === 1 ? `${Math.round(100 * value)}%` : `${value} of ${most}`;
export const rangeValue = (element, role) => {
  if (!RANGES.has(role) || element.localName === "input") return "";
  if (role === "separator" && element.tabIndex < 0) return ""; // it parts texts, or is one
  const told = ariaValue(element, "aria-valuetext") || ariaValue(element, "aria-valuenow");
  const { localName, value, max } = element;
  if (told) return told;
  if (localName === "progress") return element.position < 0 ? "" : share(value, 0, max);
  return localName === "meter" ? share(value, element.min, max) : "";
};

// What HTML gives a role by more than its tag.

import { words } from "../dom/text.js";
import { isSearch } from "./attributes.js";
import { isRole } from "./roles.js";

const LISTED = words("email search tel text url");
const SECTIONS =
  "article, aside, main, nav, section, [role=article], [role=complementary], [role=main], " +
  "[role=navigation], [role=region]";
export const link = (element) =>
  element.hasAttribute("href") || element.hasAttribute("xlink:href") ? "link" : "generic";
export const within = (element, selector) => !!element.parentElement?.closest(selector);
export const landmark = (role) => (element) => (within(element, SECTIONS) ? "generic" : role);
export const SECTIONING = ["article", "aside", "nav", "section"]
  .map((tag) => `${tag}:not([role=main])`)
  .join();
export const entry = ({ type, list }) => {
  if (list && LISTED.has(type)) return "combobox";
  return type === "search" ? "searchbox" : "textbox";
};
const holdsData = (cell) => cell?.localName === "td" && /\S/.test(cell.textContent);
export const header = (element) => {
  const scope = element.getAttribute("scope") || "";
  if (/^row/i.test(scope)) return "rowheader";
  const { previousElementSibling: before, nextElementSibling: after } = element;
  if (/^col/i.test(scope)) return "columnheader";
  if (!before && !after && element.closest("table")?.rows.length === 1) return "generic";
  return holdsData(before) || holdsData(after) ? "rowheader" : "columnheader";
};
export const isGrid = (table) => /^\s*(tree)?grid\b/i.test(table?.getAttribute("role") || "");
// Whether the options stand in a list that opens, of several too where the browser draws that.
export const isDropDown = ({ multiple, size, options }) =>
  multiple
    ? size === 1 && options.length > 0 && ![...options].some((one) => one.checkVisibility())
    : size <= 1;
export const searchRole = (element) => (isSearch(element) ? "button" : "generic");
const WHOLES = new Map([["li", "menu, ol, ul"]]);
for (const tag of ["dd", "dt"]) WHOLES.set(tag, "dl");
for (const tag of "caption tbody td tfoot th thead tr".split(" ")) WHOLES.set(tag, "table");
const PLAIN = /^\s*(none|presentation)\b/i;
export const GLOBAL = (
  "atomic busy controls current describedby description details dropeffect flowto grabbed " +
  "keyshortcuts label labelledby live owns relevant roledescription"
)
  .split(" ")
  .map((name) => `aria-${name}`);
// A document that can be edited as a whole is so from its body on.
export const isEditor = (element) =>
  element.isContentEditable &&
  (element === document.body || !element.parentElement?.isContentEditable);
// Parts of a drawing that are called something, as in SVG-AAM 1.0.
export const SHAPES = words("circle ellipse image line path polygon polyline rect use");
// A list or table that is none to assistive technology has no items or cells either.
export const isPartOfNothing = (element) => {
  const whole = WHOLES.get(element.localName);
  return !!whole && PLAIN.test(element.closest(whole)?.getAttribute("role") || "");
};
// What takes the focus or says something of itself is more than decoration, whatever its role.
export const FOCUSABLE =
  "a[href], button, details > summary, iframe, input, select, textarea, [contenteditable], [tabindex]";
export const known = (token) => isRole(token);
export const tokens = (element) =>
  element
    .getAttribute("role")
    ?.toLowerCase()
    .split(/[ \t\n\f\r]+/)
    .filter(known) || [];

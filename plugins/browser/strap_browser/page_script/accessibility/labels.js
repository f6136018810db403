// Labels, and attributes that name.

import { labelAround } from "../dom/captions.js";
import { cleanText, words } from "../dom/text.js";
import { isAria, referred } from "./attributes.js";
import { rolesWith } from "./roles.js";

// What stands in an element for itself is no part of the element's name.
const SEPARATE = rolesWith("not in names");
export const isRendered = (element) =>
  element.checkVisibility() || getComputedStyle(element).display === "contents";
export const isVisible = (element) =>
  element.checkVisibility({ visibilityProperty: true }) ||
  getComputedStyle(element).display === "contents";
export const isShown = (element) => !isAria(element, "aria-hidden") && isVisible(element);
export const attribute = (name) => (element) => {
  const value = element.getAttribute(name);
  return value ? cleanText(value) : "";
};
export const ariaLabel = attribute("aria-label");
export const titleText = attribute("title");
// A walk through what a name is made of: the elements that were `seen`, whether it is that of
// something `referred` to, which follows no other reference, and whether `hidden` texts count,
// as they do in what is hidden itself.
export const begun = (element, seen, referred, hidden = !isShown(element)) => ({
  seen,
  referred,
  hidden,
});
// What is no text of the page, in hidden parts too.
export const UNREAD = words("noscript script style template");
// Most of a name is plain: their roles need not be asked for.
const PARTS = words("b br div em i label p small span strong");
export const isPart = (element) =>
  PARTS.has(element.localName) &&
  !element.hasAttribute("role") &&
  !element.hasAttribute("contenteditable");
export const isSeparate = (element, role, { referred }) =>
  SEPARATE.has(role) && element.hasAttribute("role") && !referred;
// Whether a value was part of the name that is being computed, and whether it is left out of it.
export const naming = { valued: false, lasting: false };
export const pictured = (element) => {
  const found = [...element.children].find(({ localName }) => localName === "title");
  return found ? found.textContent : element.getAttribute("xlink:title") || "";
};
export const prompted = (element) =>
  element.getAttribute("placeholder") || element.getAttribute("aria-placeholder") || "";
export const isPrecise = (element) =>
  element.getAttribute("accuracymode")?.toLowerCase() === "precise";
export const LABELABLE = words("button input meter output progress select textarea");
// The browser looks through the whole document for the labels of each control: while many are
// named, and nothing changes, they are looked up once for each tree.
let labelled = null;
const byControl = (root) => {
  const found = new Map();
  for (const label of root.querySelectorAll("label")) {
    const { control } = label;
    if (control) found.set(control, [...(found.get(control) || []), label]);
  }
  return found;
};
export const labelsIn = (root) => {
  if (!labelled) return byControl(root);
  if (!labelled.has(root)) labelled.set(root, byControl(root));
  return labelled.get(root);
};
export const labelsOf = (element) =>
  labelled ? labelsIn(element.getRootNode()).get(element) || [] : [...(element.labels || [])];
// Whether something else on the page is its label.
export const hasLabel = (element) =>
  (LABELABLE.has(element.localName) && labelsOf(element).some(isVisible)) ||
  referred(element, "aria-labelledby").length > 0 ||
  !!labelAround(element);
export const atRest = (work) => {
  labelled = new Map();
  try {
    return work();
  } finally {
    labelled = null;
  }
};

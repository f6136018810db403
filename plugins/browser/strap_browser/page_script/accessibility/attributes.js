// ARIA attributes, and the elements that they refer to.

import { words } from "../dom/text.js";
import { closest, isPlain } from "../dom/tree.js";
import { internalsOf } from "./internals.js";

const FORM_CONTROL = "button, input, select, textarea, option, optgroup";
// `plain`: where it is known that no shadow root is around the element.
export const isDisabled = (element, plain = isPlain(element)) => {
  const around = (selector) => (plain ? element.closest(selector) : closest(element, selector));
  const control = around(FORM_CONTROL);
  const barred = (!!control && control.matches(":disabled")) || !!around("[aria-disabled=true]");
  return barred || isAria(element, "aria-disabled");
};
// What keeps a disabled element from the mouse; it `yields` where only ARIA calls it disabled.
export const barOf = (element, settled) => {
  if (!isDisabled(element)) return null;
  const disabled = closest(element, FORM_CONTROL)?.matches(":disabled");
  const yields = !disabled && getComputedStyle(element).pointerEvents !== "none";
  return settled && yields ? null : { yields };
};
// What the browser draws as a button that asks for a permission, where it knows of it.
const ASKING = words("geolocation usermedia");
export const isSearch = (element) =>
  ASKING.has(element.localName) && !(element instanceof HTMLUnknownElement);
export const ariaValue = (element, name) =>
  element.getAttribute(name) ?? internalsOf(element, name);
export const isAria = (element, name) => ariaValue(element, name)?.trim().toLowerCase() === "true";
// What an attribute refers to: by ids, or by the elements that a script gave its property.
const PROPERTIES = {
  "aria-activedescendant": "ariaActiveDescendantElement",
  "aria-describedby": "ariaDescribedByElements",
  "aria-labelledby": "ariaLabelledByElements",
};
export const referred = (element, name) => {
  const ids = element.getAttribute(name);
  if (ids) {
    const root = element.getRootNode();
    return ids
      .split(/\s+/)
      .map((id) => id && root.getElementById?.(id))
      .filter(Boolean);
  }
  // The fields of a form hide what it has of the same name.
  if (ids === null || element instanceof HTMLFormElement) return [];
  return [element[PROPERTIES[name]]].flat().filter(Boolean);
};

// Whether a large page has changed since it was last looked at.

import { isSpoken } from "../accessibility/internals.js";
import { focusedElement, shadowRoots } from "../dom/tree.js";
import { fieldValues } from "../forms/values.js";
import { EVERYTHING } from "./mutations.js";

// Whether anything changed since a large page was last looked at: it need not be read again. Much of
// what an action does leaves no trace, as style sheets, shadow roots and frames do.
let stamped = null;
export const mistrust = () => {
  if (stamped) stamped.dirty = true;
};
export const stamp = (token) => {
  if (stamped) stamped.observer.disconnect();
  const observer = new MutationObserver(() => {
    stamped.dirty = true;
    stamped.observer.disconnect();
  });
  stamped = { token, observer, values: fieldValues(), focus: focusedElement(), dirty: false };
  for (const root of shadowRoots()) observer.observe(root, EVERYTHING);
};
export const isUnchanged = (token) => {
  if (!stamped || stamped.token !== token || stamped.dirty) return false;
  if (stamped.observer.takeRecords().length) stamped.dirty = true;
  return (
    !stamped.dirty &&
    !isSpoken() &&
    stamped.focus === focusedElement() &&
    stamped.values === fieldValues()
  );
};

// Whether a document shows what it showed when it was last looked at. What styles and layout make of it
// is no part of this: DevTools counts how often the browser computed them (`engine/frames/kept_outlines.py`).

import { heardCount } from "../accessibility/interactive.js";
import { isSpoken, isWanted } from "../accessibility/internals.js";
import { takeScrollers } from "../dom/smooth_scrolling.js";
import { allRoots, focusedElement } from "../dom/tree.js";
import { EVERYTHING } from "./mutations.js";

const PICTURES = "img, input[type=image]";
const FIELDS = "input, textarea, select";
const MOST_SCROLLERS = 500; // more take long to ask
// What fields hold: scripts set that without a trace in the DOM.
const held = (field) =>
  field.localName === "select"
    ? [...field.selectedOptions].map((option) => option.index).join()
    : [field.value, field.checked, field.indeterminate];
const allIn = (roots, selector) => roots.flatMap((root) => [...root.querySelectorAll(selector)]);
// What else is told and leaves no mutation: `where` it is scrolled to, `held` by fields.
const untraced = (roots, scrollers) => ({
  fields: allIn(roots, FIELDS).map(held).join("\n"),
  where: scrollers.map(({ scrollLeft, scrollTop }) => [scrollLeft, scrollTop]).join(),
  about: [
    innerWidth,
    innerHeight,
    scrollX,
    scrollY,
    document.hasFocus(),
    heardCount(),
    length,
  ].join(" "),
  focus: focusedElement(),
});
const isSame = (one, other) => Object.keys(one).every((key) => one[key] === other[key]);
// What becomes seen by itself: an animation that nothing draws yet, a picture that is on its way.
const isPassing = (roots) =>
  isSpoken() ||
  isWanted() ||
  allIn(roots, PICTURES).some((picture) => picture.complete === false) ||
  roots.some((root) => root.getAnimations().some(({ playState }) => playState === "running"));
let stamped = null;
const end = () => {
  stamped?.observer.disconnect();
  stamped = null;
};
// Begins after a look that noted the `nodes` of all elements, in the same task.
export const stamp = (token, nodes) => {
  end();
  const [roots, scrollers] = [allRoots(), takeScrollers()];
  if (isPassing(roots) || scrollers.length > MOST_SCROLLERS) return false;
  const observer = new MutationObserver(end);
  for (const root of roots) observer.observe(root, EVERYTHING);
  stamped = { token, nodes, observer, roots, scrollers, untraced: untraced(roots, scrollers) };
  return true;
};
export const isUnchanged = (token) => {
  if (stamped?.observer.takeRecords().length) end();
  if (!stamped || stamped.token !== token) return false;
  const { roots, scrollers } = stamped;
  const now = allRoots();
  return (
    now.length === roots.length &&
    now.every((root, index) => root === roots[index]) &&
    !isPassing(roots) &&
    isSame(stamped.untraced, untraced(roots, scrollers))
  );
};
// The nodes of a look with that token, null where the document may show something else.
export const nodesOf = (token) => (token && isUnchanged(token) ? stamped.nodes : null);
// Has the browser compute what is due: what it counts after that is news.
export const computed = () => {
  const root = document.documentElement;
  return root ? [getComputedStyle(root).color, root.getBoundingClientRect().width] : [];
};

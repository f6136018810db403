// What stops clicks and keys that would arrive elsewhere.

import { elementAt } from "../dom/geometry.js";
import { clip, describeElement, focusedElement, within } from "../dom/tree.js";
import { isReal } from "../forms/entering.js";
import { liesOver } from "../pointer/hit_test.js";
import { noteScroll, Scrolled } from "../pointer/scrolling.js";
import { Click, isClickFor, meantBy } from "./click_outcome.js";
import { Changes } from "./mutations.js";
import { current, looks, noteMutations } from "./observer.js";

const GESTURE = [
  "pointerdown",
  "mousedown",
  "pointerup",
  "mouseup",
  "click",
  "auxclick",
  "dblclick",
  "contextmenu",
];
const BEGINNING = ["pointerdown", "keydown"];
const ENTERING = ["keydown", "beforeinput"];
const ENTERED = [...ENTERING, "keypress", "keyup"];
const SCROLLING = ["scroll", "scrollend"];
const OPENED = /^(about|blob|chrome.*|data|file|filesystem|https?|javascript):/i;
const GUARD_MS = 2000;
const BLOCK_MS = 500;
// Whether a field takes the click on what is in its label.
const isTakenFrom = (element, field) =>
  element !== field && element.localName !== "label" && liesOver(field, element);
// What is clicked where the caller named a place.
const meet = (target) => {
  if (target.nodeType !== 1) return;
  current.watch.met = true;
  current.watch.acted = meantBy(target);
  current.watch.click = new Click(current.watch.acted);
  current.watch.looks = looks(current.watch.acted);
  current.watch.changed = new Changes(current.watch.acted);
};
// A click that would reach something else than was meant is stopped before the page sees it.
const guard = (event) => {
  if (!current.watch || !event.isTrusted) return;
  const [target] = event.composedPath();
  if (!current.watch.element && !current.watch.met) meet(target);
  current.watch.click?.note(event, target);
  if (!current.watch.guarded) return;
  const now = performance.now();
  if (!current.watch.hit) {
    const { element } = current.watch;
    const meant = isClickFor(target, element);
    current.watch.hit = meant ? "yes" : "no";
    if (!meant || isTakenFrom(element, target)) current.watch.by = describeElement(target);
    if (!meant && now < current.watch.began + GUARD_MS) current.watch.blocking = now + BLOCK_MS;
  }
  if (now < current.watch.blocking) {
    event.preventDefault();
    event.stopImmediatePropagation();
  }
};
// Keys are meant for the element alone: its page may have given the focus to something else since.
export const demandKeys = (demanded = true) => {
  current.watch.keyed = demanded && performance.now() + GUARD_MS;
};
const isKeyFor = (target, element) =>
  isClickFor(target, element) || (target.isContentEditable && within(element, target));
// The first one tells: those after it go where it leads the focus, or are stopped as it is.
const guardKeys = (event) => {
  if (!current.watch || !isReal(event)) return;
  const [now, [target]] = [performance.now(), event.composedPath()];
  if (current.watch.keyed && ENTERING.includes(event.type)) {
    const meant = now > current.watch.keyed || isKeyFor(target, current.watch.element);
    current.watch.keyed = false;
    if (!meant)
      Object.assign(current.watch, { strayed: describeElement(target), blocking: now + BLOCK_MS });
  }
  if (!current.watch.strayed || now >= current.watch.blocking) return;
  current.watch.blocking = now + BLOCK_MS;
  event.preventDefault();
  event.stopImmediatePropagation();
};
// What came to lie where the mouse rests has been told so, but never saw it move: pages take that
// for no wish of the user's, and some for one as soon as it moves on. Where it rests, if so.
let moved = null;
const move = (event) => {
  if (!event.isTrusted) return;
  const [over] = event.composedPath();
  moved = { x: event.clientX, y: event.clientY, over };
};
export const pointerRest = () => {
  if (!moved || window !== top || elementAt(moved.x, moved.y) === moved.over) return undefined;
  return [moved.x, moved.y];
};
// What the page scrolls once it heard of the action.
const hold = (event) => {
  if (!current.watch || current.watch.scrolled || !event.isTrusted) return;
  current.watch.scrolled = new Scrolled(event.composedPath());
  for (const root of current.watch.roots) if (root !== document) hearScrolling(root);
};
const noteScrolling = (event) => noteScroll(event, current.watch?.scrolled);
// It is not heard beyond a shadow root.
const hearScrolling = (target) => {
  for (const type of SCROLLING)
    target.addEventListener(type, noteScrolling, { capture: true, passive: true });
};
// The browser does not send a form with a field that is not as it has to be.
const refuse = (event) => {
  const [field] = event.composedPath();
  if (current.watch && !current.watch.invalid && event.isTrusted && field.validationMessage)
    current.watch.invalid = `${describeElement(field)}: ${clip(field.validationMessage, 150)}`;
};
// See programs.js, which is there sooner, but in strap's own browsers only.
const keep = (event) => {
  const { url } = event.destination;
  if (!event.cancelable || OPENED.test(url)) return;
  event.preventDefault();
  if (current.watch) current.watch.foreign = clip(url, 200);
};
if (globalThis.navigation) navigation.addEventListener("navigate", keep);
// What came after the last input answers it; what came before answers the focus.
const enter = (event) => {
  if (!current.watch || !event.isTrusted) return;
  noteMutations(current.watch.observer.takeRecords());
  current.watch.entered = current.watch.outside;
};
// As a field got the focus its page may have set another value, and selected a part of that: a text
// that would replace no more than this part is not entered.
export const demandWhole = () => {
  current.watch.whole = true;
};
const replace = (event) => {
  if (!current.watch?.whole || !isReal(event) || !event.cancelable) return;
  const [{ selectionStart, selectionEnd, value }] = event.composedPath();
  if (typeof selectionStart !== "number" || selectionEnd - selectionStart >= value.length) return;
  current.watch.partly = true;
  event.preventDefault();
  event.stopImmediatePropagation();
};
// What has the focus instead of the element, and whether that may have got what was entered: a text is
// heard by fields alone, and nothing that goes to a frame.
export const strayed = ({ strayed, keyed, element }) => {
  const focused = focusedElement();
  if (strayed) return { strayed };
  return keyed && focused && element.ownerDocument === document && !isKeyFor(focused, element)
    ? { strayed: describeElement(focused), unstopped: true }
    : {};
};
// Whether what was to be entered was stopped.
export const isStopped = () => !!(current.watch?.partly || current.watch?.strayed);
// A page that is written anew (`document.open`) has no listeners any more, and the same script.
export const listen = () => {
  for (const type of GESTURE) addEventListener(type, guard, { capture: true, passive: false });
  for (const type of ENTERED) addEventListener(type, guardKeys, { capture: true, passive: false });
  for (const type of BEGINNING) addEventListener(type, hold, { capture: true, passive: true });
  hearScrolling(window);
  addEventListener("mousemove", move, { capture: true, passive: true });
  addEventListener("invalid", refuse, true);
  addEventListener("beforeinput", replace, true);
  addEventListener("input", enter, true);
};

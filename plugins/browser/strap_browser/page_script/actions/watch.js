// The watch on a document while an action goes on.

import { isDrawnByScript } from "../accessibility/interactive.js";
import { documentId } from "../accessibility/refs.js";
import { motion } from "../dom/animations.js";
import { isShown } from "../dom/geometry.js";
import { AT_REST_MS } from "../dom/restless.js";
import { focusedElement, shadowRoots } from "../dom/tree.js";
import { isSeen } from "../dom/visibility.js";
import { selectionEnds } from "../forms/selection.js";
import { fieldState, fieldValues, isAnswered } from "../forms/values.js";
import { Click, meantBy } from "./click_outcome.js";
import { listen, strayed } from "./guard.js";
import { Changes, EVERYTHING } from "./mutations.js";
import {
  current,
  end,
  knownWatch,
  looks,
  noteMutations,
  paceOf,
  unchangedSince,
} from "./observer.js";

const FRAMES = new Set(["embed", "frame", "iframe", "object"]);
const PLAYERS = "audio[controls], video[controls]";
// What else a page shows without a trace that an observer sees: popovers, shadow roots, its address.
const untraced = (roots) => {
  const popovers = roots.flatMap((root) => [...root.querySelectorAll(":popover-open")]);
  return [location.href, roots.length, popovers.length].join(" ");
};
// What is seen of an action from its beginning on.
const NOTHING_YET = {
  hit: "",
  by: "",
  changes: 0,
  outside: 0,
  entered: null,
  keyed: false,
  strayed: "",
  whole: false,
  partly: false,
  last: 0,
  idles: null,
  pace: "busy",
  scrolled: null,
  met: false,
  asked: Infinity,
  blocking: 0,
  invalid: "",
  foreign: "",
};
export const beginWatch = (element, token, guarded = false) => {
  const roots = shadowRoots(element);
  const unchanged = unchangedSince(roots);
  end();
  listen();
  const focused = focusedElement() !== document.body ? focusedElement() : null;
  const acted = element ? meantBy(element) : focused;
  current.watch = {
    ...NOTHING_YET,
    token,
    element,
    guarded,
    click: guarded && element ? new Click(element) : null,
    acted,
    looks: looks(acted),
    filling: document.fullscreenElement,
    changed: new Changes(acted),
    roots,
    began: performance.now(),
    unchanged,
    values: fieldValues(element, roots),
    untraced: untraced(roots),
    selected: selectionEnds(),
  };
  current.watch.observer = new MutationObserver(noteMutations);
  for (const root of current.watch.roots) current.watch.observer.observe(root, EVERYTHING);
};
// Between actions, as far as it is not too long, only what changes by itself is of interest.
export const watchIdle = () => {
  if (current.watch) return;
  beginWatch(null, "");
  current.watch.asked = -AT_REST_MS;
};
const moving = ({ acted, changed, element, met, began, roots }, now, drags) =>
  motion(met ? acted : element, began, roots, drags) || Number(changed.isAnimated(now));
// Whether something may look different without a trace: what is painted by scripts, has got other
// attributes, or fills the screen.
const looksDifferent = ({ acted, changes, filling, looks: before, roots }) =>
  filling !== document.fullscreenElement ||
  (!!acted && (isDrawnByScript(acted) || before !== looks(acted))) ||
  (!changes && roots.some((root) => [...root.querySelectorAll("canvas")].some(isSeen)));
// A click into a frame is seen by its document alone, and one on the controls that the browser draws
// for a player by those; where it would go was checked before.
const isHeardElsewhere = ({ element, hit }) =>
  !!element && (FRAMES.has(element.localName) || (!hit && element.matches(PLAYERS)));
// What was dragged is on its way itself, to where it was dropped.
/** @type {(token: string, asked: { value?: boolean, rest?: boolean, drags?: boolean }) => import("../types").Report} */
export const reportWatch = (token, { value, rest, drags }) => {
  const found = knownWatch(token);
  if (!found) return { same: false };
  const { acted, element, entered, hit, by, last, invalid, foreign } = found;
  const isSet = found.values !== fieldValues(element, found.roots);
  const isElsewhere = !!value && found.untraced !== untraced(shadowRoots(element));
  const outside = found.outside + isSet + isElsewhere;
  const now = performance.now();
  found.asked = now;
  const awaited = !!value && isAnswered(acted);
  const awaitsRest = rest || awaited;
  const glides = awaitsRest && !!found.scrolled?.isMoving(now);
  const motion = awaitsRest ? moving(found, now, drags) || Number(glides) : 0;
  return {
    same: true,
    hit: isHeardElsewhere(found) ? "yes" : hit,
    by,
    ...strayed(found),
    changes: found.changes,
    outside,
    quiet: found.changes ? performance.now() - last : 1e6,
    pace: paceOf(found),
    lost: hit === "no" ? undefined : found.click?.lost(),
    motion,
    glides,
    invalid,
    foreign,
    drawn: looksDifferent(found),
    scrolled: found.scrolled?.told() || undefined,
    ...(value ? { partly: found.partly, ...fieldState(element) } : {}),
    ...(awaited ? { awaited, answered: entered === null || outside > entered } : {}),
  };
};
// Whether something else is selected since `begin`.
export const selects = (token) => {
  const ends = selectionEnds();
  return !!knownWatch(token)?.selected.some((end, index) => end !== ends[index]);
};
// What changed since `begin` on a page that is too large to be compared.
export const changedSince = (token) => {
  const found = knownWatch(token);
  return found ? { id: documentId(), url: location.href, ...found.changed.told() } : {};
};
// The element of the last action, as long as it is there.
export const aimed = (token) => {
  const element = current.watch?.token === token ? current.watch.element : null;
  return element?.isConnected && isShown(element) ? element : null;
};

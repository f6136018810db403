// What changes by itself: clocks, counters, and what a script turns.

import { cleanText } from "./text.js";
import { isRoot } from "./tree.js";

export const MOST = 40;
export const LENGTH = 120;
const FEW = 5;
export const AT_REST_MS = 1000;
const APART_MS = 50;
const FRAME_MS = 8;
export const FRAMES_MS = 50;
// What does not say how a shape is drawn, or is not set frame by frame.
const NAMES = /^(aria|class|data|id|role|tabindex)/;
// ---- what changes by itself: clocks, counters, what a script turns ----
const texts = new Map();
/** @type {WeakMap<Element, any> & { size?: number }} */
const attributes = new WeakMap();
const kindOf = ({ type }) => (type === "attributes" ? attributes : texts);
const holder = ({ type, target }) => (type === "characterData" ? target.parentElement : target);
export const noteRestless = (record, now) => {
  if (isDrawing(record)) noteRun(record.target, now);
  const [kind, element] = [kindOf(record), holder(record)];
  if (
    !element ||
    element === document ||
    isRoot(element) ||
    (kind.size >= MOST && !kind.has(element))
  )
    return;
  const { times, last } = kind.get(element) || { times: 0, last: -APART_MS };
  if (now - last >= APART_MS) kind.set(element, { times: times + 1, last: now });
};
export const isRestless = (record) => kindOf(record).get(holder(record))?.times > 1;
export const isRestlessIn = (element) => texts.get(element)?.times > 1;
// The texts of what changed more than once without any action.
export const restlessTexts = () =>
  [...texts]
    .filter(([element, { times }]) => times > 1 && element.isConnected)
    .filter(([{ childElementCount }]) => childElementCount <= FEW)
    .map(([element]) => cleanText(element.textContent).slice(0, LENGTH))
    .filter(Boolean);
// ---- what a script moves: it sets a style, or how a shape is drawn, frame by frame ----
export const isDrawing = ({ attributeName: name, target }) =>
  name === "style" || (!!name && target instanceof SVGElement && !NAMES.test(name));
// The shapes of a picture move as one.
export const moved = (target) => target.ownerSVGElement || target;
export const runs = new WeakMap();
const isLong = ({ again, last }) => again > 0 && last - again > AT_REST_MS;
// Since when it is drawn `again` and again. What once went on for long does so whenever it moves.
export const noteRun = (target, now) => {
  const known = runs.get(moved(target));
  const goesOn = !!known && (isLong(known) || now - known.last < FRAMES_MS);
  const run = goesOn ? known : { first: now, again: 0 };
  if (!run.again && now - run.first >= FRAME_MS) run.again = now;
  run.last = now;
  runs.set(moved(target), run);
  return run;
};

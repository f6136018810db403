// What changes on a page: what of it would be told where the page is too large to be compared as
// a whole, and what changes all the time, whatever is done to the page.

import { outlineLine, outlinePart } from "../accessibility/outline.js";
import {
  FRAMES_MS,
  isDrawing,
  LENGTH,
  MOST,
  moved,
  noteRun,
  restlessTexts,
  runs,
} from "../dom/restless.js";
import { cleanText } from "../dom/text.js";
import { CONTROL, clip, closest, documentSize, LARGE } from "../dom/tree.js";

export const EVERYTHING = { subtree: true, childList: true, characterData: true, attributes: true };
const AT_ONCE = 500;
const LINES = 8;
const PART = 300;
const FIRST_MS = 50;
const MOTION_MS = 600;
// What is there all the time, and is shown when it is needed.
const POPUPS =
  "dialog, [popover], [role=alert], [role=alertdialog], [role=dialog], [role=listbox], " +
  "[role=menu], [role=status], [role=tooltip]";
const SHOWING = new Set(["hidden", "open"]);
// What is farther than a window from what is seen does not come to it by such a motion.
const isNear = (element) => {
  if (!isShown(element)) return false;
  const { bottom, left, right, top } = element.getBoundingClientRect();
  const [width, height] = [innerWidth, innerHeight];
  return right > -width && bottom > -height && left < 2 * width && top < 2 * height;
};
// ---- what an action changed ----
const isShown = (element) => element.isConnected && element.checkVisibility();
const shownText = (element) => (isShown(element) ? clip(element.innerText, LENGTH) : "");
const lineOf = (element) => {
  if (!element?.isConnected) return null;
  const [node] = outlineLine(element);
  if (!node || typeof node === "string") return null;
  return { ...node, marks: (node.marks || []).filter((mark) => mark !== "focused") };
};
const within = (node, element) => !!element && element.contains(node);
const isInside = (element, others) =>
  others.some((other) => other !== element && other.contains(element));
const isFading = ({ style }) => !!style && (style.opacity !== "" || style.overflow === "hidden");
// The picture on a control is changed at once.
const isShape = (element) => element instanceof SVGGeometryElement && !closest(element, CONTROL);
const shownPopups = () => [...document.querySelectorAll(POPUPS)].filter(isShown);
const named = (node) => clip(node.getAttribute?.("aria-label") || node.textContent, LENGTH);
export class Changes {
  constructor(acted) {
    const large = documentSize() > LARGE;
    this.acted = acted;
    this.control = acted?.matches(CONTROL) ? acted : null;
    this.before = large ? lineOf(acted) : null;
    this.popups = new Set(large ? shownPopups() : []);
    this.added = new Set();
    // With what each was in.
    this.removed = new Map();
    this.texts = new Set();
    this.began = performance.now();
    this.drawn = new Set();
    this.frame = null;
  }
  note(record, now) {
    if (isDrawing(record)) this.noteDrawn(record.target, now);
    const { type, target, addedNodes, removedNodes, attributeName } = record;
    if (this.added.size + this.removed.size + this.texts.size > MOST) return;
    if (type === "characterData") this.texts.add(target);
    for (const node of [...addedNodes].slice(0, AT_ONCE))
      (node.nodeType === 1 ? this.added : this.texts).add(node);
    for (const node of [...removedNodes].slice(0, AT_ONCE)) this.removed.set(node, target);
    if (SHOWING.has(attributeName)) this.added.add(target);
  }
  noteDrawn(target, now) {
    const run = noteRun(target, now);
    if (target === this.acted || target === document.body) return;
    this.drawn.add(moved(target));
    if (run.again || this.frame?.last === now) return;
    if (isShape(target) && isNear(moved(target))) this.awaitFrame(now);
  }
  // Whether a shape is drawn again is known after the next frame: what the page asked for then was
  // asked for before this.
  awaitFrame(now) {
    if (this.frame) {
      this.frame.last = now;
      return;
    }
    const frame = { asked: now, last: now };
    this.frame = frame;
    requestAnimationFrame(() => {
      this.frame = null;
      if (frame.last > frame.asked) this.awaitFrame(frame.last);
    });
  }
  // What moved before, and what goes on for long, is no answer.
  isAnimated(now) {
    if (this.frame && now - this.frame.last < FIRST_MS) return true;
    const moves = (element) => {
      const { again, last } = runs.get(element);
      if (!again) return isFading(element) && now - last < FIRST_MS;
      return again >= this.began && now - again < MOTION_MS && now - last < FRAMES_MS;
    };
    return [...this.drawn].some((element) => moves(element) && isNear(element));
  }
  // A text together with what it stands in, unless that is more than the text.
  textOf(node) {
    const around = node.parentElement;
    if (!around || !isShown(around) || within(around, this.control)) return "";
    return clip(around.textContent.length > LENGTH ? node.data : around.innerText, LENGTH);
  }
  // What was written again as it was: what went, and the same that came in its place.
  rewritten() {
    const [came, same] = [new Map(), new Set()];
    const key = (node) => `${node.nodeName} ${cleanText(node.textContent)}`;
    for (const node of [...this.added, ...this.texts])
      came.set(key(node), [...(came.get(key(node)) || []), node]);
    for (const [node, place] of this.removed) {
      const match =
        !node.isConnected &&
        came.get(key(node))?.find((one) => one.parentNode === place && !same.has(one));
      if (match) same.add(node).add(match);
    }
    return same;
  }
  // The line of the element acted on if that is another now, the outlines of what came, and
  // the texts of the rest.
  told() {
    const [before, now] = [this.before, this.before && lineOf(this.acted)];
    const popups = shownPopups().filter((node) => !this.popups.has(node));
    const came = [...new Set([...this.added, ...popups])].filter(isShown);
    const around = came.filter((node) => !isInside(node, came) && !within(node, this.control));
    const same = this.rewritten();
    const isNews = (node) => !same.has(node) || !!node.querySelector?.(CONTROL);
    const outer = around.filter(isNews);
    const isPart = (node) => node.getElementsByTagName("*").length <= PART;
    const gone = [...this.removed.keys()].filter((node) => !node.isConnected && !same.has(node));
    gone.push(...[...this.popups].filter((node) => node.isConnected && !isShown(node)));
    const lines = [
      ...outer.filter((node) => !isPart(node)).map((node) => ["+", shownText(node)]),
      ...[...this.texts]
        .filter(isNews)
        .map((node) => ["~", came.some((other) => other.contains(node)) ? "" : this.textOf(node)]),
      ...gone.map((node) => ["-", named(node)]),
    ];
    const said = lines.filter(([, text]) => text).map((words) => words.join(" "));
    return {
      own: now && JSON.stringify(now) !== JSON.stringify(before) ? [now] : [],
      renamed: !!now && now.name !== before.name,
      came: outer
        .filter(isPart)
        .slice(0, LINES)
        .flatMap((node) => outlinePart(node)),
      lines: [...new Set(said)].slice(0, LINES),
      restless: restlessTexts(),
    };
  }
}

// Scrolling: what can be scrolled, how far it is, and bringing elements into view.

import { elementAt, isShown } from "../dom/geometry.js";
import { isOff } from "../dom/off_page.js";
import { APART_MS, hasGlided, keepSmooth, root, scrolls, times } from "../dom/smooth_scrolling.js";
import { describeElement, LARGE, parentOf } from "../dom/tree.js";
import { isSeen } from "../dom/visibility.js";

const STEP = 0.85;
const DIRECTIONS = { up: [0, -1], down: [0, 1], left: [-1, 0], right: [1, 0] };
const ENDS = { top: -1, bottom: 1 };
const FAR = 1e7;
const around = (element, sideways) => {
  for (let node = element; node; node = parentOf(node)) {
    if (node.nodeType === 1 && scrolls(node, sideways)) return node;
  }
  return null;
};
const area = ({ clientWidth, clientHeight }) => clientWidth * clientHeight;
const largest = (above, sideways) =>
  [...above.querySelectorAll("*")]
    .slice(0, LARGE)
    .filter((element) => area(element) > 1000 && scrolls(element, sideways))
    .sort((a, b) => area(b) - area(a))[0];
// What scrolls for the caller: the element, what it is in or what is in it; without an element
// the page, or where that does not scroll, what is in the middle of it or the largest part.
const scrollerOf = (element, sideways) => {
  if (!element) {
    if (scrolls(root(), sideways)) return root();
    const middle = elementAt(innerWidth / 2, innerHeight / 2);
    return around(middle, sideways) || largest(document, sideways);
  }
  const own = scrolls(element, sideways) ? element : largest(element, sideways);
  return own || around(element, sideways) || (scrolls(root(), sideways) ? root() : null);
};
const distance = (scroller, { to, dx = 0, dy = 0 }) => {
  if (ENDS[to]) return [0, ENDS[to] * FAR];
  if (!DIRECTIONS[to]) return [dx, dy];
  const [x, y] = DIRECTIONS[to];
  return [x * (dx || scroller.clientWidth * STEP), y * (dy || scroller.clientHeight * STEP)];
};
const nameOf = (scroller) => {
  if (scroller !== root()) return describeElement(scroller);
  return window === top ? "" : "the frame";
};
const placeOf = ({ scrollLeft, scrollTop }) => [scrollLeft, scrollTop];
const tell = (scroller, before) => ({
  name: nameOf(scroller),
  moved: Math.abs(scroller.scrollLeft - before[0]) + Math.abs(scroller.scrollTop - before[1]),
  left: Math.round(scroller.scrollLeft),
  top: Math.round(scroller.scrollTop),
  right: Math.max(0, scroller.scrollWidth - scroller.clientWidth),
  bottom: Math.max(0, scroller.scrollHeight - scroller.clientHeight),
});
// The outermost of the boxes of one size that an element is in, as those that a map is made of; some
// have no size of their own.
const SAME = 20; // pixels
export const ground = (element) => {
  const { width, height } = element.getBoundingClientRect();
  const isSame = (box) =>
    !box.width ||
    !box.height ||
    Math.max(Math.abs(box.width - width), Math.abs(box.height - height)) <= SAME;
  let found = element;
  for (
    let outer = element.parentElement;
    outer && outer !== document.body;
    outer = outer.parentElement
  ) {
    if (!isSame(outer.getBoundingClientRect())) break;
    found = outer;
  }
  return found;
};
export const scrollBy = (element, asked) => {
  const sideways = asked.to ? /left|right/.test(asked.to) : !asked.dy;
  const own = asked.wheel && (scrolls(element, sideways) ? element : largest(element, sideways));
  const heard = asked.wheel && !own;
  if (heard) element.scrollIntoView({ block: "nearest", behavior: "instant" });
  const scroller = heard ? null : scrollerOf(element, sideways);
  const box = element?.getBoundingClientRect();
  const middle = box
    ? [box.left + box.width / 2, box.top + box.height / 2]
    : [innerWidth / 2, innerHeight / 2];
  if (!scroller) {
    const [x, y] = distance({ clientWidth: innerWidth, clientHeight: innerHeight }, asked);
    return { none: true, heard, middle, by: [x, y], framed: window !== top };
  }
  const before = placeOf(scroller);
  const [left, top_] = distance(scroller, asked);
  scroller.scrollBy({ left, top: top_, behavior: "instant" });
  return tell(scroller, before);
};
export const scrollTo = (element) => {
  const before = placeOf(root());
  element.scrollIntoView({ block: "center", inline: "nearest", behavior: "instant" });
  return { ...tell(root(), before), shown: isShown(element) };
};
// ---- what an action makes the page scroll ----
// A field that only takes the keys scrolls where nobody sees it.
const isInWindow = (scroller) => scroller === root() || (isSeen(scroller) && !isOff(scroller));
const TICK_MS = 300;
// Whether it would have moved again by then if it went on as it did.
const isOver = ({ last, gap, steps, rests }, now) => {
  if (rests && steps > 1) return true;
  const due = gap < TICK_MS ? 2 * gap : 0;
  return now > last + Math.max(APART_MS, due);
};
// Made before the page hears of the action: what was scrolled to bring the element of the action
// into view, all of which is in the `path` of its event, is where it belongs by then.
export class Scrolled {
  constructor(path) {
    this.began = performance.now();
    this.moved = new Map(); // how often each did
    this.running = new Set();
    const around = [root(), ...path].filter((node) => node?.nodeType === 1);
    this.before = new Map(around.map((node) => [node, [...placeOf(node), node.scrollHeight]]));
  }
  // What moved already, as a ticker does, is no answer.
  note(scroller, moves, earlier) {
    const byItself = !this.before.has(scroller) && earlier && !isOver(earlier, this.began);
    if (byItself && !this.moved.has(scroller)) return;
    const often = (this.moved.get(scroller) || 0) + moves;
    this.moved.set(scroller, often);
    // A script that scrolls frame by frame has it rest after each.
    const isByScript = earlier?.steps === 1 && often > 1;
    if (moves) this.running.add(scroller);
    else if (!isByScript) this.running.delete(scroller);
  }
  // Browsers move what is in view along with what comes above it, so that nobody sees it move.
  isElsewhere(scroller) {
    const before = this.before.get(scroller);
    if (!before || !scroller.isConnected) return scroller.isConnected;
    const [right, down] = placeOf(scroller).map((place, axis) => place - before[axis]);
    const grown = scroller.scrollHeight - before[2];
    return right !== 0 || (down !== 0 && (!grown || Math.abs(down - grown) > 1));
  }
  isMoving(now) {
    return [...this.running].some(
      (one) => now - times.get(one).last < APART_MS && this.isElsewhere(one),
    );
  }
  // Where the page is now, or else the first part of it that is elsewhere; null where all is as it was.
  told() {
    const isTold = (one) => this.moved.has(one) && this.isElsewhere(one) && isInWindow(one);
    const found = [root(), ...this.moved.keys()].find(isTold);
    return found ? tell(found, this.before.get(found) || [0, 0]) : null;
  }
}
export const noteScroll = ({ target, type }, scrolled) => {
  const scroller = target === document ? root() : target;
  const [earlier, now] = [times.get(scroller), performance.now()];
  const moves = type === "scroll";
  scrolled?.note(scroller, moves, earlier);
  const { last = -Infinity, gap = Infinity, steps = 0, rests } = earlier || {};
  const step = { gap: now - last, steps: rests ? 1 : steps + 1, rests: false };
  times.set(scroller, { last: now, ...(moves ? step : { gap, steps, rests: true }) });
  if (hasGlided(scroller)) keepSmooth(scroller);
};

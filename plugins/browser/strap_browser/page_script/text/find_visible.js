// What of the texts is to be seen on the page, or is for screen readers, to which pages tell what goes
// on: that stands in a box of a pixel, or far off the page.

import { sharedAncestor } from "../accessibility/text_refs.js";
import { clippingHolder } from "../dom/clipping.js";
import { rangeOf } from "../dom/geometry.js";
import { drawnValue, isMasked } from "../dom/masked.js";
import { isOff, measured } from "../dom/off_page.js";
import { isRoot, parentOf, shadowRoots, topElement } from "../dom/tree.js";
import { isTurned } from "../dom/visibility.js";
import { childrenOf, isBlock, isUnseen } from "./lines.js";

const LABELLED = "input:not([type=hidden]), textarea, [aria-label]";
const NOTHING = { text: [0, 0], held: [0, 0] };
const VISIBLE = { visibilityProperty: true };
// Places of a text that are looked at.
const MOST = 2000;
const MARK = /[^\s\u00ad\u200b-\u200d\u2060\ufeff]/;
const plain = (text) => text.replace(/\s+/g, " ").trim();
// Some letters are others as capitals.
const folded = (text) => plain(text).toUpperCase().toLowerCase();
const bare = (text) => text.replace(/\s+/g, "").toUpperCase().toLowerCase();
const hasSize = (rects) => [...rects].some(({ width, height }) => width > 0 && height > 0);
const elementOf = (text) => text.assignedSlot || text.parentElement || text.parentNode?.host;
const FAR = 5000;
const isFar = ({ right, bottom }) => right < -FAR || bottom < -FAR;
// Whether the element cuts off what is in it, and has no room. That of the document's own two is cut
// off by the window.
const isShut = (element, style) => {
  if (style.display === "contents") return false;
  if (isRoot(element)) return false;
  const { width, height } = element.getBoundingClientRect();
  return (
    (width < 1 && style.overflowX !== "visible") || (height < 1 && style.overflowY !== "visible")
  );
};
const isLaidOut = (element) => {
  const { display } = getComputedStyle(element);
  if (display === "contents" || element.checkVisibility()) return true;
  return display !== "none" && element.matches("select *");
};
// One look at all texts of the document as it is now, over after so many characters (`room`) or at a
// time (`end`).
class Look {
  clear = new Map();
  open = new Map();
  spans = new Map();
  full = false;
  constructor(wanted = [], room = Infinity, end = Infinity) {
    this.wanted = new Set(wanted);
    this.room = room;
    this.end = end;
    this.begin();
  }
  begin() {
    this.said = [];
    this.length = 0;
    this.blank = true;
    this.held = [];
  }
  isFull() {
    this.full ||= this.length > this.room || performance.now() > this.end;
    return this.full;
  }
  // Whether nothing makes transparent what is in the node, or turns it away.
  isClear(node) {
    if (node?.nodeType !== 1) return !node || this.isClear(parentOf(node));
    let is = this.clear.get(node);
    if (is === undefined) {
      // What is above all is above what is around it.
      const above = () => node.matches(":modal, :popover-open") || this.isClear(parentOf(node));
      const style = getComputedStyle(node);
      is = style.opacity !== "0" && !isTurned(node, style) && above();
      this.clear.set(node, is);
    }
    return is;
  }
  // Whether no element that holds the place of what is in the node cuts it off.
  isOpen(node) {
    if (node?.nodeType !== 1) return !node || this.isOpen(parentOf(node));
    let is = this.open.get(node);
    if (is === undefined) {
      is = !isShut(node, getComputedStyle(node)) && this.isOpen(clippingHolder(node));
      this.open.set(node, is);
    }
    return is;
  }
  isBoxDrawn(element) {
    return (
      element.checkVisibility(VISIBLE) &&
      hasSize(element.getClientRects()) &&
      (!isOff(element) || isFar(element.getBoundingClientRect())) &&
      this.isClear(element) &&
      this.isOpen(clippingHolder(element))
    );
  }
  isDrawn(text) {
    const around = elementOf(text);
    if (!MARK.test(text.data) || !around) return true;
    // Browsers tell of no place in a drop-down.
    const list = around.closest("select");
    if (list) return this.isBoxDrawn(list);
    if (getComputedStyle(around).visibility !== "visible" || isMasked(around)) return false;
    const range = rangeOf(text);
    if (!hasSize(range.getClientRects())) return false;
    if (isUnseen(text) && !isFar(range.getBoundingClientRect())) return false;
    return this.isClear(around) && this.isOpen(around);
  }
  say(text) {
    const more = text.replace(/\s+/g, " ").slice(this.blank && /^\s/.test(text) ? 1 : 0);
    if (!more) return;
    this.said.push(more);
    this.length += more.length;
    this.blank = more.endsWith(" ");
  }
  // Gathers what is drawn in the node, blocks apart, and what is held in it. Where that of a wanted
  // element is among it is kept: what is in several of them is looked at once.
  gather(node) {
    if (this.isFull()) return;
    if (node.nodeType === 3 && this.isDrawn(node)) this.say(styled(node));
    if (node.nodeType !== 1) return;
    const [text, held] = [this.length, this.held.length];
    if (isLaidOut(node)) this.inside(node);
    if (this.wanted.has(node))
      this.spans.set(node, { text: [text, this.length], held: [held, this.held.length] });
  }
  inside(element) {
    if (element.matches(LABELLED)) this.held.push(...this.heldBy(element));
    if (getComputedStyle(element).contentVisibility === "hidden") return;
    const parted = isBlock(element);
    if (parted) this.say(" ");
    for (const child of childrenOf(element)) this.gather(child);
    if (parted) this.say(" ");
  }
  drawn(part) {
    this.begin();
    if (part) this.gather(part);
    return this.said.join("").trim();
  }
  // What a field draws of what it holds, or asks for, and what is said of an element to screen readers alone: what is
  // transparent itself is often drawn by something else.
  heldBy(element) {
    const said =
      element.ariaLabel &&
      element.checkVisibility(VISIBLE) &&
      this.isClear(parentOf(element)) &&
      this.isOpen(element);
    const own = this.isBoxDrawn(element) ? [drawnValue(element)] : [];
    if (own.length && element.matches(":placeholder-shown")) own.push(element.placeholder);
    const texts = [...own, said && element.ariaLabel].filter(
      (text) => text && typeof text === "string",
    );
    return texts.map(plain).filter(Boolean);
  }
  // The texts of the wanted elements; of much, those that come first.
  told() {
    for (const part of this.wanted) if (!this.spans.has(part)) this.gather(part);
    const [said, texts] = [this.said.join(""), []];
    let left = this.room;
    for (const part of this.wanted) {
      const { text, held } = this.spans.get(part) || NOTHING;
      for (const one of [said.slice(...text).trim(), ...this.held.slice(...held)]) {
        if (!one) continue;
        if (left <= 0) return { texts, whole: false };
        texts.push(one.slice(0, left));
        left -= one.length;
      }
    }
    return { texts, whole: !this.full && left >= 0 };
  }
}
const styled = (text) => {
  const around = elementOf(text);
  const transform = around ? getComputedStyle(around).textTransform : "";
  if (transform === "uppercase") return text.data.toUpperCase();
  if (transform === "lowercase") return text.data.toLowerCase();
  if (transform !== "capitalize") return text.data;
  return text.data.replace(/(?<![\p{L}\p{N}\p{M}'’])\p{L}/gu, (letter) => letter.toUpperCase());
};
const whole = topElement;
const measuredTexts = (work) => {
  let found;
  measured(() => {
    found = work();
  });
  return found;
};
const hasHosts = () => {
  for (const { shadowRoot } of document.querySelectorAll("*")) if (shadowRoot) return true;
  return false;
};
const textsIn = (node) => {
  const [walker, found] = [document.createTreeWalker(node, NodeFilter.SHOW_TEXT), []];
  while (walker.nextNode()) found.push(walker.currentNode);
  return found;
};
// Those of a node with shadow roots in it, as they are shown together.
const written = (node, found = []) => {
  if (node.nodeType === 3) found.push(node);
  else for (const child of childrenOf(node)) written(child, found);
  return found;
};
// The innermost parts of the page in which a text is written.
const parts = function* (wanted) {
  const sought = bare(wanted);
  // Large pages are told soon.
  const composed = hasHosts();
  if (!composed && !bare(whole().textContent).includes(sought)) return;
  const nodes = composed ? written(whole()) : textsIn(whole());
  const ends = [];
  let said = "";
  for (const { data } of nodes) {
    said += bare(data);
    ends.push(said.length);
  }
  let [at, first] = [said.indexOf(sought), 0];
  for (let number = 0; sought && at >= 0 && number < MOST; number += 1) {
    while (ends[first] <= at) first += 1;
    let last = first;
    while (ends[last] < at + sought.length) last += 1;
    yield sharedAncestor(parentOf(nodes[first]), nodes[last]);
    at = said.indexOf(sought, at + 1);
  }
};
// Whether it is written, but for what is not laid out.
const isWritten = (wanted) =>
  shadowRoots()
    .flatMap((root) => (root === document ? [whole()] : [...root.children]))
    .some((part) => folded(part.innerText ?? part.textContent).includes(wanted));
// Whether the text is to be seen anywhere, whatever its case and line breaks; null where that was not
// found out in so many milliseconds.
export const hasVisibleText = (text, limit) =>
  measuredTexts(() => {
    if (!whole()) return false;
    const [look, wanted] = [new Look([], Infinity, performance.now() + limit), folded(text)];
    const drawn = isDrawn(look, wanted);
    if (drawn || look.isFull()) return drawn || null;
    return isHeld(look, wanted) || (look.isFull() ? null : false);
  });
// Whether the text is drawn, as far as the look has time.
const isDrawn = (look, wanted) => {
  const shows = (part) => folded(look.drawn(part)).includes(wanted);
  const seen = new Set();
  for (const part of parts(wanted)) {
    if (!seen.has(part) && shows(part)) return true;
    if (look.isFull()) return false;
    seen.add(part);
  }
  return isWritten(wanted) && !seen.has(whole()) && shows(whole());
};
// Whether a field holds the text, or is labelled so.
const isHeld = (look, wanted) => {
  const says = (one) => typeof one === "string" && folded(one).includes(wanted);
  const holds = (field) =>
    [field.value, field.placeholder, field.ariaLabel].some(says) &&
    !look.isFull() &&
    look.heldBy(field).some(says);
  return shadowRoots()
    .flatMap((root) => [...root.querySelectorAll(LABELLED)])
    .some(holds);
};
// The texts of the document, or of each of the elements, as far as `room` characters and `limit`
// milliseconds go.
export const visibleTexts = (found, { room, limit }) =>
  measuredTexts(() =>
    new Look(found || [whole()].filter(Boolean), room, performance.now() + limit).told(),
  );

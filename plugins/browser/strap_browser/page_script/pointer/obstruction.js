// Why a click does not reach an element that is shown.

import { isUsed } from "../accessibility/interactive.js";
import { refer } from "../accessibility/refs.js";
import { roleOf } from "../accessibility/role_and_name.js";
import { clippingHolder } from "../dom/clipping.js";
import { isFolded, opensItself, summaries } from "../dom/details.js";
import { elementAt, isShown } from "../dom/geometry.js";
import { styleOf } from "../dom/styles.js";
import {
  clip,
  closest,
  describeElement,
  flatChildren,
  isRoot,
  parentOf,
  within,
} from "../dom/tree.js";

const CONTROLS =
  "a[href], button, input, select, textarea, summary, [role=button], [role=link], [tabindex], [onclick]";
const FIELDS = "input, select, textarea";
// What an element looks like that shows nothing.
const BLANK = ["backgroundImage", "boxShadow", "backdropFilter", "borderStyle", "outlineStyle"];
const isBlank = (style) =>
  /, 0\)$/.test(style.backgroundColor) && BLANK.every((name) => /^(none *)+$/.test(style[name]));
// What a style sheet writes before or after it where that is neither a text nor a picture.
const NOTHING = new Set(["none", "normal", '""']);
const FLOATING = new Set(["absolute", "fixed", "sticky"]);
const selectorOf = (element) => {
  const id = element.id && `#${CSS.escape(element.id)}`;
  const classes = [...element.classList].slice(0, 3).map((name) => `.${CSS.escape(name)}`);
  const found = [id, classes.length && element.localName + classes.join("")].filter(Boolean);
  return found.find((one) => one.length < 80 && document.querySelectorAll(one).length === 1);
};
// What lies over the page as a whole: the outermost part of it that floats.
const layerOf = (element, under) => {
  let layer = element;
  for (let node = element; node && node !== document.body; node = parentOf(node)) {
    if (node.nodeType !== 1) continue;
    if (under && within(under, node)) break;
    if (FLOATING.has(getComputedStyle(node).position)) layer = node;
  }
  return layer;
};
// Whether something in it can be used, as it is drawn, with shadow roots and slots; of much, perhaps.
const MOST_ASKED = 2000;
const drawnBelow = (layer) => {
  const all = [layer];
  for (let at = 0; at < all.length && all.length <= MOST_ASKED; at++)
    for (const one of flatChildren(all[at])) if (one.nodeType === 1) all.push(one);
  return all;
};
const isUsableControl = (element) => element.matches(CONTROLS) && isShown(element);
const isUsable = (layer) => {
  const all = drawnBelow(layer);
  return all.length > MOST_ASKED || all.some(isUsableControl);
};
// What lies over a layer and can be used, such as the dialog that it is drawn behind.
const STEPS = 12;
const over = (layer) => {
  const box = layer.getBoundingClientRect();
  const [left, top] = [Math.max(box.left, 0), Math.max(box.top, 0)];
  const width = Math.min(box.right, innerWidth) - left;
  const height = Math.min(box.bottom, innerHeight) - top;
  const others = new Set();
  for (let step = 0; step < STEPS * STEPS; step++) {
    const x = left + (width * ((step % STEPS) + 0.5)) / STEPS;
    const y = top + (height * (Math.floor(step / STEPS) + 0.5)) / STEPS;
    const hit = elementAt(x, y);
    if (hit && !within(hit, layer) && !within(layer, hit)) others.add(layerOf(hit, layer));
  }
  return [...others].find(
    (other) => FLOATING.has(getComputedStyle(other).position) && isUsable(other),
  );
};
// How to wait for what covers a place, if nothing in it can be used to close it, and what lies over
// that: `{wait, over}`, else undefined.
export const veilOver = (by, under) => {
  if (!by || by.localName === "dialog" || by === document.body) return undefined;
  const layer = layerOf(by, under);
  if (!FLOATING.has(getComputedStyle(layer).position)) return undefined;
  if (under && within(under, layer)) return undefined;
  if (isUsable(layer) || getComputedStyle(by).cursor === "pointer") return undefined;
  const selector = selectorOf(layer);
  const text = clip(layer.innerText, 60).replace(/\u2026$/, "");
  if (!selector && !text) return undefined;
  const wait = selector ? `selector=${JSON.stringify(selector)}` : `text=${JSON.stringify(text)}`;
  const closes = over(layer);
  return { wait, over: closes && describeElement(closes) };
};
// Of a widget that draws over its own field: the refs of what can be clicked that both are in.
const around = (element, by) => {
  const found = [];
  for (let node = by; node && node !== document.body; node = parentOf(node)) {
    if (node.nodeType !== 1 || !within(element, node)) continue;
    const hand = getComputedStyle(node).cursor === "pointer";
    if (hand || isUsed(node, roleOf(node))) found.push(refer(node));
  }
  return found;
};
// Of a widget that keeps its own field out of sight: the refs of what is shown around that.
const TALLEST = 100;
export const widget = (field) => {
  const found = [];
  if (!field.matches(FIELDS) || closest(field, "a, button, [role=button], [role=link]"))
    return found;
  for (let node = parentOf(field); node && node !== document.body; node = parentOf(node)) {
    if (node.nodeType !== 1) continue;
    const { bottom, right, height } = node.getBoundingClientRect();
    if (height > TALLEST) break;
    const away = right + scrollX <= 0 || bottom + scrollY <= 0;
    if (!away && isShown(node)) found.push(refer(node));
  }
  return found;
};
// The controls that say of themselves that they show `part`, which is not shown.
const controlsOf = (part) => {
  if (!part.id || isShown(part)) return [];
  const is = (name) => `[${name}~="${CSS.escape(part.id)}"]`;
  const opens = `${is("aria-controls")}:is([aria-expanded=false], [role=tab])`;
  const pops = `${is("popovertarget")}:not([popovertargetaction=hide])`;
  const shows = `${is("commandfor")}:is([command^=show], [command^=toggle])`;
  return [...part.getRootNode().querySelectorAll(`${opens}, ${pops}, ${shows}`)];
};
// What opens what an element that nobody sees is in, of several the outermost.
export const opener = (element) => {
  let found;
  for (let node = element; node; node = parentOf(node)) {
    if (node.nodeType !== 1) continue;
    const near = isFolded(node) ? summaries(node) : controlsOf(node);
    const opens = near.find((one) => !within(element, one) && isShown(one));
    const itself = node !== element && isFolded(node) && opensItself(node);
    found = opens || (itself && isShown(node) ? node : found);
  }
  return found && { opener: [refer(found)], opens: describeElement(found) };
};
// The ref of the only field in what lies over no more than the element, in its widget, if so; one
// for files that lies over a button is what the button stands for.
const SLACK = 4;
const fieldOf = (element, by) => {
  if (by.matches("input[type=file]")) return [refer(by)];
  const [own, cover] = [element.getBoundingClientRect(), by.getBoundingClientRect()];
  const goesBeyond =
    cover.left < own.left - SLACK ||
    cover.top < own.top - SLACK ||
    cover.right > own.right + SLACK ||
    cover.bottom > own.bottom + SLACK;
  const both = [by.parentElement, by.parentElement?.parentElement].find((one) =>
    one?.contains(element),
  );
  if (goesBeyond || !both || both === document.body) return [];
  const fields = [by, ...by.querySelectorAll("*")].filter((one) => one.matches(FIELDS));
  return fields.length === 1 ? fields.map(refer) : [];
};
// How to click what covers it, where that may be there for it: it shows nothing but the pointer, in
// the widget of the element, as what makes the place of a drop-down larger does.
const target = (element, by) => {
  const style = getComputedStyle(by);
  const blank =
    !by.firstChild &&
    !by.shadowRoot &&
    isBlank(style) &&
    ["::before", "::after"].every((pseudo) => NOTHING.has(styleOf(by, pseudo).content));
  const near = !!by.parentElement?.contains(element) && by.parentElement !== document.body;
  const used = style.cursor === "pointer" && !by.matches(CONTROLS);
  const selector = blank && near && used && selectorOf(by);
  return selector ? `selector=${JSON.stringify(selector)}` : undefined;
};
// What bars the page, or only the element: an open modal dialog, or the layer over its middle.
const DIALOGS = "dialog:modal, [role=dialog][aria-modal=true], [role=alertdialog][aria-modal=true]";
const barrierOf = (element) => {
  const modal = [...document.querySelectorAll(DIALOGS)].filter(isShown).pop();
  if (element.nodeType !== 1) return modal;
  if (modal && !within(element, modal)) return modal;
  const { left, top, width, height } = element.getBoundingClientRect();
  const hit = elementAt(left + width / 2, top + height / 2);
  if (!hit || within(hit, element) || within(element, hit)) return undefined;
  const layer = layerOf(hit, element);
  const floats = FLOATING.has(getComputedStyle(layer).position) && !within(element, layer);
  return floats ? layer : undefined;
};
// The refs of the controls in what bars the page or the element, and whether Escape may close it.
export const barrierControls = (element) => {
  const barrier = barrierOf(element);
  if (!barrier) return { found: [] };
  const found = drawnBelow(barrier).filter(isUsableControl).map(refer);
  return { found, modal: barrier.matches(DIALOGS) };
};
// What cuts off the place where the element is, null if nothing does.
const clippedBy = (element) => {
  const { left, top, width, height } = element.getBoundingClientRect();
  const [x, y] = [left + width / 2, top + height / 2];
  for (let node = clippingHolder(element); node; node = clippingHolder(node)) {
    if (node.nodeType !== 1 || isRoot(node)) continue;
    const { overflowX, overflowY } = getComputedStyle(node);
    const box = node.getBoundingClientRect();
    if (overflowX !== "visible" && (x < box.left || x > box.right)) return node;
    if (overflowY !== "visible" && (y < box.top || y > box.bottom)) return node;
  }
  return null;
};
// What is not drawn as a whole: the element, or what it is in.
const clipped = (element) => {
  for (let node = element; node; node = parentOf(node))
    if (node.nodeType === 1 && getComputedStyle(node).clipPath !== "none") return node;
  return null;
};
export const obstruction = (element, by) => {
  const { interactivity, pointerEvents } = getComputedStyle(element);
  // Where a dialog is open that shows nothing there, what is found is the page itself.
  const barred = document.querySelector("dialog:modal") && !closest(element, "dialog:modal");
  const behind = barred && by === document.documentElement;
  if (interactivity === "inert" || behind || closest(element, "[inert]")) return { why: "inert" };
  if (pointerEvents === "none") return { why: "untouchable" };
  if (!by) return { why: "off screen", around: widget(element) };
  const cut = clippedBy(element) || (within(element, by) && clipped(element));
  if (cut) return { why: "cut off", by: describeElement(cut), ...opener(element) };
  const told = { why: "covered", by: describeElement(by) };
  const others = {
    veil: veilOver(by, element),
    around: around(element, by),
    field: fieldOf(element, by),
  };
  return { ...told, ...others, target: target(element, by) };
};

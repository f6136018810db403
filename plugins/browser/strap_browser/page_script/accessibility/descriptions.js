// What a snapshot says of an element beside its role and name.

import { changesOpacity } from "../dom/animations.js";
import { fieldOf } from "../dom/captions.js";
import { isShown } from "../dom/geometry.js";
import { styleOf } from "../dom/styles.js";
import { cleanText } from "../dom/text.js";
import { flatChildren } from "../dom/tree.js";
import { escapes, isVeiled } from "../dom/visibility.js";
import { isAria } from "./attributes.js";
import { VEILED, WORDS } from "./branch.js";
import { hasClickableLabel, isKeyed } from "./fields.js";
import { isHand } from "./hover_styles.js";
import { behind, isHandle, isUsed, LABELLED } from "./interactive.js";
import { noteUnasked, speaksByInternals } from "./internals.js";
import { pseudoText } from "./pseudo_content.js";
import { authored } from "./role_and_name.js";
import { rolesWith } from "./roles.js";
import { drawsBox, shellOf } from "./stand_ins.js";
import { beginWhole, isWholeEntry, wholeAround } from "./wholes.js";

// What drawings are made with, and what it holds is not drawn.
export const NOT_DRAWN = ["clipPath", "defs", "marker", "mask", "pattern", "symbol"];
export const UNSEEN = new Set([
  ...["desc", "head", "metadata", "script", "style", "template", "title"],
  ...NOT_DRAWN,
]);
// A form's fields hide what a form has of the same name: of such a form only the content is told.
export const isClobbered = (element) =>
  element instanceof HTMLFormElement &&
  ["checkVisibility", "closest", "getAttribute", "getBoundingClientRect", "hasAttribute"].some(
    (name) => typeof element[name] !== "function",
  );
// What an action kept from screen readers, as all that is beside an open list: it is there as before.
const withdrawn = new WeakSet();
export const withdraw = (element) => {
  if (element.childElementCount) withdrawn.add(element);
};
export const isHidden = (element) => isAria(element, "aria-hidden") && !withdrawn.has(element);
// Of what becomes seen by and by once a script wants it to be, and of what is about to be, for
// whoever waits for that.
const FADING = ["invisible", "fading"];
const APPEARING = ["invisible", "fading", "appearing"];
const marksOf = (element, { opacity, transitionDuration, transitionProperty }) => {
  if (opacity !== "0") return VEILED;
  if (element.getAnimations().some(changesOpacity)) return APPEARING;
  const changes = /\b(all|opacity)\b/.test(transitionProperty) && /[1-9]/.test(transitionDuration);
  return changes ? FADING : VEILED;
};
// What veils the element, and what is in it, with the marks of that; null where nothing does.
export const veilOf = (element, { style, rect }, around, clear) => {
  if (around && !escapes(element, style, around.by)) return around;
  const veiled = isVeiled(element, style, rect, clear);
  return veiled ? { by: element, marks: marksOf(element, style) } : null;
};
// The part of an element that is its name already.
export const CAPTIONS = { caption: "table", figcaption: "figure", legend: "fieldset" };
const ACTIVE = "a, button, details, input, select, textarea, [role], [tabindex]";
export const isName = (element, name) =>
  element.localName in CAPTIONS &&
  !!name &&
  element.parentElement?.localName === CAPTIONS[element.localName] &&
  cleanText(element.textContent) === name &&
  !element.querySelector(ACTIVE);
const isDrawn = ({ width, height }) => width > 0 && height > 0;
const hasBox = (element, { display, rect }) =>
  display === "contents" ? isShown(element) : isDrawn(rect);
export const frameNumber = ({ contentWindow }) => {
  for (let index = 0; index < length; index++) if (window[index] === contentWindow) return index;
  return -1;
};
// What shows a document as a frame does, if it is none.
export const isDocument = ({ localName, contentWindow }) =>
  localName === "object" && !!contentWindow;
// Whether a document is to come into the frame.
export const awaits = (frame) =>
  frame.hasAttribute("srcdoc") ||
  !/^\s*(about:blank|javascript:.*)?$/i.test(frame.getAttribute("src") || "");
// What says something and is hidden as a whole, as a closed drawer: not what is for readers alone.
export const isPanel = ({ localName, textContent }, { width, height }) =>
  !/^(input|label|select|textarea)$/.test(localName) &&
  Math.max(width, height) > 1 &&
  WORDS.test(textContent);
// In what acts itself, such as a button, decoration shows the same pointer.
const PLAIN = new Set(["none", "presentation"]);
const isSilent = (element, role, style, { whole, acts, places }) => {
  if (!whole) return acts && PLAIN.has(role);
  return !(whole.listed && isWholeEntry(element, role, style)) && !places?.wantsIcon(element);
};
const AREA = { width: 200, height: 100 }; // pixels: a button is smaller
const isLarge = ({ width, height }) => width >= AREA.width && height >= AREA.height;
export const describeLook = (element, role, look, above) => {
  const { style } = look;
  const hit = style.pointerEvents !== "none" && hasBox(element, look);
  const reached =
    hit || hasClickableLabel(element) || isKeyed(element, style) || !!shellOf(element);
  const silent = isSilent(element, role, style, above);
  const hand = style.cursor === "pointer";
  const over = hit && !silent && isHand(element, style);
  const shows = !silent && (hand || over) && !drawsBox(element) && !isAroundPart(element);
  // What acts is held as a whole.
  const handle = hit && !silent && !above.acts && isHandle(element, style);
  const pointer = reached && (handle || isUsed(element, role) || shows);
  // What can be acted on in it is not all that it says.
  const parted = pointer && !hand && !over && isLarge(look.rect);
  const summary = element.localName === "summary";
  if (role === "generic" && (pointer || (reached && speaksByInternals(element.parentElement))))
    noteUnasked(element);
  return { role, reached, pointer, parted, hand, over, rect: look.rect, summary };
};
// A label that shows the pointer of its control, which is told by a name, or is a box to tick in it, is
// no more than a part of that.
const isKnown = (control, label) =>
  !!control && ((LABELLED.has(control.type) && label.contains(control)) || !!authored(control));
const isPartOf = (element, { cursor }) => {
  if (element.localName !== "label" || cursor !== "pointer") return false;
  const field = fieldOf(element);
  return (
    (WORDS.test(element.textContent) || isKnown(field, element)) &&
    !!field?.checkVisibility({ visibilityProperty: true }) &&
    !behind(element)
  );
};
// Whether there is such a label in it, and nothing else, as where a slot takes that.
const DOWNWARDS = 3;
const onlyIn = (element) => {
  const seen = [...flatChildren(element)].filter((node) => !isBlank(node) && isDisplayed(node));
  return seen.length === 1 && seen[0].nodeType === 1 ? seen[0] : null;
};
const isDisplayed = (node) => node.nodeType === 3 || styleOf(node).display !== "none";
const isAroundPart = (element) => {
  let inner = element;
  for (let down = 0; down < DOWNWARDS && inner && inner.localName !== "label"; down++)
    inner = onlyIn(inner);
  return inner?.localName === "label" && isPartOf(inner, styleOf(inner));
};
export const wholeOf = (element, look, { whole }) => {
  if (whole) return wholeAround(element, look, whole);
  return isPartOf(element, look.style) ? beginWhole(look.rect, true, false) : null;
};
// What says nothing that its content does not, as part of a text or around it.
const WRAPPERS = rolesWith("inline");
// What is drawn small and says nothing, as icons are: in no shadow root or style sheet either.
const ICON = { least: 4, most: 100 };
const HOLDING = `${ACTIVE}, foreignObject`;
const isDrawing = (element) => element instanceof SVGElement && !element.querySelector(HOLDING);
const isBlank = ({ nodeType, data }) => nodeType !== 1 && (nodeType !== 3 || !/\S/.test(data));
const isBare = (element) =>
  [...flatChildren(element)].every(isBlank) &&
  !element.hasAttribute("aria-owns") &&
  !["::before", "::after"].some((pseudo) => pseudoText(element, pseudo).trim());
export const isIcon = (element, { role, name, pointer }, { width, height }) =>
  !pointer &&
  !name &&
  (WRAPPERS.has(role) || role === "img") &&
  Math.min(width, height) >= ICON.least &&
  Math.max(width, height) <= ICON.most &&
  ((role === "img" && isDrawing(element)) || isBare(element));
export const isWrapper = ({ role, pointer, summary }) => WRAPPERS.has(role) && !pointer && !summary;
// A text that is struck out, as in Markdown: a price of before is not the price.
export const struck = ({ localName, firstElementChild }) =>
  (localName === "del" || localName === "s") && !firstElementChild ? "~~" : "";
// Where only margins or padding keep words apart.
const GAP = 3;
export const ENDS = /[\p{L}\p{N}]$/u;
const BEGINS = /^[\p{L}\p{N}]/u;
export const isApart = (style, side) =>
  parseFloat(style[`margin${side}`]) + parseFloat(style[`padding${side}`]) >= GAP;
export const goesOn = ({ nextSibling: next }) =>
  BEGINS.test(next?.data ?? next?.firstChild?.data ?? "");
export const said = (node) =>
  typeof node === "string"
    ? node
    : [node.text, ...(node.children || []).map(said)].filter(Boolean).join(" ");

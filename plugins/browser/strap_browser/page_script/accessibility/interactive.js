// What can be acted on.

import { opensItself } from "../dom/details.js";
import { rangeOf } from "../dom/geometry.js";
import { styleOf } from "../dom/styles.js";
import { holdsUpTo, parentOf } from "../dom/tree.js";
import { isAria, isSearch } from "./attributes.js";
import { rolesWith } from "./roles.js";

const HANDLERS = new Set(
  (
    "onauxclick onclick oncontextmenu ondblclick ondragover ondragstart ondrop onkeydown onkeypress " +
    "onkeyup onmousedown onmouseup onpointerdown onpointerup ontouchend ontouchstart"
  ).split(" "),
);
const CELLS = new Set(["columnheader", "gridcell", "row", "rowheader"]);
// What is drawn by the browser, with a content that is no text; a document that is nothing else is
// told as a whole.
export const DRAWN = new Set(
  /html|xml/.test(document.contentType) ? ["audio", "canvas", "embed", "object", "video"] : [],
);
// What cannot be loaded is drawn as what stands in it instead.
const showsInstead = (element) =>
  element.localName === "object" && rangeOf(element).getClientRects().length > 0;
export const isDrawnByScript = (element) =>
  (DRAWN.has(element.localName) && !showsInstead(element)) || isSearch(element);
// Fields that a label may stand for as a whole.
export const LABELLED = new Set(["checkbox", "file", "radio"]);
// Of tabs and the like one at a time takes part in the Tab key's round.
const MOST_BESIDE = 60;
const roves = ({ localName, parentElement: around }) =>
  !!around &&
  holdsUpTo(around, MOST_BESIDE) &&
  [...around.children].some((one) => one.localName === localName && one.tabIndex === 0);
// What only catches the focus, before and after a dialog and the like; nobody sees or clicks it.
const catches = (element) =>
  !element.firstChild &&
  !element.shadowRoot &&
  element.offsetWidth <= 1 &&
  element.offsetHeight <= 1;
// A line between the entries of a menu, which JupyterLab lets the focus come to.
const AROUND_ENTRIES = "[role=listbox], [role=menu], [role=menubar], [role=tablist], [role=tree]";
const SAYING = "a, button, canvas, img, input, select, svg, textarea, video, [aria-label], [title]";
const divides = (element) =>
  /^(none|presentation)$/.test(element.getAttribute("role") || "") &&
  !!element.parentElement?.matches(AROUND_ENTRIES) &&
  !/\S/.test(element.textContent) &&
  !element.matches(SAYING) &&
  !element.querySelector(SAYING);
const isTold = (element, role) => {
  if (!element.hasAttributes()) return false;
  for (const name of element.getAttributeNames()) {
    if (HANDLERS.has(name) || (name === "draggable" && isAria(element, name))) return true;
    const taken =
      name === "tabindex" && (element.tabIndex >= 0 || CELLS.has(role) || roves(element));
    if (taken && !catches(element) && !divides(element)) return true;
    if (name === "aria-sort" && role === "columnheader") return true;
  }
  return false;
};
// A link that leads nowhere is there for a script; one without attributes marks a place.
const isScripted = (link) =>
  link.hasAttributes() && !link.hasAttribute("href") && !link.hasAttribute("name");
// What listens, as DevTools told; what has much in it listens for that.
const MOST = 30;
const heard = new WeakSet();
let count = 0;
export const heardCount = () => count;
export const hearListeners = (found) => {
  const fresh = found.filter(
    (element) =>
      !heard.has(element) &&
      element !== document.documentElement &&
      element.getElementsByTagName("*").length <= MOST,
  );
  for (const element of fresh) heard.add(element);
  count += fresh.length;
  return fresh.length;
};
// A control stays one, whatever its author calls it.
const ACTED = rolesWith("control");
const isControl = (element) =>
  /^(button|input|textarea)$/.test(element.localName) ||
  (element.localName === "a" && element.hasAttribute("href")) ||
  (element.hasAttribute("contenteditable") && element.isContentEditable);
export const isUsed = (element, role) => {
  const { localName } = element;
  if (element === document.body) return false;
  if (localName === "select" || DRAWN.has(localName) || heard.has(element)) return true;
  if (opensItself(element)) return true;
  if (!ACTED.has(role) && isControl(element)) return true;
  return (localName === "a" && isScripted(element)) || isTold(element, role);
};
// What the mouse takes to move it, or to draw from it, as the nodes and ports of a diagram: the cursor
// says so, which in a drawing is that of a shape. What has much in it is moved as a ground.
const HELD = /^(crosshair|grab|move)$/;
export const isHandle = (element, { cursor }) => {
  const drawn = element.localName === "g";
  if (element instanceof SVGElement ? !drawn : !HELD.test(cursor) || cursor === "crosshair")
    return false;
  const around = parentOf(element);
  if (around?.nodeType !== 1 || element === document.body) return false;
  const own = drawn
    ? [...element.children].some(
        (one) => one instanceof SVGGeometryElement && HELD.test(styleOf(one).cursor),
      )
    : styleOf(around).cursor !== cursor;
  return own && element.getElementsByTagName("*").length <= MOST;
};
// The box to tick, or the field for files, that nobody sees because its label stands for it.
export const behind = (element) => {
  const field = element.localName === "label" ? element.control : null;
  if (!field || !LABELLED.has(field.type)) return null;
  return field.checkVisibility({ visibilityProperty: true }) ? null : field;
};

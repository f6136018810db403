// What is shown of a page as HTML, shadow roots and slots in their places: for reading rows.

import { isDisabled } from "../accessibility/attributes.js";
import { refer } from "../accessibility/refs.js";
import { Extent } from "../dom/clipping.js";
import { isShown } from "../dom/geometry.js";
import { isMasked } from "../dom/masked.js";
import { measured } from "../dom/off_page.js";
import { escapes, isTiny, isVeiled } from "../dom/visibility.js";
import {
  childrenOf,
  escapedText,
  isBlock,
  isHidden,
  isSkipped,
  isTextShown,
  isUnseen,
  optionsOf,
} from "./lines.js";

const MOST = 3_000_000;
const VALUE = 2_000;
const ATTRIBUTES = 60;
const VOID = /^(area|br|col|embed|hr|img|input|link|source|track|wbr)$/;
const LEFT_OUT = /^(on|style$|hidden$|srcdoc$)/;
const TYPED = /^(text|search|number|url|tel|email|date)$/; // inputs whose value is told
const SIGNS = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
const escapeHtml = (text) => text.replace(/[&<>"]/g, (sign) => SIGNS[sign]);
const attributes = (element) => {
  let text = "";
  for (const { name, value } of [...element.attributes].slice(0, ATTRIBUTES)) {
    if (LEFT_OUT.test(name) || !/^[a-zA-Z_][\w:.-]*$/.test(name)) continue;
    if (name === "value" && element.localName === "input") continue;
    text += ` ${name}="${escapeHtml(value.slice(0, VALUE))}"`;
  }
  const isTold = element.localName === "input" && TYPED.test(element.type) && !isMasked(element);
  return isTold && element.value
    ? `${text} value="${escapeHtml(element.value.slice(0, VALUE))}"`
    : text;
};
const chosen = (select) => {
  const labels = optionsOf(select).map((option) => option.label);
  return ` ${labels.join(" ")} `;
};
const write = (node, out, hidden = false) => {
  if (out.size > MOST) return;
  const { nodeType } = node;
  if (nodeType === 3) put(out, isUnseen(node) ? "" : hidden ? " " : escapeHtml(node.data));
  else if (nodeType === 9 || nodeType === 11) inside(node, out);
  else if (nodeType === 1 && !isSkipped(node)) writeElement(node, out, hidden);
};
const writeElement = (node, out, hidden) => {
  if (!isTextShown(node)) {
    for (const seen of escapedText(node)) write(seen, out, hidden);
    return;
  }
  // What is drawn as a block is parted from its neighbours, whatever its tag.
  const gap = isBlock(node) ? " " : "";
  const begin = `${gap}<${node.localName}${attributes(node)}>`;
  const end = VOID.test(node.localName) ? "" : `</${node.localName}>${gap}`;
  if (!isHidden(node)) {
    if (node.localName === "select") return put(out, escapeHtml(chosen(node)));
    put(out, begin);
    inside(node, out);
    put(out, end);
    return;
  }
  const parts = { pieces: [], size: out.size };
  inside(node, parts, true);
  const shown = parts.pieces.join("");
  // A cell of a row that is shown takes its place in any case.
  if (shown.trim() || (!hidden && /^t[dh]$/.test(node.localName))) put(out, begin + shown + end);
};
const inside = (node, out, hidden) => {
  for (const child of childrenOf(node)) write(child, out, hidden);
};
const put = (out, text) => {
  out.size += text.length;
  out.pieces.push(text);
};
export const htmlOf = (root) => {
  const out = { pieces: [], size: 0 };
  const start = root.nodeType === 9 ? root.body || root.documentElement : root;
  if (start) measured(() => write(start, out));
  const language = document.documentElement?.lang || "";
  return { html: out.pieces.join(""), cut: out.size > MOST, base: document.baseURI, language };
};
// What is in the page, parents before what is in them, with how many characters of text each has.
const sized = () => {
  const root = document.documentElement;
  const found = root ? [{ node: root, size: 0 }] : [];
  for (const each of found) {
    const { node } = each;
    if (node.nodeType === 3) each.size = node.data.replace(/\s+/g, " ").trim().length;
    if (node.nodeType !== 1 || isSkipped(node)) continue;
    for (const child of childrenOf(node)) found.push({ node: child, up: each, size: 0 });
  }
  for (const { up, size } of found.toReversed()) if (up) up.size += size;
  return found;
};
// Whether an element is so small, or so far away, that nobody sees what is in it.
const isNowhere = (node, style, extent) => {
  const rect = node.getBoundingClientRect();
  return isVeiled(node, style, rect, true) || isTiny(node) || extent.isOff(node, rect);
};
// How many characters are transparent (`waiting`), as those that pages fade in where a reader scrolls
// to them, how many are hidden, of an element that has most of the page at least, and how many are
// neither; and all that makes them so. Pages do not hide themselves many times over.
const NESTED = 8;
export const veiledParts = () => {
  const count = { waiting: 0, hidden: 0, seen: 0 };
  const veils = [];
  const [found, extent] = [sized(), new Extent()];
  for (const each of found) {
    const { node, size, up = {} } = each;
    if (node.nodeType === 3 && size && !up.left) count[waitOf(up)] += size;
    each.left = up.left || !size || node.nodeType !== 1;
    const veil = each.left ? null : veilOf(each, size >= found[0].size / 2, extent);
    if (veil) veils.push(veil);
  }
  return { count, veils };
};
const waitOf = ({ hidden, clear }) => {
  if (hidden) return "hidden";
  return clear ? "waiting" : "seen";
};
// Notes what hides an element, and returns how, null where nothing of its own does.
const veilOf = (each, most, extent) => {
  const { node, up = {} } = each;
  const style = getComputedStyle(node);
  const gone = style.display === "none";
  each.gone = (up.gone || 0) + gone;
  each.left = gone && (!most || each.gone > NESTED);
  if (each.left) return null;
  const clear = style.opacity === "0";
  const nowhere = most && !gone && isNowhere(node, style, extent);
  each.clear = clear || up.clear;
  const within = up.nowhere && !escapes(node, style, up.nowhere) ? up.nowhere : null;
  each.nowhere = nowhere ? node : within;
  each.hidden = each.gone > 0 || style.visibility !== "visible" || !!each.nowhere;
  return clear || each.hidden ? { node, gone, nowhere } : null;
};
// Makes all of that seen at once, without a transition.
const LIFTED = { opacity: "1", visibility: "visible", transition: "none", animation: "none" };
const DRAWN = { display: "block" };
const PLACED = {
  position: "static",
  transform: "none",
  scale: "none",
  translate: "none",
  width: "auto",
  height: "auto",
  "max-width": "none",
  "max-height": "none",
  "font-size": "medium",
  "text-indent": "0",
};
export const liftVeils = () => {
  for (const { node, gone, nowhere } of veiledParts().veils) {
    const drawn = { ...LIFTED, ...(gone && DRAWN), ...(nowhere && PLACED) };
    for (const name in drawn) node.style.setProperty(name, drawn[name], "important");
  }
};
// Opens what is folded in the page while it is written: a reader would with a click, and it may be
// most of the text. Closed again in the same task, so that no script of the page answers in time,
// as one that keeps a single answer open; and none is told of what begins and ends closed.
export const withUnfolded = (write) => {
  const folds = [];
  const open = document.documentElement ? [document.documentElement] : [];
  addEventListener("toggle", hush, true);
  try {
    while (open.length) {
      const node = open.pop();
      if (node.nodeType !== 1) continue;
      const fold = foldOf(node);
      if (fold) folds.push({ node, fold });
      if (fold) set(node, fold.opened);
      for (const child of childrenOf(node)) open.push(child);
    }
    return write();
  } finally {
    for (const { node, fold } of folds) set(node, fold.closed);
  }
};
// The attributes of what is folded, as it is and opened; of details of one name only one is open.
const foldOf = (node) => {
  if (node.localName === "details" && !node.open)
    return {
      closed: { open: null, name: node.getAttribute("name") },
      opened: { name: null, open: "" },
    };
  if (node.getAttribute("hidden") === "until-found")
    return { closed: { hidden: "until-found" }, opened: { hidden: null } };
  return null;
};
const set = (node, attributes) => {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null) node.removeAttribute(name);
    else node.setAttribute(name, value);
  }
};
const hush = (event) => {
  if (event.oldState === event.newState) event.stopImmediatePropagation();
};
// What the page says of itself for machines.
const TOLD = 500_000;
const TELLING = ["name", "property", "itemprop"].map((name) => `meta[${name}][content]`);
export const hiddenTexts = () => {
  const pieces = [];
  let size = 0;
  for (const each of document.querySelectorAll(
    `${TELLING}, script[type="application/ld+json" i]`,
  )) {
    const data = each.textContent.replaceAll("</", "<\\/");
    const piece =
      each.localName === "meta"
        ? `<meta${attributes(each)}>`
        : `<script type="application/ld+json">${data}</script>`;
    size += piece.length;
    if (size > TOLD) break;
    pieces.push(piece);
  }
  return pieces.join("");
};
// ---- the way to the next page ----
const NEXT = new RegExp(
  "^(next|next page|older|older posts|older entries|more results|weiter|nächste|nächste seite|" +
    "suivant|suivante|page suivante|siguiente|página siguiente|successivo|successiva|avanti|" +
    "próximo|próxima|próxima página|seguinte|volgende|nästa|neste|næste|następna|dalej|далее|" +
    "следующая|вперед|次へ|次のページ|下一页|下一頁|다음)?[ ›»→>]*$",
  "i",
);
const isNext = (element) => {
  const said = element.getAttribute("aria-label") || element.innerText || element.title || "";
  const words = said.replace(/\s+/g, " ").trim();
  return words.length > 0 && words.length < 40 && NEXT.test(words);
};
const PAGING = "nav, [role=navigation], [class*=pagin i], [class*=pager i], [id*=pagin i]";
export const onward = () => {
  /** @type {HTMLLinkElement} */
  const linked = document.querySelector("link[rel~=next][href]");
  const named = [...document.querySelectorAll("a[rel~=next][href]")].filter(isShown);
  const all = document.querySelectorAll("a, button, [role=button], [role=link]");
  /** @type {any[]} */
  let found = named.length ? named : [...all].filter((each) => isNext(each) && isShown(each));
  if (found.length > 1 && found.some((each) => each.closest(PAGING)))
    found = found.filter((each) => each.closest(PAGING));
  const ways = new Set(found.map((each) => each.href || each));
  // A list above and below has the same; several ways are none that is sure.
  if (ways.size > 1) return { several: ways.size };
  if (!found.length) return linked ? { href: linked.href } : {};
  const [element] = found;
  if (isDisabled(element)) return {};
  const href = element.localName === "a" && element.getAttribute("href");
  if (href && !/^(#|javascript:)/i.test(href)) return { href: element.href };
  return { ref: refer(element) };
};

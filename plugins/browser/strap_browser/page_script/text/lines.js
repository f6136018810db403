// Text of a document, line by line.

import { NOT_DRAWN } from "../accessibility/descriptions.js";
import { isDrawnByScript } from "../accessibility/interactive.js";
import { drawnText, isNumber, keepsLines } from "../accessibility/lines.js";
import { Numbers } from "../accessibility/list_numbers.js";
import { editorLines, editorOf, fieldIn, isTerminal } from "../dom/code_editor.js";
import { isFolded, summaries } from "../dom/details.js";
import { isInBox } from "../dom/geometry.js";
import { drawnValue, isMasked } from "../dom/masked.js";
import { isOff, measured } from "../dom/off_page.js";
import { CONTROL, topElement } from "../dom/tree.js";
import { escapedParts, isTiny, isVeiled } from "../dom/visibility.js";

const SKIPPED = new Set([
  "script",
  "style",
  "noscript",
  "template",
  "head",
  "title",
  "desc",
  "metadata",
  "iframe",
  "frame",
  "datalist",
  ...NOT_DRAWN,
]);
export const isSkipped = (element) => SKIPPED.has(element.localName) || isDrawnByScript(element);
const HEADING = /^h[1-6]$/;
// A line break between words.
const BROKEN = /\S[^\S\n]*\n\s*\S/;
// A price of before is not the price.
const STRUCK = /^(del|s)$/;
const MARKED = /^(h[1-6]|li|pre|del|s)$/;
const PARAGRAPH = /^(p|h[1-6]|ul|ol|table|pre|blockquote|section|article|figure|dl)$/;
const LIST = /^[uo]l$/;
// As deep as a browser reads HTML and some more: what scripts nest deeper is read as one text.
const DEEPEST = 700;
let depth = 0;
const TEXT = 200;
const SIBLINGS = 100;
const isForEyes = (element) => element.getAttribute("aria-hidden") === "true";
// Whether it goes round a second time, as pages copy the slides of a carousel: what is the same comes
// before it, from the one on that is for all.
const isCopy = (element) => {
  const beside = [...(element.parentNode?.children || [])];
  if (beside.length > SIBLINGS) return false;
  const start = Math.max(
    0,
    beside.findIndex((one) => !isForEyes(one)),
  );
  const round = [...beside.slice(start), ...beside.slice(0, start)];
  const { textContent: text } = element;
  return round.slice(0, round.indexOf(element)).some((one) => one.textContent === text);
};
// What is for eyes alone is an ornament, or there twice, unless somebody can act in it or it is a
// text: what is behind a dialog is kept from screen readers as a whole, and some pages forget it so.
const isDecoration = (element) => {
  if (!isForEyes(element)) return false;
  const isOrnament = element.textContent.length < TEXT && !element.querySelector(CONTROL);
  return isOrnament || isCopy(element);
};
// Whether there is something to see in it. Where it is `visibility: hidden` itself, only parts of it
// can be: `isHidden` tells.
export const isTextShown = (element) => {
  if (!element.checkVisibility({ opacityProperty: true, contentVisibilityAuto: false })) {
    return getComputedStyle(element).display === "contents" && isInBox(element);
  }
  if (isDecoration(element)) return false;
  const style = getComputedStyle(element);
  // What keeps its content back may be drawn itself, as a box.
  if (style.contentVisibility === "hidden" && style.display !== "inline") return false;
  return !isVeiled(element, style, element.getBoundingClientRect());
};
// What is seen out of an element that is not shown itself.
export const escapedText = (element) =>
  element.checkVisibility() && !isDecoration(element) ? [...escapedParts(element)] : [];
export const isHidden = (element) => getComputedStyle(element).visibility !== "visible";
// Whether a text is too small to be seen, or off.
export const isUnseen = (text) => {
  if (!/\S/.test(text.data)) return false;
  const around = text.assignedSlot || text.parentElement || text.parentNode?.host;
  return !!around && (isTiny(around) || isOff(around));
};
const clean = (text) => text.replace(/[\u0001-\u0004]/g, "");
const words = (text) => clean(text).replace(/[ \t\r\n\f]+/g, " ");
// Whether the line breaks in a text, of which it has some between words, are those of the page.
const breaksLines = (text) => {
  if (!BROKEN.test(text.data)) return false;
  const around = text.assignedSlot || text.parentElement;
  return !!around && getComputedStyle(around).whiteSpaceCollapse !== "collapse";
};
export const childrenOf = (node) => {
  // What is directly in one that is closed are texts, which nobody can ask whether they are shown.
  if (isFolded(node)) return summaries(node);
  if (node.shadowRoot) return node.shadowRoot.childNodes;
  if (node.localName === "slot" && node.assignedNodes().length) return node.assignedNodes();
  return node.childNodes;
};
export const isBlock = (element) =>
  !/^(inline|contents)/.test(getComputedStyle(element).display) || element.localName === "br";
// Between pieces of text stand marks: where a block begins or ends, and where a paragraph does.
// Spaces and line breaks that count are marked too, until all others are collapsed.
const LINE = "\u0001",
  GAP = "\u0002",
  SPACE = "\u0003",
  BREAK = "\u0004";
const exact = (text) =>
  clean(text)
    .replace(/\n/g, BREAK)
    .replace(/[ \u00a0]/g, SPACE);
const fenced = (text, out) => {
  if (/\S/.test(text))
    out.push("```", BREAK, exact(text.replace(/^\n+/, "").trimEnd()), BREAK, "```");
};
const editor = (node, out) => {
  const text = editorLines(node).trimEnd();
  out.push(LINE);
  if (isTerminal(node)) out.push(exact(text));
  else fenced(text, out);
  out.push(LINE);
};
const written = (node, context) => {
  if (isUnseen(node)) return "";
  if (context.hidden) return " ";
  if (context.pre) return exact(drawnText(node));
  return breaksLines(node) ? node.data.split("\n").map(words).join("\n") : words(node.data);
};
const collect = (node, out, context) => {
  const { nodeType } = node;
  if (nodeType === 3) out.push(written(node, context));
  else if (nodeType === 11 || nodeType === 9)
    for (const child of childrenOf(node)) collect(child, out, context);
  else if (nodeType === 1 && !isSkipped(node)) collectElement(node, out, context);
};
const collectElement = (node, out, context) => {
  if (!isTextShown(node)) {
    for (const seen of escapedText(node))
      collect(seen, out, { ...context, hidden: isHidden(seen) });
    return;
  }
  const hidden = isHidden(node);
  if (hidden) return inside(node, out, { ...context, hidden });
  const shown = context.hidden ? { ...context, hidden } : context;
  const own = OWN[node.localName];
  if (own) own(node, out, shown);
  else if (fieldIn(node)) editor(node, out);
  else element(node, node.localName, out, shown);
};
const value = (node, out) => {
  const text = isOff(node) ? "" : drawnValue(node);
  if (text.includes("\n")) out.push(LINE, exact(text.trimEnd()), LINE);
  else if (text) out.push(` ${words(text)} `);
};
// Elements whose text is not what is in them.
const OWN = {
  __proto__: null,
  select: (node, out) => {
    if (!isOff(node)) options(node, out);
  },
  // One that is all of a block makes this a line, as any other text would.
  br: (node, out, { pre }) => {
    const break_ = node.parentNode.childNodes.length > 1 ? BREAK : SPACE;
    out.push(pre ? break_ : "\n");
  },
  img: (node, out) => {
    if (node.alt && !isOff(node)) out.push(`[${words(node.alt)}]`);
  },
  input: value,
  textarea: value,
};
const inside = (node, out, context) => {
  if (depth > DEEPEST) return void out.push(words(node.textContent));
  depth += 1;
  for (const child of childrenOf(node)) collect(child, out, context);
  depth -= 1;
};
// What a drop-down shows is what is chosen, and a list box shows all.
const isList = (select) => select.size > 1 || select.multiple;
export const optionsOf = (select) =>
  isList(select)
    ? [...select.options].filter((option) => option.checkVisibility({ visibilityProperty: true }))
    : [...select.selectedOptions];
const options = (select, out) => {
  const gap = isList(select) ? LINE : " ";
  for (const option of optionsOf(select)) out.push(gap, words(option.label), gap);
};
const keeping = (node, style, context) =>
  keepsLines(node, style) ? { ...context, pre: true } : context;
const inList = (context) => ({ ...context, list: context.list + 1 });
// What parts an element from its neighbours. Controls side by side are apart, whatever their markup
// has between them.
const surroundings = (node, tag, { list }) => {
  if (!isBlock(node) && tag !== "li") return tag === "button" ? [" "] : [];
  return [PARAGRAPH.test(tag) && !(list && LIST.test(tag)) ? GAP : LINE];
};
const element = (node, tag, out, context) => {
  if (tag === "a" && node.hasAttribute("href")) return link(node, out, context);
  if (tag === "tr") return row(node, out, context);
  const style = getComputedStyle(node);
  if (context.pre && isNumber(node, style)) return;
  const begin = marker(node, tag, context);
  const pieces = [];
  inside(node, pieces, LIST.test(tag) ? inList(context) : keeping(node, style, context));
  // Of what is off there are marks only where something in it is seen.
  const says = (piece) => /\S/.test(clean(piece));
  if (MARKED.test(tag) && isOff(node) && !pieces.some(says)) return;
  const around = surroundings(node, tag, context);
  const struck = STRUCK.test(tag) ? ["~~"] : [];
  out.push(...around, ...begin, ...struck);
  if (tag === "pre" && !context.pre) fenced(join(pieces), out);
  else for (const piece of pieces) out.push(piece);
  out.push(...struck, ...around);
};
// What Markdown writes before a heading or an item.
const marker = (node, tag, { list, numbers }) => {
  if (HEADING.test(tag)) return [`${"#".repeat(+tag[1])} `];
  if (tag !== "li") return [];
  return [`${SPACE.repeat(2 * Math.max(0, list - 1))}${numbers.of(node) || "-"} `];
};
const link = (node, out, context) => {
  const text = [];
  inside(node, text, context);
  const label = join(text);
  const href = node.getAttribute("href");
  if (!label || label.includes("\n") || /^(#|javascript:)/.test(href)) {
    out.push(...text);
    return;
  }
  out.push(`[${label}](${href.length > 200 ? `${href.slice(0, 200)}…` : href})`);
};
const row = (node, out, context) => {
  const cells = [...node.cells].filter(isTextShown).map((cell) => {
    const text = [];
    inside(cell, text, {
      ...keeping(cell, getComputedStyle(cell), context),
      hidden: isHidden(cell),
    });
    return join(text).replace(/\n+/g, " ");
  });
  if (!cells.some(Boolean)) return;
  out.push(LINE, `| ${cells.map(exact).join(" | ")} |`, LINE);
  if (node.cells.length && [...node.cells].every((cell) => cell.localName === "th"))
    out.push(`|${" --- |".repeat(cells.length)}`, LINE);
};
const join = (pieces) =>
  pieces
    .join("")
    .replace(/ *[\u0001\u0002][\u0001\u0002 ]*/g, (marks) => (marks.includes(GAP) ? "\n\n" : "\n"))
    .replace(/ *\n */g, "\n")
    .replace(/\n{3,}/g, "\n\n")
    .replace(/ {2,}/g, " ")
    .trim()
    .replaceAll(BREAK, "\n")
    .replaceAll(SPACE, " ")
    .replace(/ +$/gm, "");
export const textOf = (root) => {
  const start = root.nodeType === 9 ? topElement() : root;
  if (!start) return "";
  const out = [];
  const around = start.nodeType === 1 && editorOf(start);
  if (around) return editorLines(around).trimEnd();
  const field = start.nodeType === 1 && start.matches("input, textarea");
  if (field) return isMasked(start) ? "" : start.value;
  if (start.localName === "select")
    return [...start.selectedOptions].map((option) => words(option.label).trim()).join("\n");
  depth = 0;
  const context = { list: 0, numbers: new Numbers() };
  measured(() => {
    if (start.localName === "tr") row(start, out, context);
    else collect(start, out, { ...context, pre: !!start.closest && !!start.closest("pre") });
  });
  return join(out);
};

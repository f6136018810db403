// The texts, pictures and links by which a record is told from others.

import { cleanText } from "../dom/text.js";
import { closest, flatChildren } from "../dom/tree.js";

const TEXTS = 40; // texts of a record
export const LENGTH = 80;
// The kinds of what a record shows, in the order in which they are taken to tell it from others.
export const [HEADING, TEXT, NUMBER, PICTURE, CONTROL, OTHER, LINK] = [0, 1, 2, 3, 4, 5, 6];
// What says how something is now: counts, amounts, what is announced.
const PASSING =
  "output, meter, progress, [aria-live]:not([aria-live=off]), [role=alert], [role=status], " +
  "[role=timer], [role=log], [role=marquee], [role=meter], [role=progressbar], [role=tooltip]";
// What is typed or chosen, and what is not drawn.
const SKIPPED =
  `input, select, textarea, datalist, script, style, template, noscript, iframe, [contenteditable], ` +
  `[role=textbox], [role=searchbox], [role=combobox], [role=listbox], [role=slider], [role=spinbutton], ${PASSING}`;
export const BEFORE = `time, ${SKIPPED}`;
export const CONTROLS =
  "button, summary, [role=button], [role=tab], [role=switch], [role=checkbox], [role=radio], [role=menuitem]";
export const HEADINGS = "h1, h2, h3, h4, h5, h6, legend, caption, [role=heading], [role=rowheader]";
const PLAIN = new Set(
  "a b br div em i li p path section small span strong svg td tr ul".split(" "),
);
const isPlain = (element) =>
  PLAIN.has(element.localName) &&
  !["role", "aria-live", "contenteditable"].some((name) => element.hasAttribute(name));
const isHeading = (element) =>
  element.matches(HEADINGS) ||
  (element.localName === "th" && !!element.parentElement?.querySelector("td"));
export const LETTER = /\p{L}/u;
const WORD = /[^\s\p{P}]/u;
const UNITS = "(ms|s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?)";
const AMOUNTS = new RegExp(
  "[([]\\s*[\\d.,]+[kKmM+]?\\s*[)\\]]|\\p{Sc}\\s?\\d[\\d.,]*|\\d[\\d.,]*\\s?(\\p{Sc}|%|[A-Z]{3}\\b)|" +
    `\\d{1,2}:\\d{2}(:\\d{2})?(\\s?[APap][Mm]\\b)?|\\b\\d[\\d.,]*\\s?${UNITS}\\b|:\\s*\\d{1,3}(?!\\d)[\\d.,]*`,
  "gu",
);
const COUNT = /^\W*\d[\d.,]*[kKmM+]?\s+\p{Ll}/u;
const WHEN = /\bago\b|^(just )?now\b|^(today|yesterday|tomorrow)\b/i;
export const named = (text) => {
  const plain = cleanText(text).slice(0, LENGTH);
  if (!LETTER.test(plain) || COUNT.test(plain) || WHEN.test(plain)) return "";
  const left = cleanText(plain.replace(AMOUNTS, " "));
  return LETTER.test(left) ? left : "";
};
// A number that stands for something: written with its sign, or of four digits together and more.
const STANDS = /(#|№|\bno\.?)\s?\d|\d{4}/i;
const PASSED = /\bago\b|^(just )?now\b/i;
export const [OF_PICTURE, OF_LINK, OF_BOTH] = ["\u0001", "\u0002", /^[\u0001\u0002]/];
// What a text that names nothing may tell all the same where nothing else does.
const counted = (text, rank) => {
  const plain = cleanText(text).slice(0, LENGTH);
  if (!WORD.test(plain) || PASSED.test(plain)) return null;
  const isNumber =
    rank !== CONTROL && !COUNT.test(plain) && STANDS.test(plain.replace(AMOUNTS, " "));
  return { name: plain, rank: isNumber ? NUMBER : OTHER };
};
// Where a picture is from, without what only one request for it has.
const pictured = ({ src }) =>
  src && !/^(data|blob):/.test(src) ? OF_PICTURE + src.split(/[?#]/)[0] : "";
// The value of a field that nobody can change: a record may have no other name.
const FIXED = ":is(input, textarea):is(:read-only, :disabled)";
const UNTOLD = /^(password|hidden|checkbox|radio|file|button|submit|reset|image|range|color)$/;
const fixed = (element) =>
  element.matches(FIXED) && !UNTOLD.test(element.type) ? element.value : "";
const linked = (element) => (element.localName === "a" && element.getAttribute("href")) || "";
export const isSeen = (element) => element.checkVisibility({ visibilityProperty: true });
export const isLabel = (element) => !!closest(element, "label");
const memos = [];
export const at = new Map();
export const forgetSubjects = () => {
  for (const memo of memos) memo.clear();
  at.clear();
};
// What a function returned for a node in this look, and for `more`.
export const once = (look) => {
  const memo = new Map();
  memos.push(memo);
  return (node, more = "") => {
    if (!memo.has(more)) memo.set(more, new Map());
    const seen = memo.get(more);
    let found = seen.get(node);
    if (found === undefined) {
      found = look(node, more);
      seen.set(node, found);
    }
    return found;
  };
};
const gather = (element, found, rank) => {
  let own = fixed(element);
  for (const node of own ? [] : flatChildren(element)) {
    if (found.length >= TEXTS) break;
    if (node.nodeType === 3) own += node.data;
    else if (node.nodeType === 1) gatherIn(node, found, rank);
  }
  const link = linked(element);
  if (link) found.push({ name: OF_LINK + link, rank: LINK, element });
  if (!WORD.test(own) || !isSeen(element)) return;
  const name = element.localName === "time" ? "" : named(own);
  const one = name ? { name, rank } : counted(own, rank);
  if (one) found.push({ ...one, element });
};
const gatherIn = (node, found, rank) => {
  if (isPlain(node)) gather(node, found, rank);
  else if (node.localName === "img") {
    const [name, picture] = [named(node.alt), pictured(node)];
    if (name && isSeen(node)) found.push({ name, rank, element: node });
    if (picture) found.push({ name: picture, rank: PICTURE, element: node });
  } else if (!node.matches(SKIPPED) || fixed(node))
    gather(
      node,
      found,
      node.matches(CONTROLS) ? CONTROL : isHeading(node) ? Math.min(rank, HEADING) : rank,
    );
};
export const textsOf = once(function texts(scope) {
  const found = [];
  const label = named(scope.getAttribute("aria-label") || "");
  if (label) found.push({ name: label, rank: HEADING, element: scope });
  gather(scope, found, TEXT);
  return found.sort((one, other) => one.rank - other.rank);
});
// All that it shows, a line for the text of each element, indented in buttons.
const UNREAD = new Set(["SCRIPT", "STYLE", "TEMPLATE", "SELECT"]);
export const write = (element) => {
  let [own, text] = ["", ""];
  const parts = isParted(element) ? flatChildren(element) : null;
  let node = parts ? parts[0] : element.firstChild;
  for (let index = 1; node; index++) {
    if (node.nodeType === 3) own += node.data;
    else if (node.nodeType === 1 && !UNREAD.has(node.tagName)) text += write(node);
    node = parts ? parts[index] : node.nextSibling;
  }
  if (element.localName === "img") own = element.alt;
  if (element.matches("input, textarea")) own = fixed(element);
  text += source(element);
  if (!WORD.test(own) || !isSeen(element)) return text;
  return `${element.localName === "button" ? "\t" : ""}${own.replaceAll("\n", " ")}\n${text}`;
};
// The line for a picture or a link.
const source = (element) => {
  if (element.localName === "img") return `${pictured(element)}\n`;
  return linked(element) ? `${OF_LINK}${linked(element)}\n` : "";
};
// Most elements have no shadow root and no slots: to go from one child to the next is quicker.
const isParted = ({ localName, shadowRoot }) =>
  !!shadowRoot || localName === "form" || localName === "slot";
export const shownIn = once(function shown(scope) {
  return `${scope.getAttribute("aria-label") || ""}\n${write(scope)}`;
});
export const NAMED = /^[^\t\n]*[\p{L}\p{N}]/mu;

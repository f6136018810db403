// The lines of texts whose line breaks count, as those of code do.

const EMPTY = /[\u00AD\u200B\u2060\uFEFF]+/g;
const MONOSPACE = /mono|courier|consolas|menlo/i;
// Blanks that stand for something, as those of an indentation or a column do.
const WIDE = /(\t| {2})\S/;
// Whether it has lines though its blanks collapse.
const isBreak = (node) => node?.localName === "br";
const hasBreaks = ({ children }) => [...children].some(isBreak);
// The text of a node without the blanks that are not drawn.
export const drawnText = ({ data, previousSibling, parentElement }) => {
  if (!parentElement || getComputedStyle(parentElement).whiteSpaceCollapse !== "collapse")
    return data;
  const begins = previousSibling ? isBreak(previousSibling) : hasBreaks(parentElement);
  return data.replace(/[ \t\r\n\f]+/g, " ").replace(begins ? /^ / : "", "");
};
// Whether an element keeps the line breaks in its text: preformatted text, and code. Those of other
// texts (`pre-wrap`, `pre-line`) break them as paragraphs do.
export const keepsLines = (element, style) => {
  const breaks = style.whiteSpaceCollapse;
  if (!(element instanceof HTMLElement)) return false;
  if (breaks === "collapse") return hasBreaks(element) && MONOSPACE.test(style.fontFamily);
  if (element.localName === "pre") return true;
  return (
    /^(preserve|break-spaces)$/.test(breaks) &&
    (style.textWrapMode === "nowrap" || MONOSPACE.test(style.fontFamily))
  );
};
// A number beside a line of code, which is not selected with it.
export const isNumber = ({ textContent }, { userSelect }) =>
  userSelect === "none" && /^\s*\d+\s*$/.test(textContent);
// The lines of a text that say something; none where it is but one that any text may be.
export const sourceLines = (text) => {
  const all = text
    .replace(EMPTY, "")
    .replace(/\u00a0/g, " ")
    .split(/\r\n?|\n/);
  const found = all.map((line) => line.trimEnd()).filter(Boolean);
  return found.length > 1 || WIDE.test(found[0]) ? found : [];
};

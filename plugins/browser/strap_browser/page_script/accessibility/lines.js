// The lines of texts whose line breaks count, as those of code do.

const EMPTY = /[\u00AD\u200B\u2060\uFEFF]+/g;
const MONOSPACE = /mono|courier|consolas|menlo/i;
// Blanks that stand for something, as those of an indentation or a column do.
const WIDE = /(\t| {2})\S/;
// Whether an element keeps the line breaks in its text: preformatted text, and code. Those of other
// texts (`pre-wrap`, `pre-line`) break them as paragraphs do.
export const keepsLines = (element, style) => {
  const breaks = style.whiteSpaceCollapse;
  if (breaks === "collapse" || !(element instanceof HTMLElement)) return false;
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

// What is clicked as a whole, and what stands in it to be clicked by itself: that is inherited
// together with the pointer, and no style says it.

const TEXT = /\S/;
// Browsers give these a pointer of their own.
const FIELDS = new Set(["button", "input", "select", "textarea"]);
const isTold = ({ textContent }) => TEXT.test(textContent);
const shared = (one, other) => {
  const width = Math.min(one.right, other.right) - Math.max(one.left, other.left);
  const height = Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top);
  return Math.max(width, 0) * Math.max(height, 0);
};
// A list that pops up beside what opens it.
const isList = (element, { style, rect }, whole) =>
  (style.position === "absolute" || style.position === "fixed") &&
  [...element.children].some(isTold) &&
  shared(rect, whole.rect) < (rect.width * rect.height) / 2;
export const beginWhole = (rect, hand, over) => ({ rect, hand, over, listed: false });
// The whole that the content of an element is part of, if any: where another pointer comes between,
// what shows the hand again is a thing of its own.
export const wholeAround = (element, look, whole) => {
  if (whole.over && look.style.cursor === "pointer") return null;
  if (whole.hand && look.style.cursor !== "pointer" && !FIELDS.has(element.localName)) return null;
  return !whole.listed && isList(element, look, whole) ? { ...whole, listed: true } : whole;
};
const isInline = (element) => /^(inline|none)/.test(getComputedStyle(element).display);
// Whether it is one of the list: a row, or what holds no block of text.
export const isWholeEntry = (element, role, { display }) =>
  isTold(element) &&
  !display.startsWith("inline") &&
  (role === "listitem" ||
    display === "flex" ||
    [...element.children].every((one) => isInline(one) || !isTold(one)));

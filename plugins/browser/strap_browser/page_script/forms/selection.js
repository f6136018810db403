// What is selected in a field.

import { isMasked } from "../dom/masked.js";
import { isFirefox } from "../dom/quirks.js";
import { clip, focusedElement } from "../dom/tree.js";

export const activeOf = ({ ownerDocument }) =>
  ownerDocument === document ? focusedElement() : ownerDocument.activeElement;
export const isActive = (field) => {
  const active = activeOf(field);
  // The body, which is active where nothing has the focus, is around every field.
  const isHost = field.isContentEditable && !!active?.isContentEditable && active.contains(field);
  return active === field || isHost;
};
export const activate = (field) => {
  field.scrollIntoView({ block: "nearest", inline: "nearest", behavior: "instant" });
  field.focus({ preventScroll: true });
  // Firefox focuses no body of a document that is edited as a whole.
  if (isFirefox && field === field.ownerDocument.body) field.ownerDocument.defaultView.focus();
  return isActive(field);
};
const selectionOf = (field) => field.ownerDocument.getSelection();
// Firefox keeps what is selected in a field for text apart: no other selection tells of it, and of
// fields for addresses and numbers nothing does.
const isApart = (field) => isFirefox && field.matches("input, textarea");
export const isRange = (field) =>
  isApart(field)
    ? field.selectionStart !== field.selectionEnd
    : selectionOf(field).type === "Range";
// Whether the caret is in the field, or what is selected: a page may select something else beside
// the field that has the focus. What is in a field for text is told as a place in front of it.
export const isSelectedIn = (field) => {
  if (isApart(field)) return isRange(field) || selectionOf(field).type !== "Range";
  const { anchorNode, anchorOffset, focusNode, focusOffset } = field.getRootNode().getSelection();
  if (field.isContentEditable) return field.contains(anchorNode) && field.contains(focusNode);
  const isPlace = anchorNode === focusNode && anchorOffset === focusOffset;
  return isPlace && anchorNode?.childNodes[anchorOffset] === field;
};
// Where the selection begins and ends, in a field too.
export const selectionEnds = () => {
  const { type, anchorNode, anchorOffset, focusNode, focusOffset } = getSelection() || {};
  const field = focusedElement();
  const inField = [field?.selectionStart, field?.selectionEnd];
  return [type, anchorNode, anchorOffset, focusNode, focusOffset, ...inField];
};
// What is selected, as everybody sees it: what a field shows as dots says nothing.
const SELECTED = 200;
export const selected = () => {
  const field = focusedElement();
  if (field && isMasked(field)) return "";
  if (field && isApart(field) && isRange(field))
    return clip(field.value.slice(field.selectionStart, field.selectionEnd), SELECTED);
  const selection = getSelection();
  return selection?.type === "Range" ? clip(selection.toString(), SELECTED) : "";
};
// What an editor consists of. Editors that keep a document of their own know a caret in a text or
// in an empty paragraph, but not one beside their paragraphs.
const leavesOf = (editor) => {
  const leaves = [];
  const add = (node) => {
    if (node.nodeType === 3) {
      if (/\S/.test(node.data) || node.parentNode.childNodes.length === 1) leaves.push(node);
    } else if (node.nodeType === 1) {
      if (node.isContentEditable && node.firstChild) node.childNodes.forEach(add);
      else if (node !== editor) leaves.push(node);
    }
  };
  add(editor);
  return leaves;
};
const begin = (range, leaf) =>
  leaf.nodeType === 3 ? range.setStart(leaf, 0) : range.setStartBefore(leaf);
const end = (range, leaf) => {
  if (leaf.nodeType === 3) range.setEnd(leaf, leaf.data.length);
  else if (leaf.localName === "br") range.setEndBefore(leaf);
  else range.setEndAfter(leaf);
};
export const selectAll = (field) => {
  if (field.select) return field.select();
  const range = field.ownerDocument.createRange();
  const leaves = leavesOf(field);
  if (leaves.length) {
    begin(range, leaves[0]);
    end(range, leaves.at(-1));
  } else range.selectNodeContents(field);
  selectionOf(field).removeAllRanges();
  selectionOf(field).addRange(range);
};
// Has the field hold what it holds, with the caret behind it (HTML, 4.10.5.4).
const setAnew = (field) => {
  const { value } = field;
  if (!value) return;
  field.value = "";
  field.value = value;
};
export const toEnd = (field) => {
  if (!field.isContentEditable) {
    try {
      const end = field.value.length;
      field.setSelectionRange(end, end);
    } catch {
      if (isApart(field)) return setAnew(field);
      field.select?.();
      getSelection().collapseToEnd && getSelection().rangeCount && getSelection().collapseToEnd();
    }
    return;
  }
  selectAll(field);
  selectionOf(field).collapseToEnd();
};

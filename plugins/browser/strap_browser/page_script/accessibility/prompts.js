// The prompt of an empty editor, which is no text of it.

// What an editor draws where it is empty: by a style sheet, or as a part that nobody edits or touches.
const isPrompt = (part) =>
  part.isContentEditable === false && getComputedStyle(part).pointerEvents === "none";
const WRITTEN = /[^\s\u200b\ufeff]/;
export const holdsText = (node) => {
  if (node.nodeType === 3) return WRITTEN.test(node.data);
  if (node.nodeType !== 1 || isPrompt(node)) return false;
  return [...node.childNodes].some(holdsText);
};

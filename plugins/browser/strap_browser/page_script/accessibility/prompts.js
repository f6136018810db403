// The prompt of an empty editor, which is no text of it.

import { ACTS, FIELD } from "./branch.js";
import { said } from "./descriptions.js";

// What an editor draws where it is empty: by a style sheet, or as a part that nobody edits or touches.
const isPrompt = (part) =>
  part.isContentEditable === false && getComputedStyle(part).pointerEvents === "none";
const WRITTEN = /[^\s\u200b\ufeff]/;
const holdsText = (node) => {
  if (node.nodeType === 3) return WRITTEN.test(node.data);
  if (node.nodeType !== 1 || isPrompt(node)) return false;
  return [...node.childNodes].some(holdsText);
};
// What can be acted on among nodes.
export const controlsAmong = (nodes) =>
  nodes.flatMap((node) => {
    const acts = node.ref && (node.pointer || ACTS.test(node.role) || FIELD.test(node.role));
    return acts ? [node] : controlsAmong(node.children || []);
  });
// An editor that is empty and shows what it asks for has no text.
export const addPrompt = (node, element) => {
  const asks =
    node.role === "textbox" && element.isContentEditable && !holdsText(element) && said(node);
  if (asks && !controlsAmong(node.children || []).length)
    Object.assign(node, { placeholder: asks, text: "", children: [] });
};

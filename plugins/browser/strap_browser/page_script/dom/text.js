// Text as a person reads it, without characters that nobody sees.

export const words = (text) => new Set(text.split(" "));
// Spaces of no width and soft hyphens.
const EMPTY = /[\u00AD\u200B\u2060\uFEFF]+/g;
export const hasEmpty = (text) => /[\u00AD\u200B\u2060\uFEFF]/.test(text);
const SPACES = /\s+/g;
export const cleanText = (text) => text.replace(EMPTY, "").replace(SPACES, " ").trim();

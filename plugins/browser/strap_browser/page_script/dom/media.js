// What is drawn or played, and has no text: canvases, videos, sounds, pictures, files.

import { fieldIn, isTerminal } from "./code_editor.js";
import { isOff } from "./off_page.js";
import { isClear } from "./styles.js";
import { shadowRoots } from "./tree.js";

const MOST = 3000; // elements that are looked at
const LEAST = 8; // CSS pixels: nothing is recognised in what is smaller
const FILE = /^application\/pdf$/i;
const PICTURE = /\b(url|image-set)\(/;
const ofImage = ({ complete, naturalWidth }) =>
  naturalWidth ? "picture" : `picture that ${complete ? "did not load" : "is not there yet"}`;
const KINDS = {
  audio: () => "sound",
  canvas: () => "canvas",
  embed: ({ type }) => (FILE.test(type) ? "PDF" : ""),
  img: ofImage,
  object: ({ type }) => (FILE.test(type) ? "PDF" : ""),
  svg: () => "picture",
  video: () => "video",
};
const isInside = ({ parentElement: around }) => !!around?.closest("svg, .xterm");
const kindOf = (element) => {
  if (isInside(element)) return "";
  const field = fieldIn(element);
  if (field) return isTerminal(element) ? "terminal" : "";
  if (Object.hasOwn(KINDS, element.localName)) return KINDS[element.localName](element);
  return PICTURE.test(getComputedStyle(element).backgroundImage) ? "picture" : "";
};
const told = (element) => {
  const what = kindOf(element);
  const { width, height } = element.getBoundingClientRect();
  if (what === "sound") return { what, url: element.currentSrc || element.src };
  if (!what || Math.min(width, height) < LEAST || !isClear(element) || isOff(element)) return null;
  return { what, width: Math.round(width), height: Math.round(height) };
};
// Those in an element, or in the document.
export const mediaIn = (start) => {
  const roots = start.nodeType === 9 ? shadowRoots() : [start];
  const found = roots.flatMap((root) => [
    ...(root.nodeType === 1 ? [root] : []),
    ...root.querySelectorAll("*"),
  ]);
  return found.slice(0, MOST).map(told).filter(Boolean);
};

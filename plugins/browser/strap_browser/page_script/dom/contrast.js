// The colours of a text, and their contrast (WCAG 2.2, 1.4.3).

import { parentOf } from "./tree.js";

const known = new Map();
let pen = null;
// Red, green, blue, and the share that covers what is below, in whatever way a style says it.
const channels = (colour) => {
  if (known.has(colour)) return known.get(colour);
  pen ||= new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
  pen.clearRect(0, 0, 1, 1);
  pen.fillStyle = colour;
  pen.fillRect(0, 0, 1, 1);
  const [red, green, blue, alpha] = pen.getImageData(0, 0, 1, 1).data;
  const told = [red, green, blue, alpha / 255];
  known.set(colour, told);
  return told;
};
const over = (above, below) => {
  const alpha = above[3];
  return [0, 1, 2].map((at) => above[at] * alpha + below[at] * (1 - alpha)).concat(1);
};
const luminance = (colour) => {
  const [red, green, blue] = colour.slice(0, 3).map((value) => {
    const part = value / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
};
const hex = (colour) =>
  `#${colour
    .slice(0, 3)
    .map((value) => Math.round(value).toString(16).padStart(2, "0"))
    .join("")}`;
const isForeignFrame = () => {
  /** @type {Window} */
  let at = window;
  while (at.frameElement) at = at.parent;
  return at !== at.top;
};
// The colour behind an element, null where a picture or a blend makes it unknown.
const paperOf = (element) => {
  const layers = [];
  for (let node = element; node; node = parentOf(node) || node.defaultView?.frameElement) {
    if (node.nodeType !== 1) continue;
    const { backgroundColor, backgroundImage, mixBlendMode, filter } = getComputedStyle(node);
    if (backgroundImage !== "none" || mixBlendMode !== "normal" || filter !== "none") return null;
    const layer = channels(backgroundColor);
    if (layer[3]) layers.push(layer);
    if (layer[3] === 1) break;
  }
  if (layers.at(-1)?.[3] !== 1 && isForeignFrame()) return null; // what is behind it is not known
  const canvas = channels("Canvas");
  return layers.reduceRight((below, above) => over(above, below), canvas);
};
const opacityOf = (element) => {
  let all = 1;
  for (let node = element; node; node = parentOf(node))
    if (node.nodeType === 1) all *= parseFloat(getComputedStyle(node).opacity);
  return all;
};
const LARGE_PX = 24; // 18 points
const LARGE_BOLD_PX = 18.66; // 14 points
const BOLD = 700;
// `ratio`, the least that is wanted, and both colours; null where that cannot be known.
export const contrastOf = (element) => {
  const style = getComputedStyle(element);
  const paper = paperOf(element);
  if (!paper || style.textShadow !== "none" || style.backgroundClip === "text") return null;
  const ink = channels(style.webkitTextFillColor || style.color);
  const seen = over([...ink.slice(0, 3), ink[3] * opacityOf(element)], paper);
  const [light, dark] = [luminance(seen), luminance(paper)].sort((a, b) => b - a);
  const size = parseFloat(style.fontSize);
  const large = size >= LARGE_PX || (size >= LARGE_BOLD_PX && +style.fontWeight >= BOLD);
  const ratio = Math.floor(((light + 0.05) / (dark + 0.05)) * 100) / 100;
  return { ratio, least: large ? 3 : 4.5, ink: hex(seen), paper: hex(paper) };
};

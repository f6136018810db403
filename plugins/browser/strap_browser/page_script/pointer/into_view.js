// Bringing an element into view.

import { clippingHolder, drawnExtent } from "../dom/clipping.js";
import { boxOf, isContents, largestRects } from "../dom/geometry.js";
import { imageOf } from "../dom/image_map.js";

// What scrolls around the element, the innermost first, the window last.
const scrollers = (element) => {
  const found = [];
  for (let node = clippingHolder(element); node; node = clippingHolder(node)) {
    const page = [document.documentElement, document.scrollingElement];
    if (node.nodeType !== 1 || page.includes(node)) continue;
    if (getComputedStyle(node).overflow !== "visible") found.push(node);
  }
  return [...found, window];
};
// How far to scroll for a place to be where it is asked for, or in sight at all.
const SHARES = { start: 0.1, center: 0.5, end: 0.9 };
const beyond = (place, length, way) =>
  way ? place - length * SHARES[way] : Math.min(0, place) || Math.max(0, place - length + 1);
// Scrolls to a place of the viewport what may be drawn larger or smaller than it is.
const bring = (scroller, [x, y], [block, inline]) => {
  const isPage = scroller === window;
  const [box, scale] = isPage
    ? [new DOMRect(), 1]
    : [scroller.getBoundingClientRect(), drawnExtent(scroller)];
  const {
    clientLeft = 0,
    clientTop = 0,
    clientWidth = innerWidth,
    clientHeight = innerHeight,
  } = scroller;
  const left = beyond((x - box.left) / scale - clientLeft, clientWidth, inline);
  const top = beyond((y - box.top) / scale - clientTop, clientHeight, block);
  scroller.scrollBy({ left, top, behavior: "instant" });
};
export const bringIntoView = (element, offset, way) => {
  const seen = imageOf(element) || element;
  const [block, inline] = way;
  seen.scrollIntoView({ block, inline, behavior: "instant" });
  // Chrome misses an inline element with a block in it by more than a screen, brings the middle into
  // sight where another place is meant, and nothing where there is no box.
  const missed = offset || isContents(seen);
  for (const scroller of missed ? scrollers(seen) : [window]) {
    const box = offset ? boxOf(element) : largestRects(element)[0];
    if (!box) return;
    const [x, y] = offset || [box.width / 2, box.height / 2];
    bring(scroller, [box.left + x, box.top + y], missed ? way : []);
  }
};

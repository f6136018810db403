// Where elements are seen on the page, without moving anything.

import { elementOfRef } from "../accessibility/refs.js";
import { shellOf } from "../accessibility/stand_ins.js";
import { elementAt, isShown, largestRects, points, rectOf, visibleLabel } from "../dom/geometry.js";
import { isSeen } from "../dom/visibility.js";
import { receives } from "./hit_test.js";

// What is drawn for an element: itself, or what stands for it.
const drawnFor = (element) =>
  isShown(element) ? element : visibleLabel(element) || shellOf(element);
const hitIn = (drawn, element) =>
  largestRects(drawn)
    .slice(0, 3)
    .flatMap(points)
    .find(([x, y]) => receives(elementAt(x, y), element));
// Where an element is drawn, null where it is not or where that does not meet the edges.
const placeOf = (ref, [left, top, right, bottom]) => {
  const element = elementOfRef(ref);
  const drawn = element?.isConnected && drawnFor(element);
  if (!drawn) return null;
  const [x, y, width, height] = rectOf(drawn);
  const meets = x < right && y < bottom && x + width > left && y + height > top;
  if (width < 1 || height < 1 || !meets) return null;
  return { element, drawn, area: width * height, told: [ref, x, y, width, height] };
};
// Of the elements those whose box meets `view` (left, top, right, bottom of the viewport), the smallest
// `most`: `[ref, left, top, width, height, x, y]`, with `hit` the place where a click reaches it.
export const places = (refs, { view = null, hit, most }) => {
  const edges = view || [0, 0, innerWidth, innerHeight];
  const met = refs.map((ref) => placeOf(ref, edges)).filter(Boolean);
  met.sort((one, other) => one.area - other.area);
  const seen = [];
  for (const { element, drawn, told } of met) {
    if (seen.length >= most) break;
    const at = isSeen(drawn) && (hit ? hitIn(drawn, element) : [0, 0]);
    if (at) seen.push([...told, ...at]);
  }
  return { places: seen, met: met.length };
};
// What lies topmost at each of some places.
export const topmost = (at) => at.map(([x, y]) => elementAt(x, y)?.localName ?? "");

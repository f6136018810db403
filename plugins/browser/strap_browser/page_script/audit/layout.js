// How a page is laid out: its areas and columns, and what is wrong with where things are.

import { elementOfRef } from "../accessibility/refs.js";
import { contrastOf } from "../dom/contrast.js";
import { boxOf, elementAt } from "../dom/geometry.js";
import { clip, describeElement, topElement } from "../dom/tree.js";
import { isSeen } from "../dom/visibility.js";
import { receives } from "../pointer/hit_test.js";

const AREAS =
  "header, nav, main, aside, footer, dialog[open], [role=banner], [role=navigation], [role=main], " +
  "[role=complementary], [role=contentinfo], [role=dialog], [role=search]";
const MOST_AREAS = 12;
const NARROW = 0.08; // of the viewport: a column is at least that wide
const HIGH = 0.3; // of the viewport: what is lower is a bar
const DEPTH = 12;
const MOST_CHILDREN = 200;
const ROLES = {
  banner: "header",
  navigation: "nav",
  complementary: "aside",
  contentinfo: "footer",
};
const rounded = ({ left, top, width, height }) => [left, top, width, height].map(Math.round);
const areaName = (element) => {
  const role = element.getAttribute("role");
  const label = clip(element.getAttribute("aria-label"), 30);
  return `${ROLES[role] || role || element.localName}${label ? ` ${JSON.stringify(label)}` : ""}`;
};
const areas = () =>
  [...document.querySelectorAll(AREAS)]
    .filter(isSeen)
    .slice(0, MOST_AREAS)
    .map((element) => [areaName(element), ...rounded(element.getBoundingClientRect())]);
const parts = (element) =>
  [...element.children].slice(0, MOST_CHILDREN).filter((one) => {
    const { width, height } = one.getBoundingClientRect();
    return width > NARROW * innerWidth && height > HIGH * innerHeight && one.checkVisibility();
  });
const isBeside = (one, other) => one.right <= other.left + 1 || other.right <= one.left + 1;
// The columns of the page: parts side by side, the outermost that there are.
const columns = (element = topElement(), depth = DEPTH) => {
  if (!element || !depth) return [];
  const found = parts(element).map((part) => ({ part, box: part.getBoundingClientRect() }));
  const beside = found.filter(({ box }) =>
    found.some((other) => other.box !== box && isBeside(other.box, box)),
  );
  if (beside.length > 1)
    return beside
      .sort((one, other) => one.box.left - other.box.left)
      .map(({ part, box }) => [describeElement(part).split(">")[0].slice(1), ...rounded(box)]);
  for (const { part } of found) {
    const inner = columns(part, depth - 1);
    if (inner.length) return inner;
  }
  return [];
};
// How much wider or higher its text is than what shows it, 0 where all of it is seen.
const cutOff = (element) => {
  const { overflowX, overflowY, textOverflow } = getComputedStyle(element);
  const wide = element.scrollWidth - element.clientWidth;
  const high = element.scrollHeight - element.clientHeight;
  const cuts = /hidden|clip/;
  const field = element.matches("input");
  if ((cuts.test(overflowX) || textOverflow === "ellipsis" || field) && wide > 1) return wide;
  return cuts.test(overflowY) && high > 1 ? high : 0;
};
const factsOf = (ref) => {
  const element = elementOfRef(ref);
  if (!element?.isConnected) return null;
  const { left, top, width, height } = boxOf(element);
  const hit = elementAt(left + width / 2, top + height / 2);
  const by = hit && !receives(hit, element) ? describeElement(hit) : "";
  const inner = [element, ...element.querySelectorAll("*")].find(cutOff);
  const says = element.innerText?.trim() || element.value;
  const colours = says ? contrastOf(element) : null;
  return { by, cut: inner ? Math.round(cutOff(inner)) : 0, ...colours };
};
export const layout = (refs) => ({
  view: [innerWidth, innerHeight],
  page: [document.documentElement.scrollWidth, document.documentElement.scrollHeight],
  scroll: [Math.round(scrollX), Math.round(scrollY)],
  direction: getComputedStyle(topElement() || document.documentElement).direction,
  areas: areas(),
  columns: columns(),
  facts: refs.map(factsOf),
});

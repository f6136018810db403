// What on a page says that it is not drawn yet: spinners, bars of progress, skeletons.

import { allRoots, describeElement, documentSize, isRoot, LARGE, topElement } from "./tree.js";
import { isSeen } from "./visibility.js";

const MOST = 200; // candidates that are looked at
const LEAST = 64; // square pixels: a smaller box is a dot
const LITTLE = 40; // characters of a page that shows next to nothing
const SHARE = 0.25; // of the viewport: a part so large is the page's main one
const STATED = "[aria-busy=true], progress:not([value]), [role=progressbar]:not([aria-valuenow])";
const CLASSES = /(^|[-_])(skeletons?|shimmer|spinner|loading|loader|placeholder|splash)($|[-_])/;
const WORDS = ["skeleton", "shimmer", "spinner", "load", "placeholder", "splash"];
const MAYBE = WORDS.flatMap((word) => [`[class*=${word} i]`, `[id*=${word} i]`]).join(", ");
const isNamed = ({ id, classList }) =>
  [id, ...classList].some((name) => CLASSES.test(name.replace(/\B[A-Z]/g, "-$&").toLowerCase()));
const isEmpty = (element) => (element.textContent || "").trim().length < LITTLE;
const spins = ({ playState, effect }) =>
  playState === "running" && effect?.target && effect.getComputedTiming().iterations === Infinity;
const areaOf = (element) => {
  const { left, top, right, bottom } = element.getBoundingClientRect();
  const width = Math.min(right, innerWidth) - Math.max(left, 0);
  return Math.max(width, 0) * Math.max(Math.min(bottom, innerHeight) - Math.max(top, 0), 0);
};
// The first such element in words, "" if there is none, and whether it says so itself; `blank`: whether
// the page shows next to nothing beside it; `scripts`: whether there is who may draw something.
export const drawing = () => {
  const scripts = document.scripts.length > 0;
  if (documentSize() > LARGE) return { busy: "", sure: false, blank: false, scripts };
  const roots = allRoots();
  const moving = new Set(
    roots.flatMap((root) =>
      root
        .getAnimations()
        .filter(spins)
        .map(({ effect }) => effect.target),
    ),
  );
  const isStated = (one) => one.matches(STATED) || isNamed(one);
  const all = roots.flatMap((root) => [...root.querySelectorAll(`${STATED}, ${MAYBE}`)]);
  // The fields of a form hide its properties, and no form is a sign.
  const seen = [...new Set([...all, ...moving])]
    .filter((one) => one.localName !== "form" && !isRoot(one))
    .filter((one) => (isStated(one) || moving.has(one)) && isEmpty(one))
    .slice(0, MOST)
    .filter((one) => areaOf(one) >= LEAST && isSeen(one));
  const inside = seen.reduce((sum, one) => sum + (one.innerText || "").length, 0);
  const blank = (topElement()?.innerText || "").trim().length - inside < LITTLE;
  const stated = seen.filter(isStated);
  const share = stated.reduce((sum, one) => sum + areaOf(one), 0) / (innerWidth * innerHeight);
  const busy = blank ? stated[0] || seen[0] : share >= SHARE ? stated[0] : null;
  const sure = !!busy && (busy.matches(STATED) || (isNamed(busy) && moving.has(busy)));
  return { busy: busy ? describeElement(busy) : "", sure, blank, scripts };
};

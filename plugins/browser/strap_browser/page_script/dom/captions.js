// The caption that is drawn beside a box to tick.

import { CONTROL, holdsUpTo } from "./tree.js";

// ---- where to click ----
// Whether `hit` is what draws a box to tick that is transparent, or that the browser does not draw: as
// small, in its place, without a text and no other control.
export const BOXES = "input[type=checkbox], input[type=radio]";
export const OTHERS = `:is(${CONTROL}):not(label)`;
// The label beside a box to tick, alone with it, that HTML ties to no control: scripts do, which draw
// the box by it.
const BESIDE = 12;
export const captionOf = (box) => {
  const around = box.parentElement;
  if (!box.matches(BOXES) || !around || !holdsUpTo(around, BESIDE)) return null;
  const beside = [...around.children].filter(({ localName }) => localName === "label");
  const alone =
    beside.length === 1 && !beside[0].control && around.querySelectorAll(OTHERS).length === 1;
  return alone ? beside[0] : null;
};

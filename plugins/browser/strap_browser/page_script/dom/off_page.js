// Whether an element is where nobody can scroll to, measured once for a look.

import { Extent } from "./clipping.js";
import { parentOf } from "./tree.js";

// The extent of the document while its text is read.
let extent = null;
export const measured = (work) => {
  extent = new Extent();
  try {
    work();
  } finally {
    extent = null;
  }
};
// Whether it is off, or what is around it where it has no box of its own: what is in it may be seen.
export const isOff = (element) => {
  for (let node = element; node; node = parentOf(node)) {
    const rect = node.nodeType === 1 && node.getBoundingClientRect();
    if (rect && rect.width > 0) return (extent || new Extent()).isOff(node, rect);
  }
  return false;
};

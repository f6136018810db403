// The outline of a page, of an element, or of one line.

import { withGenerated } from "../dom/generated.js";
import { mediaIn } from "../dom/media.js";
import { isFirefox } from "../dom/quirks.js";
import { forgetGlides } from "../dom/smooth_scrolling.js";
import { forgetStyles } from "../dom/styles.js";
import { topElement } from "../dom/tree.js";
import { Branch, kept } from "./branch.js";
import { forgetHovers } from "./hover_styles.js";
import { atRest } from "./labels.js";
import { forgetSubjects } from "./record_texts.js";
import { documentId } from "./refs.js";
import { placesFor } from "./text_refs.js";
import { says, Walk } from "./walk.js";

const seesParent = () => {
  try {
    return !!parent.document;
  } catch {
    return false;
  }
};
// Which of its parent's frames this document is in. Firefox counts those in shadow roots, too, but for
// documents of the same origin: others get no number.
const own = () => {
  if (parent === window || (isFirefox && !seesParent())) return -1;
  for (let index = 0; index < parent.length; index++) if (parent[index] === window) return index;
  return -1;
};
// What an element shows.
export const outlinePart = (element, asked, nodes) => {
  const root = new Branch();
  root.places = placesFor(asked);
  forgetStyles();
  forgetHovers();
  forgetSubjects();
  withGenerated(() =>
    atRest(() => {
      const walk = new Walk(element, nodes);
      walk.element(element, root, 0);
      walk.rest(element, root);
    }),
  );
  root.end();
  return root.children;
};
// With the `nodes` of the elements, of before or to be noted.
export const outlineTree = (asked, nodes) => {
  const start = topElement();
  kept.lines = 0;
  forgetGlides();
  const tree = start ? outlinePart(start, asked, nodes) : [];
  const drawn = !tree.some(says) && mediaIn(document).some(({ width }) => width);
  const draws = !tree.length && document.scripts.length > 0; // there may be something later
  return { id: documentId(), frame: own(), tree, lines: kept.lines, drawn, draws };
};
// The line of one element, without what is in it.
class Line extends Walk {
  inside() {}
}
export const outlineLine = (element) => {
  const root = new Branch();
  forgetSubjects();
  new Line(element).element(element, root, 0);
  return root.children;
};

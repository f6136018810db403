// Summaries, and what they fold.

// A closed <details> shows its summary alone, unless a style sheet shows the rest.
export const isFolded = (element) =>
  element.localName === "details" &&
  !element.open &&
  getComputedStyle(element, "::details-content").contentVisibility !== "visible";
export const summaries = (details) =>
  [...details.children].filter(({ localName }) => localName === "summary").slice(0, 1);
// Whether the browser draws a summary of its own in it, which no script finds.
export const opensItself = (element) =>
  element.localName === "details" && !summaries(element).length;

// The elements that style sheets may write something before or after. To ask for the style of each takes
// microseconds: on a large page the selectors of such rules are looked for once.

import { documentSize } from "./tree.js";

const MOST_RULES = 300; // a search for more takes as long as the styles
const PSEUDO = /::?(before|after)\b/gi;
const WORTH = 1000; // elements: a smaller page is asked sooner than searched
let found = null; // null: any element may be one

// Adds the selectors of the rules that give `content`, without their pseudo-elements and conditions.
const collect = (rules, parent, selectors) => {
  for (const rule of rules) {
    if (rule instanceof CSSScopeRule) throw new Error("relative to an element");
    const around = rule.selectorText ? resolved(rule.selectorText, parent) : parent;
    if (rule.selectorText && gives(rule)) selectors.add(around.replace(PSEUDO, ":where(*)"));
    if (selectors.size > MOST_RULES) throw new Error("too many");
    const inner = rule.styleSheet?.cssRules || rule.cssRules;
    if (inner?.length) collect(inner, around, selectors);
  }
};
const gives = ({ selectorText, cssText }) =>
  selectorText.search(PSEUDO) >= 0 && cssText.includes("content");
// A nested selector with the one around it (CSS Nesting, 3).
const resolved = (selector, parent) => {
  if (!parent) return selector;
  const around = `:is(${parent.replace(PSEUDO, "")})`;
  return selector.includes("&") ? selector.replaceAll("&", around) : `${around} ${selector}`;
};
const search = () => {
  const selectors = new Set(["q"]); // the browser's own rules write its quotation marks
  try {
    for (const sheet of [...document.styleSheets, ...document.adoptedStyleSheets])
      collect(sheet.cssRules, "", selectors);
    return new Set(document.querySelectorAll([...selectors].join()));
  } catch {
    return null; // a sheet of another site is not told, nor is a selector found that only sheets know
  }
};
// The sheets of a shadow root are for what is in it, for its host and for what its slots show.
const isStyledByShadow = (element) =>
  !!element.shadowRoot || !!element.assignedSlot || element.getRootNode() !== document;
export const mayGenerate = (element) => !found || found.has(element) || isStyledByShadow(element);
// Runs a look, during which nothing of the page changes.
export const withGenerated = (look) => {
  found = documentSize() > WORTH ? search() : null;
  try {
    return look();
  } finally {
    found = null;
  }
};

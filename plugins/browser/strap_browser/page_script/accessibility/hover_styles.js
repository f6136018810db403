// What shows the hand only while the mouse is over it, as the cells of many calendars and tables do:
// the style sheets say so.

const OVER = /(?<!\\):hover(?![\w\\-])/g;
// What is nested, what another element is hovered for, and what would take long to ask of each.
const UNASKED = /&|:hover[^,]*[~+]|:has\(/;
const MOST_RULES = 5000; // reading one takes a microsecond or two
const MOST = 60; // selectors: each is asked of each element
const nowhere = document.createDocumentFragment();
const read = new WeakMap();
// The selector with the mouse over everything, "" where that says nothing on its own.
const whereOver = (selector) => {
  const anywhere = selector.replace(OVER, ":where(*)");
  if (anywhere === selector || UNASKED.test(selector)) return "";
  try {
    nowhere.querySelector(anywhere);
    return anywhere;
  } catch {
    return ""; // as one with the prefix of a namespace
  }
};
// Whether the rules in a rule apply to all elements that they select.
const applies = (rule) => {
  if (rule instanceof CSSMediaRule) return matchMedia(rule.media.mediaText).matches;
  if (rule instanceof CSSSupportsRule) return CSS.supports(rule.conditionText);
  return rule instanceof CSSLayerBlockRule;
};
// The selectors of those that show the hand, and of those that show something else.
const inRules = (all) => {
  const found = { hands: [], others: [] };
  let left = MOST_RULES;
  const note = ({ selectorText, style }) => {
    const selector = selectorText && style.cursor && whereOver(selectorText);
    if (selector) found[style.cursor === "pointer" ? "hands" : "others"].push(selector);
  };
  const into = (rules) => {
    for (const rule of rules) {
      if (left-- <= 0) return;
      if (rule.styleSheet) into(rulesOf(rule.styleSheet));
      note(rule);
      if (rule.cssRules?.length && applies(rule)) into(rule.cssRules);
    }
  };
  into(all);
  return found;
};
const rulesOf = (sheet) => {
  if (sheet.disabled || !matchMedia(sheet.media.mediaText).matches) return [];
  try {
    return sheet.cssRules;
  } catch {
    return []; // another origin's
  }
};
// Those of a sheet are read once, as long as it has the same rules and the window its size.
const ofSheet = (sheet) => {
  const rules = rulesOf(sheet);
  const facts = [rules.length, rules[0], rules[rules.length - 1], innerWidth, innerHeight];
  const known = read.get(sheet);
  if (known?.facts.every((fact, at) => fact === facts[at])) return known.found;
  const found = inRules(rules);
  read.set(sheet, { facts, found });
  return found;
};
let roots = new Map();
// Before a look: sheets may have changed since the last one.
export const forgetHovers = () => {
  roots = new Map();
};
const ofRoot = (root) => {
  if (!roots.has(root)) {
    const sheets = [...(root.styleSheets || []), ...(root.adoptedStyleSheets || [])];
    const found = sheets.map(ofSheet);
    const all = (which) =>
      found
        .flatMap((of) => of[which])
        .slice(0, MOST)
        .join();
    roots.set(root, { hands: all("hands"), others: all("others") });
  }
  return roots.get(root);
};
// Which of several rules wins is not asked: where another cursor was chosen, it is taken to.
export const isHand = (element, style) => {
  if (style.cursor !== "auto" && style.cursor !== "default") return false;
  const { hands, others } = ofRoot(element.getRootNode());
  return !!hands && element.matches(hands) && !(others && element.matches(others));
};

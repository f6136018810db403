// What shows the hand only while the mouse is over it, as the cells of many calendars and tables do:
// the style sheets say so.
const hovers = (() => {
  const OVER = /(?<!\\):hover(?![\w\\-])/g;
  const MOST_RULES = 5000;  // reading one takes a microsecond or two
  const MOST = 60;  // selectors: each is asked of each element
  const nowhere = document.createDocumentFragment();
  const read = new WeakMap();
  // The selector with the mouse over everything, "" where that says nothing on its own.
  const whereOver = (selector) => {
    const anywhere = selector.replace(OVER, ":where(*)");
    if (anywhere === selector || selector.includes("&")) return "";
    try {
      nowhere.querySelector(anywhere);
      return anywhere;
    } catch {
      return "";  // as one with the prefix of a namespace
    }
  };
  // Whether the rules in a rule apply to all elements that they select.
  const applies = (rule) => {
    if (rule instanceof CSSMediaRule) return matchMedia(rule.media.mediaText).matches;
    if (rule instanceof CSSSupportsRule) return CSS.supports(rule.conditionText);
    return rule instanceof CSSLayerBlockRule;
  };
  const inSheet = (sheet) => {
    const found = [];
    let left = MOST_RULES;
    const into = (rules) => {
      for (const rule of rules) {
        if (found.length >= MOST || left-- <= 0) return;
        const { selectorText, style, cssRules } = rule;
        const selector = selectorText && style.cursor === "pointer" && whereOver(selectorText);
        if (selector) found.push(selector);
        if (cssRules?.length && applies(rule)) into(cssRules);
      }
    };
    into(sheet.cssRules);
    return found;
  };
  // Those of a sheet are read once, as long as it has the same rules and the window its size.
  const ofSheet = (sheet) => {
    if (sheet.disabled || !matchMedia(sheet.media.mediaText).matches) return [];
    try {
      const { length, 0: first, [length - 1]: last } = sheet.cssRules;
      const facts = [length, first, last, innerWidth, innerHeight];
      const known = read.get(sheet);
      if (known?.facts.every((fact, at) => fact === facts[at])) return known.found;
      const found = inSheet(sheet);
      read.set(sheet, { facts, found });
      return found;
    } catch {
      return [];  // another origin's
    }
  };
  let roots = new Map();
  // Before a look: sheets may have changed since the last one.
  const anew = () => {
    roots = new Map();
  };
  const ofRoot = (root) => {
    if (!roots.has(root)) {
      const sheets = [...(root.styleSheets || []), ...(root.adoptedStyleSheets || [])];
      roots.set(root, sheets.flatMap(ofSheet).slice(0, MOST).join());
    }
    return roots.get(root);
  };
  // Of an element whose cursor at rest is nobody's choice: where a rule chose one, as for a day that is
  // off, it may stand above that of the hand.
  const isHand = (element, style) => {
    if (style.cursor !== "auto") return false;
    const selectors = ofRoot(element.getRootNode());
    return !!selectors && element.matches(selectors);
  };
  return { anew, isHand };
})();

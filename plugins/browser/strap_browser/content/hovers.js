// What shows the hand only while the mouse is over it, as the cells of many calendars and tables do:
// the style sheets say so.
const hovers = (() => {
  const OVER = /:hover(?![\w-])/g;
  const MOST_RULES = 5000;  // reading one takes a microsecond or two
  const MOST = 60;  // selectors: each is asked of each element
  const read = new WeakMap();
  const inSheet = (sheet, left) => {
    const found = [];
    const into = (rules) => {
      for (const rule of rules) {
        if (found.length >= MOST || left-- <= 0) return;
        const { selectorText: selector } = rule;
        if (selector && rule.style.cursor === "pointer" && OVER.test(selector) && !selector.includes("&"))
          found.push(selector.replace(OVER, ":where(*)"));
        OVER.lastIndex = 0;
        if (rule.cssRules?.length) into(rule.cssRules);
      }
    };
    into(sheet.cssRules);
    return found;
  };
  // Those of a sheet are read once, as long as rules are neither added nor taken away.
  const ofSheet = (sheet) => {
    try {
      const { length } = sheet.cssRules;
      const known = read.get(sheet);
      if (known?.length === length) return known.found;
      const found = inSheet(sheet, MOST_RULES);
      read.set(sheet, { length, found });
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
  const isHand = (element) => {
    const selectors = ofRoot(element.getRootNode());
    return !!selectors && element.matches(selectors);
  };
  return { anew, isHand };
})();

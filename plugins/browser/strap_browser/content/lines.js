// The lines of texts whose line breaks count, as those of code do.
const lines = (() => {
  const EMPTY = /[\u00AD\u200B\u2060\uFEFF]+/g;
  // Whether an element, which stands on lines of its own, keeps the line breaks in its text. Those of
  // other texts (`pre-wrap`, `pre-line`) break them as paragraphs do.
  const isKept = (element, style, display) => {
    if (display.startsWith("inline")) return false;
    const breaks = style.whiteSpaceCollapse;
    if (breaks === "collapse" || !(element instanceof HTMLElement)) return false;
    return element.localName === "pre" || (breaks === "preserve" && style.textWrapMode === "nowrap");
  };
  // The lines of a text that say something; none where it is but one.
  const of = (text) => {
    const all = text.replace(EMPTY, "").split(/\r\n?|\n/);
    const found = all.map((line) => line.trimEnd()).filter(Boolean);
    return found.length > 1 ? found : [];
  };
  return { isKept, of };
})();

// What changes without a trace in the DOM, but not without one in a look at the page.
const silent = (() => {
  // A form's fields hide what the form has of the same name.
  const { checkVisibility, getBoundingClientRect } = Element.prototype;
  const CLEAR = { visibilityProperty: true, opacityProperty: true };
  const FIELDS = new Set(["input", "select", "textarea"]);
  const held = ({ value, checked, indeterminate, selectedOptions }) => [
    value,
    checked,
    indeterminate,
    ...(selectedOptions || []),
  ];
  // Where it is and how it is drawn: styles come from rules as well, and pictures have sizes late.
  const drawn = (element) => {
    const { x, y, width, height } = getBoundingClientRect.call(element);
    const { cursor, pointerEvents } = elements.styleOf(element);
    const isClear = checkVisibility.call(element, CLEAR);
    return [element, x + scrollX, y + scrollY, width, height, isClear, cursor, pointerEvents];
  };
  const ruled = (sheet) => {
    try {
      return [sheet, sheet.disabled, sheet.cssRules.length];
    } catch {
      return [sheet, sheet.disabled];  // another origin's
    }
  };
  const inRoot = (root) => {
    const all = [...root.querySelectorAll("*")];
    const sheets = [...root.styleSheets, ...root.adoptedStyleSheets];
    const entries = all.filter(({ localName }) => FIELDS.has(localName));
    return [root, ...sheets.flatMap(ruled), ...entries.flatMap(held), ...all.flatMap(drawn)];
  };
  // All of it, to be compared with that of another moment.
  const state = () => [
    location.href,
    document.hasFocus(),
    elements.focused(),
    ...elements.roots().flatMap(inRoot),
  ];
  const isSame = (one, other) =>
    one.length === other.length && one.every((value, index) => Object.is(value, other[index]));
  return { isSame, state };
})();

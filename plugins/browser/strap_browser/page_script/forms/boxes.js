// Codes in a row of fields, a character each.

// Some pages take the whole code in the first one when it is pasted, so that its length says nothing.
const NARROW = 1.6;
const isBox = (field) =>
  field.localName === "input" &&
  !field.disabled &&
  !field.readOnly &&
  /^(text|tel|number|password|search)$/.test(field.type) &&
  (field.maxLength === 1 || field.offsetWidth <= field.offsetHeight * NARROW) &&
  field.checkVisibility({ visibilityProperty: true });
// The field and those after it, `count` in all; the field alone where there are not so many.
export const boxesFrom = (field, count) => {
  if (count < 2 || !isBox(field)) return [field];
  const all = [...(field.form || field.getRootNode()).querySelectorAll("input")];
  const boxes = all.slice(all.indexOf(field)).filter(isBox).slice(0, count);
  return boxes.length === count ? boxes : [field];
};

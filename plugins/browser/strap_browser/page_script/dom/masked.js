// Fields that hide what is typed.

// Whether dots stand for what is in the element: as browsers draw passwords, or by a style sheet. A
// password that its page shows in clear is in a field of another type.
const UNMASKED = new Set([undefined, "", "none"]);
export const isMasked = (element) =>
  element.type === "password" || !UNMASKED.has(getComputedStyle(element).webkitTextSecurity);
// What a field draws of what it holds: sliders, boxes to be checked and the like draw no text.
const TEXTLESS = /^(checkbox|color|hidden|image|radio|range)$/;
export const drawnValue = (field) => {
  if (!field.matches("input, textarea") || TEXTLESS.test(field.type) || isMasked(field)) return "";
  return field.type === "file" ? field.value.replace(/^.*\\/, "") : field.value;
};

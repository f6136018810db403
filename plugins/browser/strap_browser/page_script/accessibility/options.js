// Options of a list, and of a field that suggests some.

import { clip } from "../dom/tree.js";

// ---- options ----
export const plain = (text) => text.replace(/[\s\u200b]+/g, " ").trim();
export const isOpen = (option) => !option.matches(":disabled");
export const groupOf = ({ parentElement }) =>
  parentElement?.localName === "optgroup" ? parentElement : null;
// Pages that draw a drop-down themselves may name a group by its legend.
const legendOf = ({ firstElementChild: first }) =>
  first?.localName === "legend" ? first.textContent : "";
const groupName = (group) => group && (group.label || legendOf(group));
// What an option is called, with the group that tells it from others of the same text.
export const titleOf = (option) =>
  [groupName(groupOf(option)), option.label]
    .map((part) => plain(part || ""))
    .filter(Boolean)
    .join(": ");
const titles = (options) => options.slice(0, 30).map(titleOf);
// The options that are meant, best first: by what a person sees, then by what the form sends.
export const optionsOf = (field, value) => {
  const text = plain(value);
  const same = (one) => one.toLowerCase() === text.toLowerCase();
  const fits = [
    (option) => plain(option.label) === text,
    (option) => titleOf(option) === text,
    (option) => option.value === value,
    (option) => same(plain(option.label)) || same(titleOf(option)),
  ];
  return fits.map((fit) => [...field.options].filter(fit)).find((found) => found.length) || [];
};
export const unchosen = (field, value) => {
  const kind = clip(value, 80);
  const found = optionsOf(field, value);
  if (!found.length) return { why: "no option", kind, options: titles([...field.options]) };
  const open = found.filter(isOpen);
  if (!open.length) return { why: "option disabled", kind };
  // Of the same group and text, one is as good as another.
  return new Set(open.map(groupOf)).size > 1
    ? { why: "ambiguous", kind, options: titles(open), final: true }
    : null;
};
export const chosenIn = (field) => [...(field.selectedOptions || [])].map(titleOf).join(", ");
// The options of a list that a field suggests: what is entered, and what a person reads beside it.
export const optionsBeside = (field) =>
  field.localName === "input" && field.type !== "range" && field.type !== "color"
    ? [...(field.list?.options || [])].filter((option) => option.value && isOpen(option))
    : [];
export const suggestion = ({ value, label }) =>
  label.trim() && !plain(label).includes(plain(value))
    ? `${plain(value)} = ${plain(label)}`
    : plain(value);
export const suggestedOptions = (field) => optionsBeside(field).map(suggestion);
// What files are called, as far as they are few.
const FEW = 10;
export const namesOf = (files) => {
  const names = [...files].slice(0, FEW).map(({ name }) => name);
  return [...names, ...(files.length > FEW ? [`${files.length - FEW} more`] : [])].join(", ");
};

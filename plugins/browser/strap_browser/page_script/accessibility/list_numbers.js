// The numbers of list items (HTML, 4.4.5 and 4.4.8), in the style that they are drawn in.

const ROMAN = Object.entries({
  m: 1000,
  cm: 900,
  d: 500,
  cd: 400,
  c: 100,
  xc: 90,
  l: 50,
  xl: 40,
  x: 10,
  ix: 9,
  v: 5,
  iv: 4,
  i: 1,
});
const roman = (number) => {
  let [text, left] = ["", number];
  for (const [sign, worth] of ROMAN) for (; left >= worth; left -= worth) text += sign;
  return text;
};
const letters = (number) => {
  let text = "";
  for (let left = number; left > 0; left = Math.floor((left - 1) / 26))
    text = String.fromCharCode(97 + ((left - 1) % 26)) + text;
  return text;
};
const SIGNS = /^(none|disc|circle|square|disclosure-.*|".*")$/;
const MOST_ROMAN = 3999;
export const numeral = (number, style = "decimal") => {
  const [, upper, kind] = /^(upper-|lower-)?(.*)$/.exec(style);
  const write = { alpha: letters, latin: letters, roman }[kind];
  if (kind === "decimal-leading-zero" && number >= 0) return `${number}`.padStart(2, "0");
  if (!write || number < 1 || number > MOST_ROMAN) return `${number}`;
  return upper === "upper-" ? write(number).toUpperCase() : write(number);
};
const written = (number, style) => `${numeral(number, style)}.`;
const OTHERWISE = "[start], [reversed], :has(> li[value])";
const isItem = (element) =>
  element.localName === "li" && getComputedStyle(element).display === "list-item";
const begin = (list, items) => {
  if (list.localName !== "ol") return 1;
  if (list.hasAttribute("start")) return list.start;
  return list.reversed ? items.length : 1;
};
// The numbers in a document while it is read.
export class Numbers {
  lists = new Map();
  told = new Map();
  // The number of an item, "" where none is drawn.
  of(item) {
    const style = getComputedStyle(item);
    if (style.display !== "list-item" || SIGNS.test(style.listStyleType)) return "";
    const list = item.parentElement;
    if (!list) return "";
    if (!this.lists.has(list)) this.lists.set(list, this.count(list));
    return written(this.lists.get(list).get(item), style.listStyleType);
  }
  count(list) {
    const items = [...list.children].filter(isItem);
    let number = begin(list, items);
    const all = new Map();
    for (const item of items) {
      if (/^\s*[-+]?\d/.test(item.getAttribute("value") || "")) number = item.value;
      all.set(item, number);
      number += list.reversed ? -1 : 1;
    }
    return all;
  }
  // That of an item whose place in its list does not tell it already.
  unusual(item) {
    const list = item.parentElement;
    if (list?.localName !== "ol") return "";
    if (!this.told.has(list)) this.told.set(list, list.matches(OTHERWISE));
    return this.told.get(list) ? this.of(item) : "";
  }
}

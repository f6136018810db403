// What a control that says nothing looks like, as far as its markup tells: an icon is often all there
// is, and its file or class the only word about it. It stands unquoted in a line: letters, digits and
// what names are joined with, nothing else.

import { isClear, styleOf } from "../dom/styles.js";
import { clip } from "../dom/tree.js";

const MOST = 10;
const LENGTH = 30;
const CLASSES = 3;
const CALLED = ["data-icon", "icon", "data-value", "data-label", "data-color", "value", "name"];
const OTHER = /[^\p{L}\p{N} .,:#/_-]+/gu;
const part = (text) => clip(text.replace(OTHER, " ").trim(), LENGTH);
const fileOf = (element) => {
  const address = element.localName === "img" && element.getAttribute("src");
  return address && !address.startsWith("data:") ? address.split(/[?#]/)[0].split("/").pop() : "";
};
// Of a symbol that is used: its address.
const symbolOf = (element) =>
  element.localName === "use" ? (element.getAttribute("href") || "").replace(/^.*#/, "#") : "";
const calledOf = (element) =>
  CALLED.map((name) => element.getAttribute(name)).find((value) => value?.trim());
// Of a sample of colour, which its own style says: that, in capitals, as a ref is never written.
const RGB = /^rgb\((\d+), (\d+), (\d+)\)$/;
const colourOf = (element) => {
  const said = element.style?.backgroundColor && styleOf(element).backgroundColor;
  const [, ...parts] = RGB.exec(said || "") || [];
  const digits = parts.map((value) => (+value).toString(16).padStart(2, "0"));
  return digits.length && `#${digits.join("").toUpperCase()}`;
};
const classesOf = (element) =>
  [...element.classList]
    .slice(0, CLASSES)
    .map((name) => `.${part(name)}`)
    .join("");
// Which part of a custom element it is.
const partsOf = (element) =>
  element.hasAttribute("part") && ` ${part(element.getAttribute("part"))}`;
const own = (element) => {
  const word = fileOf(element) || symbolOf(element) || calledOf(element) || colourOf(element);
  const tag = part(element.localName);
  if (word && part(word)) return `${tag} ${part(word)}`;
  const mark = element.id ? `#${part(element.id)}` : classesOf(element) || partsOf(element);
  return mark && tag + mark;
};
// A line of a drawing that says something itself: lines are mostly called after a tool, `st0`.
const isLine = ({ localName, ownerSVGElement: drawing }, element) =>
  localName !== "use" && element.contains(drawing) && !!own(drawing);
// The innermost says most: that of an icon more than that of a button, or of a line of its own. Of
// two icons, for two states of a button, one is drawn.
export const iconOf = (element) => {
  const parts = element.getElementsByTagName("*"); // it counts none that is not asked for
  const few = [element, ...Array.from({ length: MOST }, (_, index) => parts[index])];
  const drawn = few.filter((one) => one && (one === element || isClear(one)));
  const told = drawn
    .filter((one) => !isLine(one, element))
    .map(own)
    .findLast(Boolean);
  return told && `<${told}>`;
};

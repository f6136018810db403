// What style sheets write before and after an element.

import { mayGenerate } from "../dom/generated.js";
import { styleOf } from "../dom/styles.js";
import { counterText } from "./counters.js";

const ICONS = /[\uE000-\uF8FF]|[\u{F0000}-\u{10FFFD}]/gu;
// What a style sheet writes: its texts, attributes and counters, or what is to be said instead; not
// where it has its pictures from.
const INNER = '(?:[^"\\\\]|\\\\.)*';
const QUOTED = `"(${INNER})"`;
const PICTURE = `[\\w-]+\\("${INNER}"[^)]*\\)`;
const COUNTER = `counters?\\(([^\\s,)]+)(?:, ${QUOTED})?(?:, ([\\w-]+))?\\)`;
const ATTRIBUTE = "attr\\(([^\\s,)]+)[^)]*\\)";
const PIECE = new RegExp([PICTURE, QUOTED, ATTRIBUTE, COUNTER].join("|"), "g");
const plainly = (quoted) => quoted?.replace(/\\(.)/g, "$1");
const written = (element, pseudo, content, counted) => {
  const [shown, instead] = content.split(/ \/ (?=(?:[^"]*"[^"]*")*[^"]*$)/);
  let text = "";
  for (const [, quoted, attribute, name, between, style] of (instead ?? shown).matchAll(PIECE))
    if (attribute) text += element.getAttribute(attribute) || "";
    else if (quoted !== undefined) text += plainly(quoted);
    else if (name && counted)
      text += counterText(element, pseudo, { name, between: plainly(between), style });
  text = text.replace(ICONS, "");
  return text && shown === '""' ? ` ${text} ` : text;
};
// That before or after the content, `counted` with what counters stand at; the signs of an icon
// font say nothing.
export const pseudoText = (element, pseudo, counted = true) => {
  if (!mayGenerate(element)) return "";
  const style = styleOf(element, pseudo);
  const { content } = style; // most elements have none, and each property takes microseconds
  if (content === "none" || content === "normal" || style.display === "none") return "";
  const text = style.visibility === "visible" ? written(element, pseudo, content, counted) : "";
  return text && style.display !== "inline" ? ` ${text} ` : text;
};

// Selectors: CSS, also into shadow roots, and a few steps that follow it after `>>`, each within what
// the one before it found: `text=…`, `nth=…`, `visible=true`, more CSS. What comes after a frame is
// looked for in its document.

import { calledForRef, refer, shownRole } from "./accessibility/refs.js";
import { isShown } from "./dom/geometry.js";
import { isPage } from "./forms/values.js";

const FRAMES = new Set(["embed", "frame", "iframe", "object"]);
const NOT_TEXT = new Set(["head", "noscript", "script", "style", "template"]);
const BUTTON = "input[type=button], input[type=reset], input[type=submit]";
const STEP = /^(css|nth|text|visible)=/;
const MANY = 200;
// How Playwright writes the step into a frame, which is taken here without being said.
const ENTER = "internal:control=enter-frame";
const UNKNOWN =
  /:(has-text|text|text-is|text-matches|visible|nth-match|left-of|right-of|above|below|near)\b/;
class BadSelector extends Error {
  constructor(part) {
    super("not a selector");
    this.part = part;
  }
}
// ---- reading ----
const CLOSED = { "(": ")", "[": "]", '"': '"', "'": "'" };
// Splits a text where `at` says how long a separator is, outside of quotes and brackets.
const split = (text, at) => {
  const parts = [""];
  const open = [];
  for (let index = 0; index < text.length; index++) {
    const sign = text[index];
    const quoted = open.at(-1) === '"' || open.at(-1) === "'";
    const length = open.length ? 0 : at(text, index);
    if (length) {
      parts.push("");
      index += length - 1;
      continue;
    }
    parts[parts.length - 1] += sign;
    if (sign === "\\") parts[parts.length - 1] += text[++index] || "";
    else if (sign === open.at(-1)) open.pop();
    else if (!quoted && CLOSED[sign]) open.push(CLOSED[sign]);
  }
  return parts;
};
const STEPS = (text, index) => (text.startsWith(">>", index) ? 2 : 0);
const COMMAS = (text, index) => (text[index] === "," ? 1 : 0);
// A descendant combinator (Selectors Level 4, 15.1): space with no other combinator beside it.
const SPACES = (text, index) => {
  const space = /^\s+/.exec(text.slice(index))?.[0];
  const beside = space && (text[index - 1] || "") + (text[index + space.length] || "");
  return space && !/[>+~]/.test(beside) ? space.length : 0;
};
const probe = document.createDocumentFragment();
const checked = (css) => {
  const plain = split(css, () => 0)[0].replace(/"[^"]*"|'[^']*'/g, '""');
  if (!css || UNKNOWN.test(plain)) throw new BadSelector(css);
  try {
    probe.querySelector(css);
  } catch {
    throw new BadSelector(css);
  }
  return css;
};
// ---- finding ----
const inside = (scope) =>
  scope.nodeType === 1 && scope.shadowRoot ? [scope, scope.shadowRoot] : [scope];
// The scope and the shadow roots in it.
const rootsIn = (scope) => {
  const found = inside(scope);
  for (const root of found)
    for (const { shadowRoot } of root.querySelectorAll("*")) if (shadowRoot) found.push(shadowRoot);
  return found;
};
// In the order in which elements are shown, shadow roots before what they are given.
const ordered = (found, scope) => {
  const wanted = new Set(found);
  const result = [];
  const walk = (node) => {
    if (wanted.has(node)) result.push(node);
    if (node.shadowRoot) for (const child of node.shadowRoot.children) walk(child);
    for (const child of node.children || []) walk(child);
  };
  walk(scope);
  return result;
};
// Whether the ancestors of an element match, shadow roots or not.
const isBelow = (element, above) => {
  let rest = above.length - 1;
  for (
    let node = element.parentNode || element.host;
    node && rest >= 0;
    node = node.parentNode || node.host
  )
    if (node.nodeType === 1 && node.matches(above[rest])) rest -= 1;
  return rest < 0;
};
const across = (css, roots) =>
  split(css, COMMAS).flatMap((one) => {
    const parts = split(one.trim(), SPACES);
    const last = parts.pop();
    const found = roots.flatMap((root) => [...root.querySelectorAll(last)]);
    return found.filter((element) => isBelow(element, parts));
  });
const byCss = (css, scope) => {
  const roots = rootsIn(scope);
  if (roots.length === 1) return [...scope.querySelectorAll(css)];
  const found = roots.flatMap((root) => [...root.querySelectorAll(css)]);
  return ordered(found.length ? found : across(css, roots), scope);
};
const clean = (text) => text.replace(/[\s\u200b\u00ad]+/g, " ").trim();
const textOf = (node) => {
  if (node.nodeType === 3) return node.data;
  if (node.nodeType === 1 && node.matches(BUTTON)) return node.value;
  if (NOT_TEXT.has(node.localName)) return "";
  const parts = [...(node.shadowRoot ? node.shadowRoot.childNodes : []), ...node.childNodes];
  return parts.map(textOf).join("");
};
// Whether a text is meant, and whether one that is not may have one within that is.
const meaning = (wanted) => {
  const pattern = /^\/(.*)\/([a-z]*)$/s.exec(wanted);
  if (pattern) {
    const expression = new RegExp(pattern[1], pattern[2].replace(/[gy]/g, ""));
    return { is: (text) => expression.test(text), may: () => true };
  }
  const quoted = /^"(.*)"$/s.exec(wanted) || /^'(.*)'$/s.exec(wanted);
  if (quoted) {
    const exact = clean(quoted[1]);
    return { is: (text) => text === exact, may: (text) => text.includes(exact) };
  }
  const some = clean(wanted).toLowerCase();
  const has = (text) => text.toLowerCase().includes(some);
  return { is: has, may: has };
};
// The innermost elements of that text.
const innermost = (node, means) => {
  const text = clean(textOf(node));
  if (!means.may(text)) return [];
  const children = [...(node.shadowRoot ? node.shadowRoot.children : []), ...(node.children || [])];
  const found = children
    .filter((child) => !NOT_TEXT.has(child.localName))
    .flatMap((child) => innermost(child, means));
  return found.length || node.nodeType !== 1 || !means.is(text) ? found : [node];
};
const byText = (wanted, scope) => {
  if (!wanted) throw new BadSelector("");
  let means;
  try {
    means = meaning(wanted);
  } catch {
    throw new BadSelector("");
  }
  const start = scope.nodeType === 9 ? scope.documentElement : scope;
  return start ? innermost(start, means) : [];
};
const unique = (lists) => [...new Set(lists.flat())];
const narrowed = (found, step) => {
  if (step === "visible=true") return found.filter(isShown);
  if (step === "visible=false") return found.filter((element) => !isShown(element));
  const place = /^nth=(-?\d+)$/.exec(step);
  if (place) return found.slice(+place[1], +place[1] + 1 || undefined);
  const [, kind] = STEP.exec(step) || [];
  if (kind === "visible" || kind === "nth") throw new BadSelector("");
  const value = kind ? step.slice(kind.length + 1).trim() : step;
  const isText = kind === "text" || /^(["']).*\1$/.test(step);
  if (isText) return unique(found.map((scope) => byText(value, scope)));
  const css = checked(value);
  return unique(found.map((scope) => byCss(css, scope)));
};
const preferred = (found) => {
  const shown = found.length > 1 && found.length <= MANY ? found.filter(isShown) : [];
  return shown.length === 1 ? shown : found;
};
// What a selector finds: `found`, or the `frame` in which the `rest` of it is to be looked for.
const all = (selector) => {
  const steps = split(selector, STEPS)
    .map((step) => step.trim())
    .filter((step) => step !== ENTER);
  if (/^(nth|visible)=/.test(steps[0])) throw new BadSelector(""); // of nothing that was found
  let found = [document];
  for (let index = 0; index < steps.length; index++) {
    found = narrowed(found, steps[index]);
    const rest = steps.slice(index + 1);
    const [only] = rest.length && !/^(nth|visible)=/.test(rest[0]) ? preferred(found) : [];
    if (only && preferred(found).length === 1 && FRAMES.has(only.localName))
      return { frame: only, rest: rest.join(" >> ") };
  }
  return { found };
};
// The one element that is meant, null if there is none, or several.
export const selectOne = (selector) => {
  const found = preferred(all(selector).found || []);
  return found.length === 1 ? found[0] : null;
};
// As `all`; what is no selector is `bad`.
/** @type {(path: string) => any} */
export const selectEvery = (selector) => {
  try {
    return all(selector);
  } catch (error) {
    if (!(error instanceof BadSelector)) throw error;
    return { bad: true, part: error.part };
  }
};
export const resolveSelector = (selector) => {
  const { found, frame, rest, ...bad } = selectEvery(selector);
  if (frame) return { frame: refer(frame), rest };
  if (!found) return bad;
  const meant = preferred(found);
  const [one] = meant.length === 1 ? meant : [];
  if (!one) return { count: meant.length, ref: "", page: false };
  const { role, name } = calledForRef(one, shownRole(one));
  return { count: 1, ref: refer(one), page: isPage(one), role, name };
};

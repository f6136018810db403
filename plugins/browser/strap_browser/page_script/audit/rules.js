// What is wrong with a page for people who do not see it, or do not use a mouse (WCAG 2.2).

import { isDisabled } from "../accessibility/attributes.js";
import { givenName } from "../accessibility/name.js";
import { tellRef } from "../accessibility/refs.js";
import { roleOf } from "../accessibility/role_and_name.js";
import { contrastOf } from "../dom/contrast.js";
import { boxOf, largestRects } from "../dom/geometry.js";
import { allRoots, clip, closest, describeElement, isRoot, within } from "../dom/tree.js";
import { isSeen } from "../dom/visibility.js";

const MOST_ELEMENTS = 20000;
const MOST = 200; // findings of a rule
const TARGET = 24; // CSS pixels, 2.5.8
const CONTROLS =
  "a[href], button, input:not([type=hidden]), select, textarea, summary, [role=button], " +
  "[role=link], [role=checkbox], [role=radio], [role=switch], [role=tab], [role=menuitem], " +
  "[role=textbox], [role=combobox], [role=slider], [role=option]";
const isHidden = (element) => !!closest(element, "[aria-hidden=true], [inert]");
const isUsable = (element) => isSeen(element) && !isHidden(element) && !isDisabled(element);
const INVISIBLE = /[\s\p{Cf}]/gu; // of a name
const nameless = (element) => !givenName(element, roleOf(element, true)).replace(INVISIBLE, "");
const isField = (element) =>
  element.matches(
    "input:not([type=submit], [type=button], [type=image], [type=reset]), select, textarea",
  );
const found = (rule, element, what = "") => ({ rule, element, what });
const named = (controls) =>
  controls
    .filter((one) => nameless(one) && !one.matches("[type=submit], [type=reset]"))
    .map((one) => found(isField(one) ? "label" : "name", one));
const pictures = (all) =>
  all
    .filter((one) => one.localName === "img" || one.matches("input[type=image], [role=img]"))
    .filter((one) => isSeen(one) && !isHidden(one))
    .filter(
      (one) => one.getAttribute("alt") === null && !one.matches("[role=none], [role=presentation]"),
    )
    .filter(
      (one) =>
        !one.hasAttribute("aria-label") && !one.hasAttribute("aria-labelledby") && !one.title,
    )
    .map((one) => found("alt", one));
const frames = (all) =>
  all
    .filter((one) => one.localName === "iframe" && isSeen(one) && !isHidden(one))
    .filter((one) => !one.title.trim() && !one.getAttribute("aria-label"))
    .map((one) => found("frame", one));
const levelOf = (heading) =>
  Number(heading.getAttribute("aria-level") || /^h([1-6])$/.exec(heading.localName)?.[1] || 2);
const headings = (all, framed) => {
  const shown = all.filter(
    (one) => one.matches("h1, h2, h3, h4, h5, h6, [role=heading]") && isSeen(one) && !isHidden(one),
  );
  const wrong = [];
  let last = 0;
  for (const one of shown) {
    const level = levelOf(one);
    if (nameless(one) && !one.textContent.trim()) wrong.push(found("empty heading", one));
    if (last && level > last + 1) wrong.push(found("heading", one, `h${level} after h${last}`));
    last = level;
  }
  if (!framed && shown.length && !shown.some((one) => levelOf(one) === 1))
    wrong.push(found("h1", shown[0]));
  return wrong;
};
const page = () => {
  const root = document.documentElement;
  const lang = root.getAttribute("lang") || "";
  const told = [];
  if (!/^[a-z]{2,3}(-|$)/i.test(lang)) told.push(found("lang", root, lang));
  if (!document.title.trim()) told.push(found("title", root));
  const view = document.querySelector("meta[name=viewport]")?.getAttribute("content") || "";
  if (/user-scalable\s*=\s*(no|0)|maximum-scale\s*=\s*(1(\.0*)?|0?\.\d+)\b/.test(view))
    told.push(found("zoom", root));
  return told;
};
const FOCUSABLE = "a[href], button, input, select, textarea, [tabindex]";
const focus = (all) => [
  ...all
    .filter((one) => one.tabIndex > 0 && isSeen(one))
    .map((one) => found("tabindex", one, `tabindex=${one.tabIndex}`)),
  ...all
    .filter(
      (one) => one.matches(FOCUSABLE) && one.tabIndex >= 0 && closest(one, "[aria-hidden=true]"),
    )
    .filter((one) => isSeen(one) && !isDisabled(one))
    .map((one) => found("hidden focus", one)),
  ...all
    .filter((one) => one.hasAttribute("onclick") && !one.matches(`${CONTROLS}, label, [tabindex]`))
    .filter(
      (one) =>
        !isRoot(one) && isUsable(one) && !one.querySelector(CONTROLS) && !closest(one, CONTROLS),
    )
    .map((one) => found("keyboard", one)),
];
// A link in a line of text is as high as that; what the browser draws is its own; a small target is one
// where the circles around two of them meet.
const isInline = (element) => getComputedStyle(element).display === "inline";
const lettersIn = (elements) =>
  elements
    .map((one) => one.innerText || "")
    .join("")
    .replace(/[^\p{L}\p{N}]/gu, "").length;
const isInText = (element, known) => {
  let around = element;
  while (isInline(around) && around.parentElement) around = around.parentElement;
  if (around === element) return false;
  if (!known.has(around)) {
    const inner = [...around.querySelectorAll(CONTROLS)];
    const alone = inner.filter((one) => !one.querySelector(CONTROLS));
    known.set(around, lettersIn([around]) > lettersIn(alone));
  }
  return known.get(around);
};
const isNative = (element) =>
  element.matches("input[type=checkbox], input[type=radio]") &&
  getComputedStyle(element).appearance !== "none";
const targets = (controls) => {
  const known = new Map(); // whether a block has words beside its controls
  const boxes = controls.map((element) => {
    const lines = largestRects(element); // a link of two lines is not all that is around both
    return { element, box: boxOf(element), parts: lines.length ? lines : [boxOf(element)] };
  });
  const isSmall = ({ box }) => box.width > 0 && (box.width < TARGET || box.height < TARGET);
  const meets = ({ box }, { parts }) => {
    const x = box.left + box.width / 2;
    const y = box.top + box.height / 2;
    return parts.some(({ left, right, top, bottom }) => {
      const across = Math.max(left - x, 0, x - right);
      return Math.hypot(across, Math.max(top - y, 0, y - bottom)) < TARGET / 2;
    });
  };
  return boxes
    .filter(isSmall)
    .filter(({ element }) => !isInText(element, known) && !isNative(element))
    .slice(0, MOST)
    .filter((one) =>
      boxes.some(
        (other) =>
          other !== one &&
          !within(other.element, one.element) &&
          !within(one.element, other.element) &&
          meets(one, other),
      ),
    )
    .map(({ element, box }) =>
      found("target", element, `${Math.round(box.width)} x ${Math.round(box.height)} px`),
    );
};
const saysItself = (element) =>
  [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim());
const contrasts = (all) => {
  const wrong = [];
  for (const element of all) {
    if (wrong.length >= MOST) break;
    if (!saysItself(element) || isDisabled(element) || !isSeen(element)) continue;
    const told = contrastOf(element);
    if (told && told.ratio < told.least && told.ratio > 1)
      wrong.push(
        found(
          "contrast",
          element,
          `${told.ratio}:1 of ${told.least}:1, ${told.ink} on ${told.paper}`,
        ),
      );
  }
  return wrong;
};
const links = (all) => [
  ...all
    .filter(
      (one) =>
        one.localName === "img" &&
        one.checkVisibility() &&
        one.complete &&
        !one.naturalWidth &&
        one.currentSrc,
    )
    .map((one) => found("image", one, clip(one.currentSrc, 100))),
  ...all
    .filter((one) => one.localName === "a" && one.hasAttribute("href"))
    .filter((one) => one.hash.length > 1 && one.href.split("#")[0] === location.href.split("#")[0])
    .filter(({ hash }) => hash !== "#top" && !hash.startsWith("#/") && !hash.startsWith("#!"))
    .filter(({ hash }) => {
      const id = decodeURIComponent(hash.slice(1));
      return !document.getElementById(id) && !document.getElementsByName(id).length;
    })
    .map((one) => found("anchor", one, clip(one.hash, 60))),
  ...all
    .filter(
      (one) =>
        location.protocol === "https:" &&
        /^http:/.test(one.src || (one.localName === "link" && one.href) || one.action || ""),
    )
    .map((one) => found("mixed", one, clip(one.src || one.href || one.action, 100))),
];
const speed = (all) =>
  all
    .filter((one) => one.localName === "img" && one.naturalWidth * one.naturalHeight > 500000)
    .filter((one) => {
      const { width, height } = one.getBoundingClientRect();
      return (
        width > 0 &&
        one.naturalWidth * one.naturalHeight > 4 * width * height * devicePixelRatio ** 2
      );
    })
    .map((one) =>
      found(
        "oversized",
        one,
        `${one.naturalWidth} x ${one.naturalHeight} px shown at ${Math.round(one.getBoundingClientRect().width)} px`,
      ),
    );
const RULES = {
  a11y: (all, framed) => {
    const controls = all.filter((one) => one.matches(CONTROLS) && isUsable(one));
    return [
      ...(framed ? [] : page()),
      ...named(controls),
      ...pictures(all),
      ...frames(all),
      ...headings(all, framed),
      ...focus(all),
      ...targets(controls),
      ...contrasts(all),
    ];
  },
  links,
  speed,
};
const told = ({ rule, element, what }) => {
  const { ref, role, name, version } = tellRef(element);
  const tag = describeElement(element);
  return {
    rule,
    what,
    ref,
    role,
    name: clip(name, 60),
    version,
    tag,
    page: isRoot(element) || undefined,
  };
};
// The findings of some kinds in an element or the whole document, in its order. One in a frame needs no
// title, language or h1 of its own.
export const audit = (element, kinds, framed) => {
  const roots = element.nodeType === 9 ? allRoots() : [element];
  const all = roots.flatMap((root) => [...root.querySelectorAll("*")]).slice(0, MOST_ELEMENTS);
  const inner = all.filter((one) => one instanceof HTMLElement && one.localName !== "form");
  const findings = kinds.flatMap((kind) => RULES[kind](inner, framed));
  const whole = element.nodeType === 9;
  return findings.filter((one) => whole || within(one.element, element)).map(told);
};

// Roles (HTML-AAM) and accessible names (accname 1.2): each is computed with the other.

import { opensItself } from "../dom/details.js";
import { isMasked } from "../dom/masked.js";
import { cleanText } from "../dom/text.js";
import { flatChildren, parentOf } from "../dom/tree.js";
import { isAria, isSearch, referred } from "./attributes.js";
import { internalsOf } from "./internals.js";
import {
  ariaLabel,
  begun,
  isPart,
  isPrecise,
  isRendered,
  isSeparate,
  isShown,
  isVisible,
  LABELABLE,
  labelsOf,
  naming,
  pictured,
  prompted,
  titleText,
  UNREAD,
} from "./labels.js";
import { pseudoText } from "./pseudo_content.js";
import {
  entry,
  FOCUSABLE,
  GLOBAL,
  header,
  isDropDown,
  isEditor,
  isGrid,
  isPartOfNothing,
  known,
  landmark,
  link,
  SECTIONING,
  SHAPES,
  searchRole,
  tokens,
  within,
} from "./role_tables.js";
import { CONTEXTS, EXTENSIONS, INPUTS, PLAIN_TAGS, rolesWith, SYNONYMS } from "./roles.js";

const ACTS_ANYWHERE = rolesWith("acts anywhere");
const ONLY_IF_NAMED = rolesWith("only if named");
const VALUE_IN_NAMES = rolesWith("value in names");

const isNamed = (element) => !!(authored(element) || titleText(element));
const aside = (element) =>
  within(element, SECTIONING) && !isNamed(element) ? "generic" : "complementary";
const namedRole = (role) => (element) => (isNamed(element) ? role : "generic");
const item = (element) => (isIn(element, CONTEXTS.listitem) ? "listitem" : "generic");
const TAGS = {
  ...PLAIN_TAGS,
  a: link,
  area: link,
  aside,
  footer: landmark("contentinfo"),
  form: namedRole("form"),
  geolocation: searchRole,
  header: landmark("banner"),
  img: (element) =>
    element.alt || !element.hasAttribute("alt") || isMeaningful(element) ? "img" : "presentation",
  input: (element) => INPUTS[element.type] || entry(element),
  li: item,
  section: namedRole("region"),
  select: (element) => (isDropDown(element) ? "combobox" : "listbox"),
  td: (element) => (isGrid(element.closest("table")) ? "gridcell" : "cell"),
  th: header,
  usermedia: searchRole,
};
const isCalled = (part) =>
  isNamed(part) ||
  [...part.children].some((child) => child.localName === "title" && child.textContent.trim());
const drawnRole = (part) =>
  isCalled(part) ? (part.localName === "g" ? "group" : SHAPES.has(part.localName) && "img") : "";
const nativeRole = (element) => {
  const { localName } = element;
  const part = () => (element instanceof SVGElement && drawnRole(element)) || "generic";
  const role = Object.hasOwn(TAGS, localName) ? TAGS[localName] : part();
  const found = typeof role === "function" ? role(element) : role;
  return found === "generic" && isEditor(element) ? "textbox" : found;
};
const isMeaningful = (element) =>
  (element.matches(FOCUSABLE) && !element.matches(":disabled")) ||
  GLOBAL.some(
    (name) => element.hasAttribute(name) && (name !== "aria-label" || ariaLabel(element)),
  );
const encloses = (element) => {
  const [given] = element.hasAttribute("role") ? tokens(element) : [];
  if (given) return given;
  const role = TAGS[element.localName];
  return typeof role === "string" ? role : element.localName === "select" ? "listbox" : "";
};
const standsIn = (element, wholes) => {
  for (let node = parentOf(element); node; node = parentOf(node)) {
    const role = node.nodeType === 1 ? encloses(node) : "";
    if (role && role !== "generic" && role !== "none" && role !== "presentation")
      return wholes.includes(role);
  }
  return false;
};
const isIn = (element, wholes) => {
  if (standsIn(element, wholes)) return true;
  const owner =
    element.id && element.getRootNode().querySelector?.(`[aria-owns~="${CSS.escape(element.id)}"]`);
  return !!owner && wholes.includes(encloses(owner));
};
// Whether a role can be that of the element, and as which it is `shown`.
const fits = (element, role, shown) => {
  if (ONLY_IF_NAMED.has(role)) return isNamed(element);
  const wholes = !(shown && ACTS_ANYWHERE.has(role)) && CONTEXTS[role];
  return !wholes || isIn(element, wholes);
};
// The role that it has by its own script.
const own = (element) => {
  const role = internalsOf(element, "role");
  return known(role) && (SYNONYMS[role] || role);
};
const given = (element, shown) => {
  const role = tokens(element).find((token) => fits(element, token, shown));
  if (shown && Object.hasOwn(EXTENSIONS, role)) return EXTENSIONS[role];
  return SYNONYMS[role] || role;
};
// The role that the standards give an element; with `shown` the one that a snapshot tells.
export const roleOf = (element, shown = false) => {
  const role = element.hasAttribute("role") && given(element, shown);
  if (role && role !== "none" && role !== "presentation") return role;
  if (role && !isMeaningful(element)) return "none";
  const found = own(element) || nativeRole(element);
  return found !== "textbox" && isPartOfNothing(element) ? "none" : found;
};
// What the author says that an element owns: what is pressed owns no rows, though what turns the
// pages of a table says so.
const PRESSED = new Set(["button", "link"]);
const IN_TABLES =
  "table, tbody, tr, [role=grid], [role=table], [role=treegrid], [role=rowgroup], [role=row]";
export const ownedElements = (element) => {
  const found = referred(element, "aria-owns");
  if (!found.length || !PRESSED.has(roleOf(element))) return found;
  return found.filter((one) => !one.matches(IN_TABLES));
};
const MOST = 500;
const BUTTONS = { reset: "Reset", submit: "Submit" };
export const followed = (found, seen) =>
  cleanText(found.map((one) => spoken(one, begun(one, seen, true))).join(" "));
// What `found` call the element, each read from its beginning; it may be one of them itself.
const calledBy = (found, element) => {
  const texts = found.map((one) =>
    one === element ? itself(one) : followed([one], new Set([element])),
  );
  return cleanText(texts.join(" "));
};
const itself = (element) => {
  const walk = begun(element, new Set([element]), true);
  return (
    ariaLabel(element) ||
    nativeName(element, walk) ||
    cleanText(content(element, walk)) ||
    titleText(element)
  );
};
// What the text of an element is, as part of the name of another one. What is not its content
// stands apart from what is beside it.
const spoken = (element, walk) => {
  const by = !walk.referred && element.hasAttribute("aria-labelledby");
  const text = by && followed(referred(element, "aria-labelledby"), walk.seen);
  if (text) return ` ${text} `;
  if (walk.seen.has(element) || UNREAD.has(element.localName)) return "";
  walk.seen.add(element);
  if (element.localName === "br") return " ";
  const role = isPart(element) ? "" : roleOf(element);
  const plain = role === "none" || role === "presentation";
  const own = held(element, role, walk) ?? called(element, plain, walk);
  if (own !== "") return ` ${own} `;
  const told = isSeparate(element, role, walk) ? "" : content(element, walk);
  const tip = plain || /\S/.test(told) ? "" : titleText(element);
  return tip ? ` ${tip} ` : told;
};
const called = (element, plain, walk) =>
  (element.localName !== "slot" && ariaLabel(element)) || (plain ? "" : nativeName(element, walk));
const held = (element, role, walk) => {
  if (role === "menu") return " ";
  if (!VALUE_IN_NAMES.has(role)) return undefined;
  naming.valued = true;
  return naming.lasting ? " " : valueInName(element, role, walk);
};
const valueInName = (element, role, walk) => {
  if (role === "combobox" || role === "listbox") return chosen(element, role, walk);
  if (role === "textbox" || role === "searchbox") return entered(element, walk);
  return ranged(element);
};
const ranged = (element) =>
  element.getAttribute("aria-valuetext") ||
  element.getAttribute("aria-valuenow") ||
  (element.localName === "meter" || element.hasAttribute("value") || element.localName === "input"
    ? `${element.value ?? ""}`
    : "");
const entered = (element, walk) => {
  if (element.localName !== "input" && element.localName !== "textarea")
    return content(element, walk);
  return isMasked(element) ? "" : element.value;
};
const belonging = (element) =>
  [element, ...referred(element, "aria-owns")].flatMap((one) => [
    one,
    ...one.querySelectorAll("[aria-owns], [aria-selected]"),
  ]);
const chosen = (element, role, walk) => {
  if (element.localName === "select")
    return [...element.selectedOptions].map((option) => option.label).join(" ");
  const all = new Set(belonging(element).flatMap(belonging));
  const marked = [...all].filter((one) => isAria(one, "aria-selected"));
  if (marked.length) return marked.map((one) => spoken(one, walk)).join(" ");
  if (element.localName === "input") return entered(element, walk);
  return role === "combobox" ? content(element, walk) : "";
};
export const content = (element, walk, silent = false) => {
  if (walk.seen.size > MOST) return element.innerText || "";
  let text = silent ? "" : pseudoText(element, "::before");
  for (const node of flatChildren(element)) {
    if (node.nodeType === 3 && !silent) text += node.data;
    if (node.nodeType === 1) text += apart(node, part(node, walk));
  }
  if (element.hasAttribute("aria-owns"))
    for (const owned of ownedElements(element)) text += apart(owned, part(owned, walk));
  return silent ? text : text + pseudoText(element, "::after");
};
// What is hidden may show something in it again; nothing at all, null, is where nothing is drawn.
const part = (element, walk) => {
  if (walk.hidden || isShown(element)) return spoken(element, walk);
  if (isAria(element, "aria-hidden") || !isRendered(element)) return null;
  return content(element, walk, true);
};
const apart = (element, text) =>
  text === null || getComputedStyle(element).display === "inline" ? text || "" : ` ${text} `;
// ---- the names that HTML gives ----
const partOf = (element, tag, walk) => {
  const found = [...element.children].find(({ localName }) => localName === tag);
  return found && isShown(found) ? spoken(found, walk) : "";
};
const ofInput = (element) => {
  const { type, value } = element;
  if (type === "image") return element.alt || titleText(element) || BUTTONS.submit;
  if (type in BUTTONS) return value || BUTTONS[type];
  if (type === "button") return value || titleText(element);
  if (type === "file") return titleText(element) || "Choose File";
  return titleText(element) || prompted(element);
};
// The words that the browser draws, of which no script learns, in the language of the page.
const searchName = (element, what) => (isSearch(element) ? `Use ${what}` : "");
const NATIVE = {
  area: (element) => element.alt,
  details: (element) => (opensItself(element) ? titleText(element) || "Details" : ""),
  fieldset: (element, walk) => partOf(element, "legend", walk),
  figure: (element, walk) => partOf(element, "figcaption", walk),
  geolocation: (element) =>
    searchName(element, isPrecise(element) ? "precise location" : "location"),
  img: (element) => element.alt,
  input: ofInput,
  optgroup: (element) => element.label,
  table: (element, walk) => partOf(element, "caption", walk) || element.getAttribute("summary"),
  textarea: (element) => titleText(element) || prompted(element),
  usermedia: (element) => searchName(element, "microphone and camera"),
};
export const nativeName = (element, walk) => {
  const { localName } = element;
  const labels = LABELABLE.has(localName) ? labelsOf(element) : [];
  const spokenBy = (label) => spoken(label, begun(label, walk.seen, false, false));
  // Also what `aria-hidden` hides, as the specification has it for what is referred to directly:
  // what opens a list hides all the rest so, and the control is called what it was before.
  const by = labels.length > 0 && cleanText(labels.filter(isVisible).map(spokenBy).join(" "));
  if (by) return by;
  const name = Object.hasOwn(NATIVE, localName)
    ? NATIVE[localName](element, walk)
    : element instanceof SVGElement && pictured(element);
  return name ? cleanText(name) : "";
};
// What the author of the page calls the element.
export const authored = (element) =>
  (element.hasAttribute("aria-labelledby") &&
    calledBy(referred(element, "aria-labelledby"), element)) ||
  ariaLabel(element) ||
  internalsOf(element, "name");

// The name that strap shows of an element, and its description.

import { captionOf, labelAround } from "../dom/captions.js";
import { cleanText } from "../dom/text.js";
import { referred } from "./attributes.js";
import {
  attribute,
  isRendered,
  isVisible,
  labelsIn,
  naming,
  prompted,
  titleText,
} from "./labels.js";
import { authored, content, followed, nativeName } from "./role_and_name.js";
import { rolesWith } from "./roles.js";

const LINKS = ["doc-backlink", "doc-biblioref", "doc-glossref", "doc-noteref"];
export const FROM_CONTENT = new Set([...rolesWith("named by content"), ...LINKS]);
// What else is said of an element, as a tip shows it: the description of the same specification.
export const description = (element) =>
  followed(referred(element, "aria-describedby"), new Set([element])) ||
  attribute("aria-description")(element) ||
  titleText(element);
// The name that an element has in that role by the standard; `short`: without that of its content.
export const givenName = (element, role, short) => {
  const given = authored(element) || nativeName(element, { seen: new Set([element]) });
  if (given) return given;
  const from = !short && (FROM_CONTENT.has(role) || element.localName === "summary");
  const found = from && cleanText(content(element, { seen: new Set([element]) }));
  return found || titleText(element) || (role === "textbox" && cleanText(prompted(element))) || "";
};
// What a person takes for the label of a field, where nothing else names that: what is beside a box
// to tick, and the label of the custom element whose only field it is.
const ENTRY = "input, select, textarea";
const hostLabels = (field) => {
  const root = field.getRootNode();
  // The first one alone asks for all of them.
  if (!root.host || root.querySelector(ENTRY) !== field || root.querySelectorAll(ENTRY).length > 1)
    return [];
  return labelsIn(root.host.getRootNode()).get(root.host) || [];
};
const captioned = (element) => {
  if (!element.matches(ENTRY)) return "";
  const captions = [captionOf(element) || labelAround(element), ...hostLabels(element)];
  return followed(
    captions.filter((one) => one && isVisible(one)),
    new Set([element]),
  );
};
const shownName = (element, role, short) => givenName(element, role, short) || captioned(element);
const isNameless = (element, role) =>
  role === "none" ||
  role === "presentation" ||
  !(isRendered(element) || element instanceof HTMLOptionElement);
// The name of any element.
export const nameOf = (element, role, short) =>
  isNameless(element, role) ? "" : shownName(element, role, short);
// Rows and cells need names of their own only where they are acted on.
const LENGTHY = rolesWith("named by long content");
// Of these the content is shown anyway: a name besides is for what is acted on.
const UNNAMED = rolesWith("unnamed");
const isBlank = (element) => !/\S/.test(element.textContent);
const toldName = (element, role, brief) => {
  if (!UNNAMED.has(role)) return shownName(element, role, brief && LENGTHY.has(role));
  return brief ? "" : authored(element) || (isBlank(element) ? titleText(element) : "");
};
// The name that a snapshot tells, `brief` of what is not acted on, and as `kept` the name without what fields hold.
export const nameForRef = (element, role, brief) => {
  naming.valued = false;
  const name = toldName(element, role, brief);
  if (!naming.valued) return { name, kept: name };
  naming.lasting = true;
  const kept = toldName(element, role, brief);
  naming.lasting = false;
  return { name, kept };
};

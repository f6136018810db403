// What a snapshot tells of an element beside its role, its name and what is in it.

import { Extent } from "../dom/clipping.js";
import { visibleLabel } from "../dom/geometry.js";
import { isMasked } from "../dom/masked.js";
import { focusedElement } from "../dom/tree.js";
import { isTiny } from "../dom/visibility.js";
import { referred } from "./attributes.js";
import { ACTS, FIELD, isContainer, VEILED } from "./branch.js";
import { awaits, frameNumber, isDocument, isHidden } from "./descriptions.js";
import {
  hasClickableLabel,
  isField,
  isTyped,
  MASK,
  PUSHED,
  passwords,
  VALUELESS,
} from "./fields.js";
import { behind } from "./interactive.js";
import { hasLabel } from "./labels.js";
import { Numbers } from "./list_numbers.js";
import { namesOf } from "./options.js";
import { numberOf, refOf, subjectOf } from "./refs.js";
import { shellOf } from "./stand_ins.js";
import { rangeValue, statesOf } from "./states.js";

const URL = 500; // characters of an address
export const addRef = (node, element, told) => {
  const { number, version } = refOf(element, told);
  node.ref = number;
  if (version) Object.assign(node, { version, about: subjectOf(element) });
};
export const hasIcon = (element) =>
  !isField(element) || (element.type === "radio" && element.hasAttribute("value"));
// The ref of what can be acted on, or be asked for what is in it.
export const identify = (node, element, told) => {
  if (told.reached || isContainer(told.role)) addRef(node, element, told);
  else node.barred = numberOf(element);
};
// What its attributes say of it: where it leads, what it prompts for, which frame it shows.
export const addFacts = (node, element) => {
  const { role, name } = node;
  if (role === "link" && element.hasAttribute("href"))
    node.url = element.getAttribute("href").slice(0, URL);
  const prompt = role === "textbox" && element.getAttribute("placeholder")?.trim();
  if (prompt && prompt !== name) node.placeholder = prompt;
  if (name && FIELD.test(role) && hasLabel(element)) node.labelled = true;
  if (role === "iframe")
    Object.assign(node, { frame: frameNumber(element), awaited: awaits(element) });
  else if (node.ref && isDocument(element)) node.frame = frameNumber(element);
};
// What is asked of many elements of one document as it is now.
export class Facts {
  passwords = passwords();
  numbers = new Numbers();
  extent = new Extent();
  focused = document.hasFocus() ? focusedElement() : null;
  // What the keys are for in what has the focus, as the option of a list.
  active = this.focused && referred(this.focused, "aria-activedescendant")[0];

  add(node, element, told, above, plain) {
    const number = element.localName === "li" && this.numbers.unusual(element);
    if (number) node.number = number;
    // A tip that is seen is what somebody rested on something, or clicked it, for.
    const isTip = told.role === "tooltip" && !above.veil;
    if (isHidden(element) && !isTip) node.hidden = true;
    const marks = this.marks(element, told, above, plain);
    if (marks.length) node.marks = marks;
  }
  marks(element, told, above, plain) {
    const field = behind(element);
    const marks = statesOf(field || element, told.role, (!field && plain) || undefined);
    if (element === this.focused && element !== document.body) marks.push("focused");
    if (element === this.active) marks.push("active");
    if (this.isUnseen(element, told, above)) marks.push(...(above.veil || VEILED));
    return marks;
  }
  // What a name says is hidden as a text may be. A picture that has not come will be seen, and a
  // field that nobody sees is often drawn by what is around it, unless that is hidden as a whole, or
  // the field is moved away from it, as one is that only robots are to fill.
  isUnseen(element, { role, name, reached, pointer, rect }, above) {
    if (element.complete === false) return false;
    if (role === "iframe") return above.veil;
    if (role === "progressbar" && !name && !rangeValue(element, role))
      return above.veil || Math.min(rect.width, rect.height) <= 1;
    if (isField(element) && !PUSHED.has(element.type)) return this.isFieldUnseen(element, above);
    const unseen = above.veil || (!reached && isTiny(element));
    return (!!name || pointer || ACTS.test(role)) && !!unseen && !hasClickableLabel(element);
  }
  isFieldUnseen(field, above) {
    const moved = above.off && isTyped(field) && !this.isLabelSeen(field);
    if (moved && !shellOf(field)) return true;
    return !!above.panel && above.panel !== field && field.type !== "file";
  }
  isLabelSeen(field) {
    const label = visibleLabel(field);
    return !!label && !this.extent.isOff(label, label.getBoundingClientRect());
  }
  // Another field that holds the same as one for passwords is as secret.
  valueOf(field) {
    const { type, value, files } = field;
    if (type === "file") return namesOf(files);
    if (VALUELESS.test(type)) return "";
    return value && (this.passwords.has(value) || isMasked(field)) ? MASK : value;
  }
}

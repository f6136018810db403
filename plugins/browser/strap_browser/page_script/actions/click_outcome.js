// What became of a click: a browser sends one only where the same element gets the press and, still
// there, the release. A page may move, cover, disable or replace it between them.

import { isDisabled } from "../accessibility/attributes.js";
import { roleOf } from "../accessibility/role_and_name.js";
import { isShown } from "../dom/geometry.js";
import { cleanText } from "../dom/text.js";
import { CONTROL, closest, describeElement, focusedElement, within } from "../dom/tree.js";
import { receives } from "../pointer/hit_test.js";

const SENT = new Set(["auxclick", "click", "contextmenu", "dblclick"]);
const STATES = /^(aria-|data-state$|open$)/;
// Fields that are clicked for the focus, which the press gives them.
const WRITTEN = ":read-write, [readonly], select";
// Those whose clicks their own document sees, or the controls that the browser draws for them.
const UNSEEN = "audio, embed, frame, iframe, object, video";
// A page that renders anew puts another element in the place of the one that is meant: it is as
// good if nothing else there says the same, or is described so.
const said = (element) => cleanText(element.textContent) || describeElement(element);
const successor = (element, root) => {
  if (!element || element.isConnected) return null;
  const what = said(element);
  const alike = [...root.querySelectorAll(element.localName)].filter(
    (other) => said(other) === what,
  );
  return alike.length === 1 ? alike[0] : null;
};
// Whether a click on `target` is one on the element.
export const isClickFor = (target, element) => {
  if (receives(target, element)) return true;
  const other = successor(element, target.getRootNode());
  return !!other && receives(target, other);
};
// Who clicks a label means its control.
export const meantBy = (element) => {
  const control = closest(element, CONTROL) || element;
  return control.control || control;
};
const states = (element) =>
  [...meantBy(element).attributes]
    .filter(({ name }) => STATES.test(name))
    .map(({ name, value }) => `${name}=${value}`)
    .join(" ");
export class Click {
  constructor(element) {
    this.element = element;
    this.root = element.getRootNode();
    this.states = states(element);
    this.presses = 0;
    this.pressed = null;
    this.place = null;
    this.strayed = null;
    this.heard = new Set();
  }

  note({ type }, target) {
    const isSent = SENT.has(type);
    if (type === "pointerdown") {
      this.presses += 1;
      this.pressed = target;
      this.place = this.element.getBoundingClientRect();
    } else if (type !== "pointerup" && (!isSent || this.heard.has(type))) return;
    if (isClickFor(target, this.element)) {
      if (isSent) this.heard.add(type);
    } else if (!isSent) this.strayed ||= target;
  }

  // What the element did not get, and why, undefined where it got all or answers the press alone: it
  // has another state, or went.
  lost() {
    const { element, root, presses, pressed, heard } = this;
    const twice = presses > 1 && heard.has("click");
    if (!presses || (twice ? heard.has("dblclick") : heard.size)) return undefined;
    if (pressed.matches(UNSEEN)) return undefined;
    const now = element.isConnected ? element : root.isConnected && successor(element, root);
    if (!twice && (!now || this.isAnswered(now))) return undefined;
    return { twice, ...(now ? this.reason(now) : { why: "gone" }) };
  }

  isAnswered(element) {
    const { pressed } = this;
    const meant = meantBy(element);
    if (meant.matches(WRITTEN) && focusedElement() === meant) return true;
    // Sliders go by press and release, which what they are in may take for them.
    if (roleOf(meant) === "slider") return true;
    return (pressed.isConnected && !isShown(pressed)) || states(element) !== this.states;
  }

  // Whether it lies elsewhere than at the press, as when something above it appears or goes.
  hasMoved() {
    const now = this.element.getBoundingClientRect();
    return Math.hypot(now.x - this.place.x, now.y - this.place.y) >= 1;
  }

  reason(element) {
    const { pressed, strayed } = this;
    if (!pressed.isConnected) return { why: "replaced" };
    if (!strayed) return { why: isDisabled(element) ? "disabled" : "" };
    const moved = this.hasMoved();
    if (within(element, strayed)) return { why: "away", moved };
    return { why: "covered", by: describeElement(strayed), moved };
  }
}

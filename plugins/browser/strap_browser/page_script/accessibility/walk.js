// The walk over a document that builds a snapshot.

import { isBeside, isCut, shared } from "../dom/clipping.js";
import { editorLines, fieldIn, isTerminal } from "../dom/code_editor.js";
import { isFolded, summaries } from "../dom/details.js";
import { isShown } from "../dom/geometry.js";
import { areasOf } from "../dom/image_map.js";
import { noteSmooth } from "../dom/smooth_scrolling.js";
import { isClear, styleOf } from "../dom/styles.js";
import { after, CONTROL, flatChildren, isRoot } from "../dom/tree.js";
import { Branch } from "./branch.js";
import {
  describeLook,
  ENDS,
  goesOn,
  isApart,
  isClobbered,
  isHidden,
  isIcon,
  isName,
  isPanel,
  isWrapper,
  struck,
  UNSEEN,
  veilOf,
  wholeOf,
} from "./descriptions.js";
import { addFacts, addRef, Facts, hasIcon, identify } from "./facts.js";
import { isEntry, isField, isReplaced, isSelectDropDown, options } from "./fields.js";
import { iconOf } from "./icons.js";
import { isDrawnByScript, isUsed } from "./interactive.js";
import { DEPTH, KnownNodes } from "./known_nodes.js";
import { ariaLabel } from "./labels.js";
import { drawnText, isNumber, keepsLines } from "./lines.js";
import { suggestedOptions } from "./options.js";
import { addPrompt, controlsAmong } from "./prompts.js";
import { pseudoText } from "./pseudo_content.js";
import { calledForRef, FRAMES, numberOf, shownRole, versionOf } from "./refs.js";
import { ownedElements, roleOf } from "./role_and_name.js";
import { isTick } from "./stand_ins.js";
import { rangeValue, statesOf } from "./states.js";
import { beginWhole } from "./wholes.js";

const DEEPEST = 700; // what HTML is read to is 512 deep
const WITHIN = 50; // levels in what acts below that
const shownIn = (element) => (isFolded(element) ? summaries(element) : flatChildren(element));
// What is in no field and in nothing hidden, as the list of a combobox that ARIA 1.0 made of a text
// field, is shown where it stands.
const canOwn = (element) =>
  !isField(element) && element.checkVisibility() && !element.closest("[aria-hidden=true]");
const addSuggested = (node, element) => {
  const suggested = suggestedOptions(element);
  if (suggested.length)
    node.children = suggested.map((name) => ({ role: "option", name, marks: [] }));
};
const isLaidOut = (element, display) => display === "contents" || element.checkVisibility();
// The box that cuts off what is beside it in an element, null where that can be scrolled to.
const clipOf = (element, { style, rect }, around) => {
  if (style.overflowX === "visible" || isRoot(element)) return around;
  return /auto|scroll/.test(style.overflowX) ? null : shared(rect, around);
};
export class Walk {
  constructor(start, nodes = null) {
    // Whether no shadow root was met on the way here.
    this.plain = isRoot(start);
    this.owned = new Set();
    for (const owner of document.querySelectorAll("[aria-owns]"))
      if (canOwn(owner)) for (const owned of this.ownedBy(owner)) this.owned.add(owned);
    this.seen = new Set();
    this.closed = new Set();
    this.clip = null; // the box around that cuts off what is beside it
    this.facts = new Facts();
    this.known = new KnownNodes(nodes);
  }
  ownedBy(element) {
    return ownedElements(element).filter((owned) => !owned.contains(element));
  }
  element(element, branch, levels) {
    const { localName } = element;
    if (UNSEEN.has(localName) || this.wasMet(element) || this.known.adds(element, branch)) return;
    const style = styleOf(element);
    const { display } = style;
    if (display === "none") return;
    if (isClobbered(element))
      return this.inside(element, branch, levels, style.visibility !== "visible");
    const field = fieldIn(element);
    if (field) return this.code(element, field, branch);
    if (branch.keeps && isNumber(element, style)) return;
    // Most are seen: one question instead of several.
    const clear = isClear(element);
    if (!clear && style.visibility !== "visible") return this.inside(element, branch, levels, true);
    if (!clear && !isLaidOut(element, display)) return;
    if (localName === "br") branch.text += branch.keeps ? "\n" : " ";
    else if (!isName(element, branch.name))
      this.laidOut(element, { style, display, clear }, branch, levels);
  }
  // Notes an element where some are shown elsewhere than they stand.
  wasMet(element) {
    if (this.seen.has(element)) return true;
    if (this.owned.size) this.seen.add(element);
    return false;
  }
  laidOut(element, { style, display, clear }, branch, levels) {
    if (display !== "inline" && style.contentVisibility === "hidden") this.closed.add(element);
    noteSmooth(element, style);
    const look = { style, display, rect: element.getBoundingClientRect() };
    // Text whose line breaks are its own, as that of code; and what nobody sees, which is told as
    // such: it is where pages hide what only a reader is to find.
    const kept = !branch.keeps &&
      keepsLines(element, style) && { block: !display.startsWith("inline") && look.rect };
    const unseen = veilOf(element, look, branch.unseen, clear);
    const off = look.rect.width > 0 ? this.isOff(element, look.rect) : branch.off;
    if (isField(element) && isReplaced(element, look, unseen || off)) return;
    const left = branch.enter(kept, unseen, off, wholeOf(element, look, branch));
    if (!branch.panel && (unseen?.by === element || off) && isPanel(element, look.rect))
      branch.panel = element;
    const { clip } = this;
    this.clip = clipOf(element, look, clip);
    const told = this.describe(element, look, branch);
    if (told && isWrapper(told)) this.wrapper(element, look, branch, levels);
    else if (told) this.node(element, told, branch, levels);
    this.clip = clip;
    branch.leave(left);
  }
  isOff(element, rect) {
    if (this.clip && isBeside(rect, this.clip) && isCut(element)) return true;
    return this.facts.extent.isOff(element, rect);
  }
  // What is told of an element; null if nothing but an icon is, or it is the tick of a box.
  describe(element, look, branch) {
    const told = describeLook(element, shownRole(element), look, branch);
    if (told.role === "img" && isTick(element)) return null;
    if (branch.places?.wantsIcon(element) && this.icon(element, told, look, branch)) return null;
    if (isWrapper(told)) return told;
    return Object.assign(told, calledForRef(element, told.role, !told.pointer));
  }
  // A drawing that nobody calls anything has a ref for whoever asks.
  icon(element, told, { rect }, branch) {
    const { name } = calledForRef(element, told.role, true);
    const found = isIcon(element, { ...told, name }, rect);
    const [ref, version] = [numberOf(element), versionOf(element)];
    if (found) branch.add({ role: "img", pointer: true, ref, version });
    return found;
  }
  wrapper(element, { style, display }, branch, levels) {
    const inline = display === "inline";
    const cell = display === "table-cell" ? " " : "";
    const within = inline || ((branch.keeps || branch.lined) && display.startsWith("inline"));
    const apart = !cell && !within && display !== "contents";
    if (apart) branch.divide();
    if (inline && ENDS.test(branch.text) && isApart(style, "Left")) branch.text += " ";
    branch.text += cell;
    branch.text += struck(element);
    const [count, { length }] = [branch.children.length, branch.text];
    if (isHidden(element)) this.unspoken(element, branch, levels);
    else this.inside(element, branch, levels);
    if (branch.children.length === count && branch.text.length === length)
      this.label(element, branch);
    branch.text += struck(element);
    if (inline && goesOn(element) && isApart(style, "Right")) branch.text += " ";
    branch.text += cell;
    if (apart) branch.divide();
  }
  label(element, branch) {
    const text = ariaLabel(element);
    if (text) this.known.untold += 1;
    branch.write(text, element);
  }
  unspoken(element, branch, levels) {
    const within = new Branch(branch);
    this.inside(element, within, levels);
    within.end();
    if (within.children.length)
      branch.add({ role: "generic", hidden: true, children: within.children });
  }
  node(element, told, above, levels) {
    const { role, name, reached, pointer, parted, hand, over, rect, summary } = told;
    const branch = new Branch(above, { name, role, owner: element });
    const { untold } = this.known;
    const node = { role };
    if (name) node.name = name;
    identify(node, element, told);
    const acts = pointer || (summary && reached);
    if (acts) node.pointer = true;
    if (acts && parted) node.parted = true;
    const whole = acts ? hand || over || summary || branch.acts : role.startsWith("menuitem");
    if (whole) branch.whole = beginWhole(rect, hand, over);
    this.facts.add(node, element, told, above, this.plain);
    addFacts(node, element);
    above.add(node);
    this.fill(node, this.content(element, role, branch, levels), above);
    addPrompt(node, element);
    addSuggested(node, element);
    const silent = node.ref && (pointer || branch.acts) && !says(node);
    if (silent && hasIcon(element)) node.icon = iconOf(element);
    if (!this.owned.size) this.known.note(element, node, untold, above);
  }
  code(editor, field, above) {
    const role = roleOf(field);
    const told = calledForRef(field, role);
    const marks = statesOf(field, role);
    if (field === this.facts.focused) marks.push("focused");
    const node = { role, name: told.name, marks };
    addRef(node, field, told);
    above.add(node);
    const branch = isTerminal(editor) ? above : new Branch(null, { role, owner: field });
    const left = branch.enter(
      { block: editor.getBoundingClientRect() },
      above.unseen,
      above.off,
      above.whole,
    );
    branch.text = editorLines(editor);
    branch.leave(left);
    if (branch !== above) this.fill(node, branch, above);
  }
  // A place on a picture, as a part of it.
  area(area, branch) {
    const role = roleOf(area);
    const told = calledForRef(area, role);
    if (!isShown(area) || !(isUsed(area, role) || role === "link")) return;
    const node = { role, name: told.name, pointer: true };
    if (role === "link") node.url = area.getAttribute("href").slice(0, URL);
    addRef(node, area, told);
    branch.add(node);
  }
  content(element, role, branch, levels) {
    const value = rangeValue(element, role);
    if (value) this.valued(element, value, branch, levels);
    else if (isSelectDropDown(element)) branch.children = options(element);
    else if (isEntry(element)) {
      branch.keeps = element.localName === "textarea";
      branch.text = this.facts.valueOf(element);
    } else if (!FRAMES.has(element.localName) && !isDrawnByScript(element))
      this.inside(element, branch, levels);
    for (const area of areasOf(element)) this.area(area, branch);
    branch.end();
    return branch;
  }
  // What has a value says that; what can be used in it, as a button in a splitter, is there as well.
  valued(element, value, branch, levels) {
    const within = new Branch(branch);
    for (const node of shownIn(element))
      if (node.nodeType === 1 && !this.owned.has(node)) this.element(node, within, levels + 1);
    branch.text = value;
    for (const control of controlsAmong(within.children)) branch.add(control);
  }
  // What is nested too deep stands beside what it is in.
  fill(node, { children, depth }, above) {
    const [text] = children;
    if (children.length === 1 && typeof text === "string") {
      if (text !== node.name) node.text = text;
    } else if (depth > DEPTH) above.children.push(...children);
    else if (children.length) node.children = children;
  }
  // The numbers of lines are no part of a code.
  beside(element, pseudo, branch) {
    const text = pseudoText(element, pseudo, !branch.keeps);
    if (!text) return;
    this.known.untold += 1;
    branch.write(text, element, pseudo);
  }
  inside(element, branch, levels, silent = false) {
    if (levels > DEEPEST) return this.deepest(element, branch);
    if (element.shadowRoot) this.plain = false;
    if (element.shadowRoot || element.localName === "slot") this.known.untold += 1;
    if (!silent) this.beside(element, "::before", branch);
    for (const node of this.parts(element)) {
      if (node.nodeType === 1) this.element(node, branch, levels + 1);
      else if (node.nodeType === 3 && !silent)
        branch.write(branch.keeps ? drawnText(node) : node.data, element);
    }
    if (!silent) this.beside(element, "::after", branch);
  }
  // What is shown in an element: its own that no other owns, and what it owns.
  parts(element) {
    const own = this.closed.has(element) ? [] : shownIn(element);
    if (!this.owned.size) return own;
    const here = [...own].filter((node) => !this.owned.has(node));
    return [...here, ...this.ownedBy(element).filter((node) => this.owned.has(node))];
  }
  // What scripts nest deeper than a browser reads HTML: its texts, and its controls.
  deepest(element, branch) {
    const walker = document.createTreeWalker(element);
    for (let node = walker.nextNode(); node; ) {
      const acts = node.nodeType === 1 && node.matches(CONTROL);
      if (acts) this.element(node, branch, DEEPEST - WITHIN);
      else if (node.nodeType === 3 && node.parentElement.checkVisibility())
        branch.text += ` ${node.data}`;
      node = acts ? after(walker) : walker.nextNode();
    }
  }
  // What nothing shows that owns it, as two that own each other.
  rest(start, branch) {
    for (const owned of this.owned) if (start.contains(owned)) this.element(owned, branch, 0);
  }
}
export const says = (node) =>
  typeof node === "string" || !!(node.name || node.text || node.children?.some(says));

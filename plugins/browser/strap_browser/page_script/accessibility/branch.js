// The node of a snapshot that is being built.

import { cleanText } from "../dom/text.js";
import { isTiny } from "../dom/visibility.js";
import { sourceLines } from "./lines.js";
import { FROM_CONTENT } from "./name.js";
import { versionOf } from "./refs.js";
import { sharedAncestor } from "./text_refs.js";

export const FIELD =
  /^(checkbox|combobox|listbox|radio|searchbox|slider|spinbutton|switch|textbox)$/;
export const ACTS = /^(button|checkbox|link|menuitem|option|radio|switch|tab$)/;
// What takes no mouse for a time, as all that is behind a menu, is known again: of what is no control
// that is the ref by which its content is asked for.
export const isContainer = (role) => !ACTS.test(role) && !FIELD.test(role) && role !== "treeitem";
export const WORDS = /\S/;
export const VEILED = ["invisible"];
export const kept = { lines: 0 };
const TOUCHING = 3; // pixels between lines of one text
const CELL = /^(cell|gridcell|row|rowheader)$/;
export class Branch {
  children = [];
  parts = [];
  text = "";
  // The text in a control, a cell or a heading is found by the ref of that.
  constructor(above, { name = "", role = "", owner = null } = {}) {
    const own = FROM_CONTENT.has(role);
    this.name = name;
    this.owner = owner;
    this.own = own;
    this.acts = ACTS.test(role);
    this.places = above ? above.places : null;
    this.whole = above ? above.whole : null;
    this.unseen = above ? above.unseen : null;
    this.off = !!above && above.off;
    this.panel = above ? above.panel : null;
    this.tiny = false;
    this.keeps = !!above && above.keeps && (!own || CELL.test(role));
    // Whether a part of its text, in a line of others, keeps its blanks.
    this.lined = false;
    this.single = null;
    this.depth = above ? above.depth + 1 : 0;
  }
  // A text of an element: what holds the whole text is what all of its parts are in.
  write(data, element, pseudo) {
    if (WORDS.test(data)) this.turn(isTiny(element, pseudo));
    const text = this.lined && !this.keeps ? data.replace(/\s+/g, " ") : data;
    if (this.places && text.trim()) this.place(text, element);
    else this.text += text;
  }
  place(text, element) {
    const alone = !this.keeps && this.places.tellsApart(text, element, this.owner);
    if (alone) this.part();
    this.text += text;
    this.places.note(text, element);
    this.holder = sharedAncestor(this.holder, element);
    if (alone) this.part();
  }
  // What follows is on the same line, but has a ref of its own.
  part() {
    const text = cleanText(this.text);
    if (text)
      this.parts.push(this.told(text, this.keeps || this.lined ? sourceLines(this.text) : []));
    this.text = "";
    this.lined = false;
    this.holder = null;
  }
  // Texts too small to be seen are told apart from those beside them.
  turn(tiny) {
    if (tiny !== this.tiny) this.end();
    this.tiny = tiny;
  }
  end() {
    this.part();
    const one = this.parts.length > 1 && !this.owner;
    this.children.push(...(one ? [{ role: "parts", children: this.parts }] : this.parts));
    if (this.keeps && this.parts.length === 1) this.join();
    this.parts = [];
  }
  // Lines that are elements of their own, one right below the other, are one text.
  join() {
    const [{ children, box }, before] = [this, this.single];
    const text = textOf(children.at(-1));
    this.single = text && box ? { at: children.length, box, text } : null;
    if (
      !this.single ||
      before?.at !== children.length - 1 ||
      Math.abs(box.top - before.box.bottom) > TOUCHING
    )
      return;
    this.single = { at: before.at, box, text: `${before.text}\n${text}` };
    children.splice(-2, 2, { role: "lines", text: this.single.text });
    kept.lines += 1;
  }
  // A block is on lines of its own: in a text whose line breaks count no more than that.
  divide() {
    if (!this.keeps) this.end();
    else if (this.text && !this.text.endsWith("\n")) this.text += "\n";
  }
  told(text, lines) {
    const ref = this.isOwn(text) ? undefined : this.places?.numberOf(text, this.holder);
    const unseen = this.veil || (this.tiny && VEILED);
    if (!ref && !unseen && !lines.length) return text;
    kept.lines += lines.length;
    const told = lines.length ? { role: "lines", text: lines.join("\n") } : { role: "text", text };
    if (ref) Object.assign(told, { ref, version: versionOf(this.holder) });
    if (unseen) told.marks = unseen;
    return told;
  }
  // Whether the ref of what the text is in is as good as one of its own.
  isOwn(text) {
    if (this.holder === this.owner) return true;
    return this.own && !this.places?.tellsPart(text, this.owner);
  }
  // The marks of what nobody sees in it, null where that is seen.
  get veil() {
    return this.unseen?.marks || (this.off ? VEILED : null);
  }
  // For a part of it that is told otherwise; returns what is to be left again.
  enter(kept, unseen, off, part) {
    const left = { kept, unseen: this.unseen, off: this.off, whole: this.whole, panel: this.panel };
    if (kept?.block || unseen !== this.unseen || off !== this.off) this.end();
    if (kept) {
      if (!kept.block && !this.lined) this.text = this.text.replace(/\s+/g, " ").trimStart();
      this.lined = !kept.block;
      this.box = kept.block;
      this.keeps = true;
    }
    if (this.unseen && unseen !== this.unseen && this.panel === this.unseen.by) this.panel = null;
    if (this.off && !off && !unseen) this.panel = null;
    this.unseen = unseen;
    this.off = off;
    this.whole = part;
    return left;
  }
  leave({ kept, unseen, off, whole, panel }) {
    if (kept?.block || unseen !== this.unseen || off !== this.off) this.end();
    if (kept) this.keeps = false;
    this.unseen = unseen;
    this.panel = panel;
    this.off = off;
    this.whole = whole;
  }
  add(node) {
    this.end();
    this.children.push(node);
  }
}
// The text of a piece of one that is one line, "" of others.
const textOf = (piece) => {
  if (typeof piece === "string") return piece;
  const { role, text, ref, marks } = piece;
  return role === "lines" && !ref && !marks && !text.includes("\n") ? text : "";
};

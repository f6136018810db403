// The places of plain text, for whoever asks for them: those in one element, or those with some words.

import { cleanText, hasEmpty } from "../dom/text.js";
import { parentOf, within } from "../dom/tree.js";
import { elementOfRef, numberOf, refer } from "./refs.js";

// Elements whose listeners are asked for: each costs DevTools two commands.
const MOST = 50;
// What listens for a text is seldom further out than its row.
const OUTWARDS = 3;
// Elements on one line.
const LINE = 300;
// Words that are the same in all ways of folding case, and what search takes of them.
const PLAIN = /^[\x20-\x7e]+$/;
const PIECES = /\w+/g;
class Places {
  found = [];
  constructor({ ref, text = "" }) {
    this.within = ref ? elementOfRef(ref) : document;
    this.words = text.toLowerCase().split(/\s+/).filter(Boolean);
  }
  wants(text, holder) {
    if (!this.within || !within(holder, this.within)) return false;
    const plain = text.toLowerCase();
    return !this.words.length || this.words.some((word) => plain.includes(word));
  }
  // Whether any text in the element may be wanted, however it is put together.
  mayTell({ textContent: text }) {
    const plain = text.toLowerCase();
    const all = hasEmpty(plain) ? plain + cleanText(plain) : plain;
    return !this.words.length || this.words.some((word) => all.includes(word));
  }
  // Whether a line in the element, whose node that is, may have all of the words: a line is of one node
  // and of few elements, and refs of its texts are asked for where it has.
  mayTellOf(element, node) {
    if (!this.mayTell(element)) return false;
    if (this.line?.contains(element) || element.getElementsByTagName("*")[LINE]) return true;
    if (!this.hasAll(JSON.stringify(node).toLowerCase())) return false;
    this.line = element;
    return true;
  }
  hasAll(told) {
    return this.words.every(
      (word) =>
        !PLAIN.test(word) || (word.match(PIECES) || []).every((piece) => told.includes(piece)),
    );
  }
  // Whether an element is to be told what is in the text of another one, beside that.
  isAsked(text, owner) {
    return this.words.length ? this.wants(text, owner) : owner === this.within;
  }
  // Whether a text is told apart from those beside it, as that of an element in a line.
  tellsApart(text, element, owner) {
    const inline = getComputedStyle(element).display.startsWith("inline");
    return inline && element !== owner && this.isAsked(text, owner || element);
  }
  // Whether a text that is but a part of what acts is told with a ref of its own.
  tellsPart(text, owner) {
    return this.isAsked(text, owner) && text !== cleanText(owner.textContent);
  }
  // Whether what shows no text is told in what is clicked as a whole.
  wantsIcon(element) {
    return !this.words.length && this.wants("", element) && !element.textContent.trim();
  }
  // A text of an element, which may listen.
  note(text, element) {
    if (this.words.length && this.found.length < MOST && this.wants(text, element))
      this.found.push(refer(element));
  }
  // The number of the element that holds the text, undefined where nobody asked for it.
  numberOf(text, holder) {
    return holder?.nodeType === 1 && this.wants(text, holder) ? numberOf(holder) : undefined;
  }
}
let last = null;
export const placesFor = (question) => {
  const places = question ? new Places(question) : null;
  last = places && [places.found, question.text ? "" : question.ref];
  return places;
};
const outwards = (element) => {
  const path = [];
  for (let node = element; node && path.length < OUTWARDS; node = parentOf(node))
    if (node.nodeType === 1) path.push(node);
  return path;
};
const rootsIn = (root) =>
  [root, ...root.querySelectorAll("*")].flatMap(({ shadowRoot }) =>
    shadowRoot ? [shadowRoot, ...rootsIn(shadowRoot)] : [],
  );
// Where listeners are looked for: the element that was asked for, or what is around the words.
export const placesScope = () => {
  const [found, ref] = last || [[], ""];
  const known = (ref ? [ref] : found).map(elementOfRef).filter(Boolean);
  const all = known.flatMap((element) =>
    ref ? [element, ...rootsIn(element)] : outwards(element),
  );
  return [...new Set(all)].slice(0, MOST);
};
// The innermost element that both are in.
export const sharedAncestor = (one, other) => {
  let node = one || other;
  while (node && !within(other, node)) node = parentOf(node);
  return node;
};

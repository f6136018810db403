// What custom elements say of themselves to assistive technology alone (`ElementInternals`). Only they
// can read that; of those that are used, and have no role in the document, DevTools is asked.

const MOST = 150;
// Elements of one name that say nothing, after which others of that name are not asked.
const ENOUGH = 5;
// By element, as attributes; null for what says nothing.
const said = new WeakMap();
const speaking = new Set();
const unasked = new Set();
const silent = new Map();
export const internalsOf = (element, name) => (speaking.size && said.get(element)?.[name]) || null;
// Asks about an element, if nobody did; what is not defined has no script that could say something.
export const noteUnasked = (element) => {
  const { localName } = element;
  if (!localName.includes("-") || element.hasAttribute("role") || said.has(element)) return;
  if (silent.get(localName) >= ENOUGH || unasked.size + speaking.size >= MOST) return;
  if (element.matches(":defined")) unasked.add(element);
};
// What to ask about: what may say something else by now, and what is new.
export const wanted = () => {
  for (const element of speaking) {
    if (element.isConnected) continue;
    speaking.delete(element);
    said.delete(element);
  }
  const all = [...speaking, ...unasked];
  unasked.clear();
  return all;
};
// Of what is barred from use, as behind a dialog, nothing is told (`false`): it is what it was.
export const tell = (told, ...found) => {
  for (const [index, element] of found.entries()) {
    if (told[index] === false) continue;
    said.set(element, told[index]);
    if (told[index]) speaking.add(element);
    else if (!speaking.delete(element))
      silent.set(element.localName, 1 + (silent.get(element.localName) || 0));
  }
};
// Whether the element speaks of itself, as a list whose options may do so, too.
export const speaksByInternals = (element) => speaking.size > 0 && speaking.has(element);
export const isSpoken = () => speaking.size > 0;
export const isWanted = () => unasked.size > 0;

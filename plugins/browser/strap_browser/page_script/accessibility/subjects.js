// The subject of an element: the row, card or dialog that it acts on, by the text that tells it from its
// neighbours; elsewhere the text and the heading before it. Pages fill the same elements with another record:
// nothing but the subject tells that.

import { isRestlessIn } from "../dom/restless.js";
import { cleanText } from "../dom/text.js";
import { isRoot, parentOf, within } from "../dom/tree.js";
import {
  at,
  BEFORE,
  CONTROLS,
  HEADING,
  HEADINGS,
  isLabel,
  isSeen,
  LENGTH,
  LETTER,
  LINK,
  NAMED,
  NUMBER,
  named,
  OF_BOTH,
  OF_LINK,
  OF_PICTURE,
  once,
  PICTURE,
  shownIn,
  TEXT,
  textsOf,
} from "./record_texts.js";
import { roleOf } from "./role_and_name.js";

const LARGE = 300; // elements in what is more than one record
const DEEP = 3; // records in records
const BACK = 60; // nodes looked at before an element that is in no record
const BESIDE = 2; // records on each side that a record is told from
const ENTRIES = new Set(["article", "dialog", "fieldset", "li", "tr"]);
const ROLES = /^(row|listitem|article|treeitem|group|radiogroup)$/;
const isDialog = (element) =>
  /^(alert)?dialog$/.test(element.getAttribute("role") || element.localName);
const isEntry = (element) => {
  const role = element.getAttribute("role");
  return isDialog(element) || (role ? ROLES.test(role) : ENTRIES.has(element.localName));
};
const twinOf = ({ localName, nextElementSibling: next, previousElementSibling: previous }) =>
  next?.localName === localName ? next : previous?.localName === localName ? previous : null;
// Whether what is beside it has such a control as well: no shadow root tells.
const isRepeated = (scope, tag) => {
  const twin = twinOf(scope);
  return !!twin && (!!scope.shadowRoot || !!twin.getElementsByTagName(tag)[0]);
};
const isForm = (element) => element instanceof HTMLFormElement; // its fields hide what it has
// The records around a node, the innermost first; null where there is no record any more.
const around = once(function records(node, tag) {
  const up = parentOf(node);
  if (!up || isRoot(up) || up.nodeType === 9) return [];
  if (up.nodeType !== 1 || isForm(up)) return around(up, tag);
  return from(up, tag);
});
const from = once(function chain(scope, tag) {
  if (scope.getElementsByTagName("*")[LARGE]) return [];
  if (isDialog(scope)) return [scope];
  const outer = around(scope, tag);
  return isEntry(scope) || isRepeated(scope, tag) ? [scope, ...outer].slice(0, DEEP) : outer;
});
const firstOf = (found, rank, most = 1) =>
  found.filter((one) => one.rank === rank && !isLabel(one.element)).slice(0, most);
const besideOf = (scope, side) => {
  const found = [];
  for (
    let one = scope[side];
    one?.localName === scope.localName && found.length < BESIDE;
    one = one[side]
  )
    found.push(one);
  return found;
};
// Whether it is but the number of its place in the list.
const isPlace = (name, scope) => {
  const [, number] = /^\W*(\d+)\W*$/.exec(name) || [];
  return !!number && scope.parentElement?.children[Number(number) - 1] === scope;
};
// What tells it from what is beside it: a name, and a number that stands for something; else whatever
// does. Of what is alone its title and its first text.
const telling = (scope) => {
  const found = textsOf(scope);
  const twins = ["nextElementSibling", "previousElementSibling"].flatMap((side) =>
    besideOf(scope, side),
  );
  const others = new Set(
    isDialog(scope) ? [] : twins.flatMap((twin) => textsOf(twin)).map(({ name }) => name),
  );
  const own = others.size
    ? found.filter(({ name }) => !others.has(name) && !isPlace(name, scope))
    : [];
  const [name, number] = [
    own.find(({ rank }) => rank < NUMBER),
    own.find(({ rank }) => rank === NUMBER),
  ];
  const told = [name, number].filter(Boolean);
  if (told.length || own.length) return told.length ? told : own.slice(0, 1);
  return [...firstOf(found, HEADING), ...firstOf(found, TEXT, isDialog(scope) ? 2 : 1)];
};
// Whether two texts differ in counters alone, which numbers that stand for something are not.
const DIGITS = /(?<![#№\d])\d{1,3}(?!\d)/g;
const uncounted = (text) => text.replace(DIGITS, "");
const isKind = (rank) => (line) => line[0] === (rank === PICTURE ? OF_PICTURE : OF_LINK);
// Whether what tells a record now was shown in it before, or texts have only come to it; a picture that
// comes late is no other one. What counts all the time is the same, unless it is one of many.
const isSame = (shown, scope) => {
  const lines = shown.split("\n");
  const now = new Set(shownIn(scope).split("\n"));
  if (NAMED.test(shown) && lines.every((line) => now.has(line))) return true;
  const before = new Set(
    lines.flatMap((line) => [named(line), cleanText(line).slice(0, LENGTH), line]),
  );
  const restless = ({ name, element }) =>
    !twinOf(scope) && isRestlessIn(element) && [...before].map(uncounted).includes(uncounted(name));
  return telling(scope).every((one) => {
    const late = (one.rank === PICTURE || one.rank === LINK) && !lines.some(isKind(one.rank));
    return before.has(one.name) || late || restless(one);
  });
};
// What each record showed, and the number of the record that it was by that.
const KEPT = 5;
const known = new WeakMap();
let last = 0;
const numberOf = once(function number(scope) {
  const shown = shownIn(scope);
  const all = known.get(scope) || [];
  if (all[0]?.shown === shown) return all[0].number;
  const same =
    all.find((one) => one.shown === shown) || all.find((one) => isSame(one.shown, scope));
  const number = same ? same.number : ++last;
  known.set(scope, [{ shown, number }, ...all.filter((one) => one !== same)].slice(0, KEPT));
  return number;
});
// ---- what stands before an element that is in no record ----
// A text beside elements, which scripts write in several pieces.
const run = (node) => {
  let [part, text] = [node, ""];
  while (part.previousSibling?.nodeType === 3) part = part.previousSibling;
  for (; part?.nodeType === 3; part = part.nextSibling) text += part.data;
  return text;
};
const holderOf = (node) =>
  node.nodeType === 3 ? node.parentElement || node.getRootNode().host : node;
const said = new WeakMap();
// What it says, if anybody sees it; what changes all the time says what it said first.
const textAt = once(function text(node) {
  const holder = holderOf(node);
  if (!node.isConnected || !holder || !isSeen(holder)) return "";
  const now = named(node.nodeType === 3 ? run(node) : node.textContent);
  const counts = isRestlessIn(holder) && uncounted(said.get(node) || "") === uncounted(now);
  if (now && !counts) said.set(node, now);
  return now && said.get(node);
});
const isText = (node) => node.nodeType === 3 && LETTER.test(node.data);
const isOther = (node) =>
  node.matches(BEFORE) || node.matches(CONTROLS) || node.localName === "label";
const lastText = (node) => {
  if (node.nodeType !== 1) return isText(node) ? node : null;
  if (isOther(node) || !isSeen(node)) return null;
  for (let child = node.lastChild; child; child = child.previousSibling) {
    const found = lastText(child);
    if (found && textAt(found)) return found;
  }
  return null;
};
const lastHeading = (node) => {
  if (node.nodeType !== 1) return null;
  const found = node.matches(HEADINGS) ? [node] : [...node.querySelectorAll(HEADINGS)];
  return found.findLast(isSeen) || null;
};
const isLarge = (node) => node.nodeType === 1 && !!node.getElementsByTagName("*")[LARGE];
// The last text and the last heading before an element.
const preceding = (element) => {
  let [text, heading, node] = [null, null, element];
  for (let left = BACK; left && node && !isRoot(node) && !(text && heading); left--) {
    const seen = at.get(node);
    if (seen) {
      text ||= seen.text;
      heading ||= seen.heading;
      break;
    }
    const previous = node.previousSibling;
    node = previous || parentOf(node);
    if (!previous || isLarge(previous)) continue;
    text ||= lastText(previous);
    heading ||= lastHeading(previous);
  }
  at.set(element, { text, heading });
  const both = text && heading && !heading.contains(text);
  return both ? [text, heading] : [heading || text].filter(Boolean);
};
const places = new WeakMap();
const isThere = ({ records, texts }, element) =>
  records.length
    ? records.every((record) => record.contains(element) || within(element, record))
    : texts.length > 0 && texts.every((each) => textAt(each));
const placeOf = (element, acts) => {
  const place = places.get(element);
  if (place && isThere(place, element)) return place;
  const chain = (acts ? around : from)(element, element.localName);
  const records = chain.filter((scope) => NAMED.test(shownIn(scope)));
  // Put elsewhere, it may be about the same all the same.
  for (const [index, record] of records.entries())
    if (place?.records[index] && !known.has(record))
      known.set(record, known.get(place.records[index]));
  places.set(element, { records, texts: records.length || !acts ? [] : preceding(element) });
  return places.get(element);
};
// What tells one subject from another.
export const subjectKey = (element, acts) => {
  const { records, texts } = placeOf(element, acts);
  const numbers = records.map((record) => numberOf(record));
  return [...numbers, ...texts.map((text) => textAt(text))].join("\n");
};
// The roles and names of the records that it is in, the innermost first, or what stands before it.
export const subjectsOf = (element, acts) => {
  const { records, texts } = placeOf(element, acts);
  const nameOf = (record) =>
    telling(record)
      .map(({ name }) => name.replace(OF_BOTH, ""))
      .join("\n");
  const told = records.map((record) => ({ role: roleOf(record), name: nameOf(record) }));
  return [...told, ...texts.map((node) => ({ role: "", name: textAt(node) }))];
};

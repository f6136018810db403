// What changes in the document while an action goes on, and when it comes to rest.

import { withdraw } from "../accessibility/descriptions.js";
import { editorOf, isTerminal } from "../dom/code_editor.js";
import { AT_REST_MS, isRestless, noteRestless } from "../dom/restless.js";
import { mayGlide } from "../dom/smooth_scrolling.js";
import { documentSize, LARGE } from "../dom/tree.js";

const WATCH_MS = 10000;
// The first step comes with the second frame, or the third where a script awaits one itself.
const GLIDE_FRAMES = 3;
// What a style sheet may go by in an element: its attributes, but those that say where the mouse
// and the focus are.
const WHERE = /^(tabindex$|data-(focus|hover|press|active))/;
export const looks = (element) =>
  [...(element?.attributes || [])]
    .filter(({ name }) => !WHERE.test(name))
    .map(({ name, value }) => `${name}=${value}`)
    .join(" ");
export const current = { watch: null };
export const end = () => {
  if (current.watch) current.watch.observer.disconnect();
  current.watch = null;
};
const isOwn = (target, element, editor) =>
  target === element ||
  (!!editor && editor.contains(target)) ||
  (!!element && element.isContentEditable && element.contains(target));
// The editor of code that the element is part of; a terminal writes what others say.
const writtenIn = (element) => {
  const editor = element && editorOf(element);
  return editor && !isTerminal(editor) ? editor : null;
};
export const noteMutations = (records) => {
  const { element, observer, began, asked, changed } = current.watch;
  const now = performance.now();
  const ends = now > began + WATCH_MS;
  if (ends || records.length) current.watch.unchanged = ends ? Infinity : now;
  if (ends) return observer.disconnect();
  const editor = writtenIn(element);
  const resting = now > asked + AT_REST_MS;
  current.watch.outside += records.filter(({ target }) => !isOwn(target, element, editor)).length;
  for (const record of records) {
    if (record.attributeName === "aria-hidden") withdraw(record.target);
    if (resting) noteRestless(record, now);
    if (resting || isRestless(record)) continue;
    current.watch.changes += 1;
    current.watch.last = now;
    changed.note(record, now);
  }
  if (current.watch.last === now) awaitIdle(current.watch);
};
// Idle is a page that has drawn a frame since, and has nothing in hand: no callback of that, and no
// other task than those of the least priority (https://wicg.github.io/scheduling-apis/).
const awaitIdle = (changing) => {
  changing.pace = "";
  changing.idles ||= becomeIdle(changing);
};
// Found where it is asked for, and not with each change: that lays out the page anew.
export const paceOf = (changing) => (changing.pace ||= mayGlide() ? "undrawn" : "busy");
const frame = () => new Promise(requestAnimationFrame);
const becomeIdle = async (changing) => {
  let last;
  do {
    await frame();
    last = changing.last;
    for (let more = paceOf(changing) === "undrawn" ? GLIDE_FRAMES : 0; more; more--) await frame();
    await scheduler.postTask(() => {}, { priority: "background" });
  } while (last !== changing.last);
  Object.assign(changing, { pace: "idle", idles: null });
};
// Returns when a pause is over, as far as nothing changes meanwhile: so many milliseconds without a
// change, fewer where the page was `idle` in them.
export const rested = async (token, pauses) => {
  const found = knownWatch(token);
  if (!found?.changes) return;
  const { last, idles } = found;
  const later = (ms) => new Promise((done) => setTimeout(done, ms - (performance.now() - last)));
  await Promise.race([Promise.all([idles, later(pauses.idle)]), later(pauses[paceOf(found)])]);
};
// Since when nothing has changed in what is to be watched: now, where that was not watched whole.
export const unchangedSince = (roots) => {
  const now = performance.now();
  if (!current.watch || documentSize() > LARGE) return now;
  const records = current.watch.observer.takeRecords();
  if (records.length) noteMutations(records);
  const known = new Set(current.watch.roots);
  return roots.every((root) => known.has(root)) ? Math.min(current.watch.unchanged, now) : now;
};
// For how many milliseconds nothing has changed, as far as that is known.
export const quietFor = () => performance.now() - current.watch.unchanged;
// What happened since `begin` with the same token; `same` tells whether it was in this document.
export const knownWatch = (token) => {
  if (!current.watch || !token || current.watch.token !== token) return null;
  noteMutations(current.watch.observer.takeRecords());
  return current.watch;
};

// The page's side of strap: it runs in an isolated world, so that a page can neither see nor change
// it. Commands are synchronous, and leave nothing behind that could act later.

import { barOf, isDisabled } from "./accessibility/attributes.js";
import { hearListeners } from "./accessibility/interactive.js";
import * as internals from "./accessibility/internals.js";
import { isSpoken, isWanted } from "./accessibility/internals.js";
import { description } from "./accessibility/name.js";
import { outlineTree } from "./accessibility/outline.js";
import { currentRef, elementOfRef, refer, tellRef } from "./accessibility/refs.js";
import { shellOf } from "./accessibility/stand_ins.js";
import { placesScope } from "./accessibility/text_refs.js";
import { cover, enter, focusField, insert, prepareFill } from "./actions/fill.js";
import { isStopped, pointerRest } from "./actions/guard.js";
import { marksOf, withControls } from "./actions/marks.js";
import { quietFor, rested } from "./actions/observer.js";
import { follow } from "./actions/person.js";
import { computed, isUnchanged, nodesOf, stamp } from "./actions/stamps.js";
import {
  aimed,
  beginWatch,
  changedSince,
  reportWatch,
  selects,
  watchIdle,
} from "./actions/watch.js";
import { layout } from "./audit/layout.js";
import { audit } from "./audit/rules.js";
import { missing, vitals } from "./audit/vitals.js";
import { isBusy, isMoving } from "./dom/animations.js";
import { captcha } from "./dom/captcha.js";
import { drawing } from "./dom/drawing.js";
import { elementAt, isShown, rectOf, visibleLabel } from "./dom/geometry.js";
import { imageOf } from "./dom/image_map.js";
import { isMasked } from "./dom/masked.js";
import { mediaIn } from "./dom/media.js";
import { restlessTexts } from "./dom/restless.js";
import { clip, describeElement, documentSize, focusedElement, isUpTo, within } from "./dom/tree.js";
import { isSeen } from "./dom/visibility.js";
import { copy, hearKey, paste, selectOption } from "./forms/entering.js";
import { selected } from "./forms/selection.js";
import * as uploads from "./forms/uploads.js";
import { heldBy } from "./forms/values.js";
import { clickPoint } from "./pointer/hit_test.js";
import { barrierControls, obstruction, opener, veilOver, widget } from "./pointer/obstruction.js";
import { places, topmost } from "./pointer/places.js";
import { ground, scrollBy, scrollTo } from "./pointer/scrolling.js";
import { resolveSelector, selectEvery, selectOne } from "./selectors.js";
import { hasVisibleText, visibleTexts } from "./text/find_visible.js";
import { textOf } from "./text/lines.js";
import {
  hiddenTexts,
  htmlOf,
  liftVeils,
  onward,
  veiledParts,
  withUnfolded,
} from "./text/markup.js";

const info = () => ({
  url: location.href,
  title: clip(document.title, 200),
  size: documentSize(),
  body: !!document.body,
  kind: document.contentType,
});
const problem = (why, more) => ({ ok: false, why, busy: isBusy(), ...more });
// Whether it is drawn, or is by what stands for it.
const isThere = (element) => isShown(element) || !!visibleLabel(element) || !!shellOf(element);
// Whether the element can be acted on, and where; if so, the watch on its document begins.
const check = (element, { token, at, rect, settled, drags, point = true, guard = point }) => {
  if (element.nodeType !== 1) return problem("gone");
  if (!isThere(element)) return problem("hidden", { around: widget(element), ...opener(element) });
  const bar = barOf(element, settled);
  if (bar) return problem("disabled", bar);
  const box = rectOf(element);
  if (!settled && isMoving(element)) {
    const still = rect?.every((value, index) => Math.abs(value - box[index]) <= 0.5);
    if (!still) return problem("moving", { rect: box, yields: true });
  }
  if (at && (at[0] < 0 || at[1] < 0 || at[0] > box[2] || at[1] > box[3]))
    return problem("outside", { final: true, kind: `${box[2] | 0} x ${box[3] | 0}` });
  const { x, y, by } = point ? clickPoint(element, at, drags) : {}; // it may scroll
  if (point && x === undefined) return problem("", obstruction(element, by));
  beginWatch(element, token, guard);
  const more = { rests: point ? pointerRest() : undefined, disabled: isDisabled(element) };
  const marks = marksOf(element);
  return { ok: true, x, y, rect: rectOf(element), framed: window !== top, marks, ...more };
};
// A look at all of the page; of nothing where what elements say of themselves has to be `learned`
// before that, and perhaps not whole where it has to be after it: `unasked`.
const outlined = (asked, learned, nodes) => {
  if (isSpoken() && !learned) return { unasked: true };
  watchIdle();
  const tree = outlineTree(asked, nodes);
  const unasked = isWanted() || undefined;
  return { ...info(), ...tree, restless: restlessTexts(), captcha: captcha(), unasked };
};
// What has the focus, in words, and which element that is.
const focus = () => {
  const found = focusedElement();
  return { focus: describeElement(found), ref: found ? refer(found) : "" };
};
const TIP = 300;
const EVERY = 500; // elements with the same mark
// Those of the elements that are in one of the containers, in shadow roots or not.
const contained = (elements, containers) =>
  elements.filter(
    (element) => element && containers.some((one) => one !== element && within(element, one)),
  );
let lastSeen = "";
let stored = [];
/** @type {import("./types").Commands} */
const commands = {
  check,
  info,
  fill: (element, asked) => prepareFill(element, { ...asked, check }),
  select: (element, asked) => selectOption(element, { ...asked, check }),
  focus: (element, asked) => focusField(element, { ...asked, check }),
  paste: paste,
  copy: copy,
  watch: (_, { token }) => {
    beginWatch(null, token);
    return { ...focus(), quiet: quietFor() };
  },
  focused: focus,
  selected: (_, { token }) => ({ selected: selects(token) ? selected() : "" }),
  // What a person is told of an element, of what has the focus, or of what is at a place.
  named: (element, { focus, x, y }) => {
    const meant = focus ? focusedElement() : x === undefined ? element : elementAt(x, y);
    const what = describeElement(meant);
    if (meant?.nodeType !== 1)
      return { ref: "", role: "", name: "", version: 0, what, secret: false, holds: "" };
    const secret = meant.matches("input, textarea") && isMasked(meant);
    return { ...tellRef(meant), what, secret, holds: secret ? "" : heldBy(meant) };
  },
  // With `look` a page of up to so many elements that changed, and does not move, is looked at too:
  // within `pauses` (`watching.rested`), to be looked at again after them, and then told only where that
  // is not what is `known`.
  report: (_, { token, look, learned, key, ...asked }) => {
    if (key && !isStopped()) hearKey("keyup");
    /** @type {import("./types").Report} */
    const told = { ...info(), ...reportWatch(token, asked) };
    if (!look || !told.changes || told.motion || !isUpTo(look.most)) return told;
    const { pauses, known } = look;
    if (told.quiet >= pauses?.[told.pace]) return told;
    const { unasked, ...seen } = outlined(look.places, learned);
    if (unasked) return { ...told, unasked };
    const text = pauses || known ? JSON.stringify(seen) : "";
    if (known && text === lastSeen) return { ...told, seen: true };
    if (pauses) lastSeen = text;
    return { ...told, outline: seen };
  },
  changed: (_, { token }) => changedSince(token),
  // Whether the document shows what it did at the look with that token, as far as scripts can tell.
  unchanged: (_, { token }) => {
    computed();
    return { unchanged: isUnchanged(token), ...info(), restless: restlessTexts() };
  },
  // A look: with a `token` it can be asked about later, with that of one `before` what was noted then
  // is told again.
  outline: (_, { token, before, places: asked, most = Infinity, learned, first }) => {
    if (documentSize() > most) return { ...info(), captcha: captcha() };
    if (first) return { ...outlined(asked, learned), drawing: drawing() };
    if (!token) return outlined(asked, learned, nodesOf(before));
    const nodes = new WeakMap();
    const told = outlined(asked, learned, nodes);
    return { ...told, kept: stamp(token, nodes) };
  },
  at: (_, { x, y }) => {
    const found = elementAt(x, y);
    const veil = veilOver(found);
    return { tag: found ? found.localName : "", what: describeElement(found), veil };
  },
  box: (element) => {
    const seen = imageOf(element) || element;
    seen.scrollIntoView({ block: "nearest", inline: "nearest", behavior: "instant" });
    const { innerWidth: width, innerHeight: height } = window;
    const told = { window: [width, height], framed: window !== top };
    if (isThere(element)) return { ...told, rect: rectOf(element) };
    return { ...told, rect: [0, 0, 0, 0], ...opener(element) };
  },
  aimed: (_, { token }) => {
    const element = aimed(token);
    return { rect: element && rectOf(element) };
  },
  resolve: (_, { path }) => resolveSelector(path),
  // What a selector finds, and its controls, or those of `inside` that are in something it finds.
  every: (_, { path, inside, controls }) => {
    const found = withControls(selectEvery(path).found ?? [], controls);
    const told = inside ? contained(inside.map(elementOfRef), found) : found.slice(0, EVERY);
    return { found: told.map((element) => [refer(element), isThere(element)]) };
  },
  // What authors put on these elements, in their order.
  marked: (_, { refs }) => ({
    found: refs.map((ref) => {
      const element = elementOfRef(ref);
      return element ? marksOf(element) : {};
    }),
  }),
  barrier: (element) => barrierControls(element),
  attributes: (element, { names }) => ({ values: names.map((name) => element.getAttribute(name)) }),
  view: () => ({ view: [innerWidth, innerHeight] }),
  places: (_, { refs, ...how }) => places(refs, how),
  audit: (element, { kinds, framed }) => ({ findings: audit(element, kinds, framed) }),
  layout: (_, { refs }) => layout(refs),
  topmost: (_, { at }) => ({ tags: topmost(at) }),
  cover: cover,
  enter: enter,
  // Some of what is stored, from entry `start` on; all of it is as it was at the first question.
  stored: (_, { start, most, entry }) => {
    if (start === 0) stored = Object.entries(localStorage);
    let end = start;
    for (let length = 0; end < stored.length && length <= most; end++)
      length += stored[end][0].length + stored[end][1].length + entry;
    const items = stored.slice(start, end).map(([name, value]) => ({ name, value }));
    const rest = end < stored.length;
    if (!rest) stored = [];
    return { items, rest };
  },
  store: (_, { items }) => {
    for (const { name, value } of items) localStorage.setItem(name, value);
    return {};
  },
  shown: (element) => ({ shown: isShown(element) }),
  described: (element) => ({ described: clip(description(element), TIP) }),
  has: (_, { text, most_ms: limit }) => ({ found: hasVisibleText(text, limit) }),
  // The texts of the document, or of all that a selector finds in it.
  texts: (_, { path, room, most_ms: limit }) => {
    if (!path) return visibleTexts(null, { room, limit });
    const { found = [], bad } = selectEvery(path);
    return bad ? { bad } : visibleTexts(found, { room, limit });
  },
  scroll: (element, asked) => {
    const target = element.nodeType === 1 ? element : null;
    beginWatch(target, asked.token);
    return asked.to || asked.dx || asked.dy ? scrollBy(target, asked) : scrollTo(target);
  },
  markup: (element, { lift, unfold }) => {
    // In one task with what is written of it: no script of the page has a say between them.
    if (lift) liftVeils();
    const written = () => htmlOf(element);
    return { ...info(), ...(unfold ? withUnfolded(written) : written()) };
  },
  onward: () => onward(),
  told: () => ({ html: hiddenTexts() }),
  veiled: () => veiledParts().count,
  text: (element) => {
    const text = textOf(element);
    return { ...info(), text, media: text ? [] : mediaIn(element) };
  },
};
// The element of a ref or of a selector, null if it is gone.
const find = ({ ref, selector }) => (ref ? elementOfRef(ref) : selectOne(selector));
const told = ({ op, ref, version, selector, ...asked }) => {
  const element = ref || selector ? find({ ref, selector }) : document;
  if (!element) return { gone: true };
  // Whoever asks by a ref means what it was called when it was shown.
  const now = version === undefined ? null : currentRef(element, version);
  return now && now.version !== version ? { renamed: now } : commands[op](element, asked);
};
const answered = (question) => {
  try {
    return told(question);
  } catch (error) {
    return { error: String(error) };
  }
};
const answer = (question) => JSON.stringify(answered(question)).toWellFormed();
// After `pauses` a promise of the answer: see `watching.rested`.
const ask = (question) =>
  question.pauses
    ? rested(question.token, question.pauses).then(() => answer(question))
    : answer(question);
export const script = {
  ask,
  missing: async () => JSON.stringify(await missing()),
  vitals: async () => JSON.stringify(await vitals()),
  fileField: (question) => {
    const element = question ? find(question) : document;
    return element && uploads.field(element);
  },
  // For DevTools: where listeners are looked for, and what was found to listen.
  scope: placesScope,
  ground: (question) => {
    const element = find(question);
    return element && ground(element);
  },
  hear: (...found) => hearListeners(found),
  internals,
  drawn: () =>
    document.hidden ||
    new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))),
  find,
  follow,
  insert: insert,
  isSeen: isSeen,
  refer: refer,
  uploads,
};

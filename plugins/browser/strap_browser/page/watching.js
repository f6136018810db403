// Watching what an action does to the document, and whether a click reaches what it is meant for.
const watching = (() => {
  const GESTURE = [
    "pointerdown",
    "mousedown",
    "pointerup",
    "mouseup",
    "click",
    "auxclick",
    "dblclick",
    "contextmenu",
  ];
  const OPENED = /^(about|blob|chrome.*|data|file|filesystem|https?|javascript):/i;
  const FRAMES = new Set(["embed", "frame", "iframe", "object"]);
  const EVERYTHING = { subtree: true, childList: true, characterData: true, attributes: true };
  const WATCH_MS = 10000;
  const GUARD_MS = 2000;
  const BLOCK_MS = 500;
  const TEXTS = 40;
  const SNIPPETS = 8;

  let watched = null;
  const begin = (element, token, guarded = false) => {
    end();
    watched = {
      token,
      element,
      guarded,
      hit: "",
      by: "",
      changes: 0,
      outside: 0,
      last: 0,
      texts: new Set(),
      began: performance.now(),
      blocking: 0,
      invalid: "",
      foreign: "",
      values: fields.values(element),
    };
    watched.observer = new MutationObserver(note);
    for (const root of elements.roots(element)) watched.observer.observe(root, EVERYTHING);
  };
  const end = () => {
    if (watched) watched.observer.disconnect();
    watched = null;
  };
  const note = (records) => {
    const { element, observer, began, texts } = watched;
    if (performance.now() > began + WATCH_MS) return observer.disconnect();
    const editor = element && code.editorOf(element);
    for (const { type, target } of records) {
      watched.changes += 1;
      const own =
        target === element ||
        (editor && editor.contains(target)) ||
        (!!element && element.isContentEditable && element.contains(target));
      if (!own) watched.outside += 1;
      if (type !== "attributes" && texts.size < TEXTS) {
        texts.add(target.nodeType === 1 ? target : target.parentElement);
      }
    }
    if (records.length) watched.last = performance.now();
  };
  // A page that renders anew puts another element in the place of the one that is meant: it is as
  // good if nothing else there is described the same.
  const replaced = (element, target) => {
    if (!element || element.isConnected) return false;
    const what = elements.describe(element);
    const alike = [...target.getRootNode().querySelectorAll(element.localName)].filter(
      (other) => elements.describe(other) === what,
    );
    return alike.length === 1 && elements.receives(target, alike[0]);
  };
  // A click that would reach something else than was meant is stopped before the page sees it.
  const guard = (event) => {
    if (!watched || !watched.guarded || !event.isTrusted) return;
    const now = performance.now();
    if (!watched.hit) {
      const [target] = event.composedPath();
      const { element } = watched;
      const meant = elements.receives(target, element) || replaced(element, target);
      watched.hit = meant ? "yes" : "no";
      if (watched.hit === "no") {
        watched.by = elements.describe(target);
        if (now < watched.began + GUARD_MS) watched.blocking = now + BLOCK_MS;
      }
    }
    if (now < watched.blocking) {
      event.preventDefault();
      event.stopImmediatePropagation();
    }
  };
  for (const type of GESTURE) addEventListener(type, guard, { capture: true, passive: false });

  // What came to lie where the mouse rests has been told so, but never saw it move: pages take that
  // for no wish of the user's, and some for one as soon as it moves on. Where it rests, if so.
  let moved = null;
  const move = (event) => {
    if (!event.isTrusted) return;
    const [over] = event.composedPath();
    moved = { x: event.clientX, y: event.clientY, over };
  };
  addEventListener("mousemove", move, { capture: true, passive: true });
  const rests = () => {
    if (!moved || window !== top || elements.at(moved.x, moved.y) === moved.over) return undefined;
    return [moved.x, moved.y];
  };

  // The browser does not send a form with a field that is not as it has to be.
  const refuse = (event) => {
    const [field] = event.composedPath();
    if (watched && !watched.invalid && event.isTrusted && field.validationMessage)
      watched.invalid = `${elements.describe(field)}: ${elements.clip(field.validationMessage, 150)}`;
  };
  addEventListener("invalid", refuse, true);
  // See programs.js, which is there sooner, but in strap's own browsers only.
  const keep = (event) => {
    const { url } = event.destination;
    if (!event.cancelable || OPENED.test(url)) return;
    event.preventDefault();
    if (watched) watched.foreign = elements.clip(url, 200);
  };
  if (globalThis.navigation) navigation.addEventListener("navigate", keep);

  const snippets = (found) => {
    const shown = new Set();
    for (const element of found) {
      if (!element || !element.isConnected || !element.checkVisibility()) continue;
      const text = elements.clip(element.innerText, 120);
      if (text) shown.add(text);
      if (shown.size >= SNIPPETS) break;
    }
    return [...shown];
  };
  // What happened since `begin` with the same token; `same` tells whether it was in this document.
  const report = (token, value) => {
    const known = watched && watched.token === token ? watched : null;
    if (!known) return { same: false };
    note(known.observer.takeRecords());
    const { element, hit, by, changes, last, invalid, foreign } = known;
    // A click into a frame is seen by its document alone; where it would go was checked before.
    const framed = !!element && FRAMES.has(element.localName);
    const outside = known.outside + (known.values !== fields.values(element));
    const idle = changes ? performance.now() - last : 1e6;
    const large = elements.size() > elements.LARGE;
    return {
      same: true,
      hit: framed ? "yes" : hit,
      by,
      changes,
      outside,
      idle,
      invalid,
      foreign,
      ...(value ? fields.state(element) : {}),
      ...(large ? { texts: snippets(known.texts) } : {}),
    };
  };

  // Whether anything changed since a large page was last looked at: it need not be read again.
  let stamped = null;
  const stamp = (token) => {
    if (stamped) stamped.observer.disconnect();
    const observer = new MutationObserver(() => {
      stamped.dirty = true;
      stamped.observer.disconnect();
    });
    stamped = { token, observer, values: fields.values(), focus: elements.focused(), dirty: false };
    for (const root of elements.roots()) observer.observe(root, EVERYTHING);
  };
  const isUnchanged = (token) => {
    if (!stamped || stamped.token !== token || stamped.dirty) return false;
    if (stamped.observer.takeRecords().length) stamped.dirty = true;
    return (
      !stamped.dirty && stamped.focus === elements.focused() && stamped.values === fields.values()
    );
  };

  return { begin, report, rests, stamp, isUnchanged };
})();

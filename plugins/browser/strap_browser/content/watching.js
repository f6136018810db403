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
  const BEGINNING = ["pointerdown", "keydown"];
  const ENTERING = ["keydown", "beforeinput"];
  const ENTERED = [...ENTERING, "keypress", "keyup"];
  const SCROLLING = ["scroll", "scrollend"];
  const OPENED = /^(about|blob|chrome.*|data|file|filesystem|https?|javascript):/i;
  const FRAMES = new Set(["embed", "frame", "iframe", "object"]);
  const PLAYERS = "audio[controls], video[controls]";
  const WATCH_MS = 10000;
  const GUARD_MS = 2000;
  const BLOCK_MS = 500;
  // The first step comes with the second frame, or the third where a script awaits one itself.
  const GLIDE_FRAMES = 3;

  // What a style sheet may go by in an element: its attributes, but those that say where the mouse
  // and the focus are.
  const WHERE = /^(tabindex$|data-(focus|hover|press|active))/;
  const looks = (element) =>
    [...(element?.attributes || [])]
      .filter(({ name }) => !WHERE.test(name))
      .map(({ name, value }) => `${name}=${value}`)
      .join(" ");
  // What else a page shows without a trace that an observer sees: popovers, shadow roots, its address.
  const untraced = (roots) => {
    const popovers = roots.flatMap((root) => [...root.querySelectorAll(":popover-open")]);
    return [location.href, roots.length, popovers.length].join(" ");
  };
  let watched = null;
  const begin = (element, token, guarded = false) => {
    if (token) mistrust();
    const roots = elements.roots(element);
    const unchanged = unchangedSince(roots);
    end();
    listen();
    const focused = elements.focused() !== document.body ? elements.focused() : null;
    const acted = element ? clicks.meantBy(element) : focused;
    watched = {
      token,
      element,
      guarded,
      hit: "",
      by: "",
      click: guarded && element ? new clicks.Click(element) : null,
      changes: 0,
      outside: 0,
      entered: null,
      keyed: false,
      strayed: "",
      whole: false,
      partly: false,
      last: 0,
      idles: null,
      pace: "busy",
      acted,
      looks: looks(acted),
      filling: document.fullscreenElement,
      scrolled: null,
      met: false,
      changed: new changes.Changes(acted),
      roots,
      began: performance.now(),
      unchanged,
      asked: Infinity,
      blocking: 0,
      invalid: "",
      foreign: "",
      values: fields.values(element, roots),
      untraced: untraced(roots),
      selected: fields.ends(),
    };
    watched.observer = new MutationObserver(note);
    for (const root of watched.roots) watched.observer.observe(root, changes.EVERYTHING);
  };
  const end = () => {
    if (watched) watched.observer.disconnect();
    watched = null;
  };
  const isOwn = (target, element, editor) =>
    target === element ||
    (!!editor && editor.contains(target)) ||
    (!!element && element.isContentEditable && element.contains(target));
  const note = (records) => {
    const { element, observer, began, asked, changed } = watched;
    const now = performance.now();
    const ends = now > began + WATCH_MS;
    if (ends || records.length) watched.unchanged = ends ? Infinity : now;
    if (ends) return observer.disconnect();
    const lines = element && code.editorOf(element);
    const editor = lines && !code.isTerminal(lines) ? lines : null;
    const resting = now > asked + changes.AT_REST_MS;
    for (const record of records) {
      if (!isOwn(record.target, element, editor)) watched.outside += 1;
      if (record.attributeName === "aria-hidden") outline.withdraw(record.target);
      if (resting) changes.noteRestless(record, now);
      if (resting || changes.isRestless(record)) continue;
      watched.changes += 1;
      watched.last = now;
      changed.note(record, now);
    }
    if (watched.last === now) awaitIdle(watched);
  };
  // Idle is a page that has drawn a frame since, and has nothing in hand: no callback of that, and no
  // other task than those of the least priority (https://wicg.github.io/scheduling-apis/).
  const awaitIdle = (changing) => {
    changing.pace = "";
    changing.idles ||= becomeIdle(changing);
  };
  // Found where it is asked for, and not with each change: that lays out the page anew.
  const paceOf = (changing) => (changing.pace ||= scrolling.mayGlide() ? "undrawn" : "busy");
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
  const rested = async (token, pauses) => {
    const found = known(token);
    if (!found?.changes) return;
    const { last, idles } = found;
    const later = (ms) => new Promise((done) => setTimeout(done, ms - (performance.now() - last)));
    await Promise.race([Promise.all([idles, later(pauses.idle)]), later(pauses[paceOf(found)])]);
  };
  // Since when nothing has changed in what is to be watched: now, where that was not watched whole.
  const unchangedSince = (roots) => {
    const now = performance.now();
    if (!watched || elements.size() > elements.LARGE) return now;
    const records = watched.observer.takeRecords();
    if (records.length) note(records);
    const known = new Set(watched.roots);
    return roots.every((root) => known.has(root)) ? Math.min(watched.unchanged, now) : now;
  };
  // For how many milliseconds nothing has changed, as far as that is known.
  const quiet = () => performance.now() - watched.unchanged;
  // Between actions, as far as it is not too long, only what changes by itself is of interest.
  const idle = () => {
    if (watched) return;
    begin(null, "");
    watched.asked = -changes.AT_REST_MS;
  };
  // Whether a field takes the click on what is in its label.
  const isTakenFrom = (element, field) =>
    element !== field && element.localName !== "label" && elements.liesOver(field, element);
  // What is clicked where the caller named a place.
  const meet = (target) => {
    if (target.nodeType !== 1) return;
    watched.met = true;
    watched.acted = clicks.meantBy(target);
    watched.click = new clicks.Click(watched.acted);
    watched.looks = looks(watched.acted);
    watched.changed = new changes.Changes(watched.acted);
  };
  // A click that would reach something else than was meant is stopped before the page sees it.
  const guard = (event) => {
    if (!watched || !event.isTrusted) return;
    const [target] = event.composedPath();
    if (!watched.element && !watched.met) meet(target);
    watched.click?.note(event, target);
    if (!watched.guarded) return;
    const now = performance.now();
    if (!watched.hit) {
      const { element } = watched;
      const meant = clicks.isFor(target, element);
      watched.hit = meant ? "yes" : "no";
      if (!meant || isTakenFrom(element, target)) watched.by = elements.describe(target);
      if (!meant && now < watched.began + GUARD_MS) watched.blocking = now + BLOCK_MS;
    }
    if (now < watched.blocking) {
      event.preventDefault();
      event.stopImmediatePropagation();
    }
  };

  // Keys are meant for the element alone: its page may have given the focus to something else since.
  const demandKeys = (demanded = true) => {
    watched.keyed = demanded && performance.now() + GUARD_MS;
  };
  const isKeyFor = (target, element) =>
    clicks.isFor(target, element) || (target.isContentEditable && elements.within(element, target));
  // The first one tells: those after it go where it leads the focus, or are stopped as it is.
  const guardKeys = (event) => {
    if (!watched || !isReal(event)) return;
    const [now, [target]] = [performance.now(), event.composedPath()];
    if (watched.keyed && ENTERING.includes(event.type)) {
      const meant = now > watched.keyed || isKeyFor(target, watched.element);
      watched.keyed = false;
      if (!meant) Object.assign(watched, { strayed: elements.describe(target), blocking: now + BLOCK_MS });
    }
    if (!watched.strayed || now >= watched.blocking) return;
    watched.blocking = now + BLOCK_MS;
    event.preventDefault();
    event.stopImmediatePropagation();
  };

  // What came to lie where the mouse rests has been told so, but never saw it move: pages take that
  // for no wish of the user's, and some for one as soon as it moves on. Where it rests, if so.
  let moved = null;
  const move = (event) => {
    if (!event.isTrusted) return;
    const [over] = event.composedPath();
    moved = { x: event.clientX, y: event.clientY, over };
  };
  const rests = () => {
    if (!moved || window !== top || elements.at(moved.x, moved.y) === moved.over) return undefined;
    return [moved.x, moved.y];
  };

  // What the page scrolls once it heard of the action.
  const hold = (event) => {
    if (event.isTrusted) mistrust();
    if (!watched || watched.scrolled || !event.isTrusted) return;
    watched.scrolled = new scrolling.Scrolled(event.composedPath());
    for (const root of watched.roots) if (root !== document) hearScrolling(root);
  };
  const noteScrolling = (event) => scrolling.note(event, watched?.scrolled);
  // It is not heard beyond a shadow root.
  const hearScrolling = (target) => {
    for (const type of SCROLLING) target.addEventListener(type, noteScrolling, { capture: true, passive: true });
  };

  // The browser does not send a form with a field that is not as it has to be.
  const refuse = (event) => {
    const [field] = event.composedPath();
    if (watched && !watched.invalid && event.isTrusted && field.validationMessage)
      watched.invalid = `${elements.describe(field)}: ${elements.clip(field.validationMessage, 150)}`;
  };
  // See programs.js, which is there sooner, but in strap's own browsers only.
  const keep = (event) => {
    const { url } = event.destination;
    if (!event.cancelable || OPENED.test(url)) return;
    event.preventDefault();
    if (watched) watched.foreign = elements.clip(url, 200);
  };
  if (globalThis.navigation) navigation.addEventListener("navigate", keep);

  // Tells of a text before strap enters it itself (`fields.insert`); returns whether nobody minds.
  let own = null;
  const enters = (field, text) => {
    const input = { inputType: "insertText", data: text };
    own = new InputEvent("beforeinput", { ...input, bubbles: true, cancelable: true, composed: true });
    return field.dispatchEvent(own);
  };
  const isReal = (event) => event.isTrusted || event === own;

  // What came after the last input answers it; what came before answers the focus.
  const enter = (event) => {
    if (!watched || !event.isTrusted) return;
    note(watched.observer.takeRecords());
    watched.entered = watched.outside;
  };

  // As a field got the focus its page may have set another value, and selected a part of that: a text
  // that would replace no more than this part is not entered.
  const demandWhole = () => {
    watched.whole = true;
  };
  const replace = (event) => {
    if (!watched?.whole || !isReal(event) || !event.cancelable) return;
    const [{ selectionStart, selectionEnd, value }] = event.composedPath();
    if (typeof selectionStart !== "number" || selectionEnd - selectionStart >= value.length) return;
    watched.partly = true;
    event.preventDefault();
    event.stopImmediatePropagation();
  };

  // What has the focus instead of the element, and whether that may have got what was entered: a text is
  // heard by fields alone, and nothing that goes to a frame.
  const strayed = ({ strayed, keyed, element }) => {
    const focused = elements.focused();
    if (strayed) return { strayed };
    return keyed && focused && element.ownerDocument === document && !isKeyFor(focused, element)
      ? { strayed: elements.describe(focused), unstopped: true }
      : {};
  };
  // Whether what was to be entered was stopped.
  const isStopped = () => !!(watched?.partly || watched?.strayed);

  // A page that is written anew (`document.open`) has no listeners any more, and the same script.
  const listen = () => {
    for (const type of GESTURE) addEventListener(type, guard, { capture: true, passive: false });
    for (const type of ENTERED) addEventListener(type, guardKeys, { capture: true, passive: false });
    for (const type of BEGINNING) addEventListener(type, hold, { capture: true, passive: true });
    hearScrolling(window);
    addEventListener("mousemove", move, { capture: true, passive: true });
    addEventListener("invalid", refuse, true);
    addEventListener("beforeinput", replace, true);
    addEventListener("input", enter, true);
  };

  // What happened since `begin` with the same token; `same` tells whether it was in this document.
  const known = (token) => {
    if (!watched || !token || watched.token !== token) return null;
    note(watched.observer.takeRecords());
    return watched;
  };
  const moving = ({ acted, changed, element, met, began, roots }, now, drags) =>
    elements.motion(met ? acted : element, began, roots, drags) || Number(changed.isAnimated(now));
  // Whether something may look different without a trace: what is painted by scripts, has got other
  // attributes, or fills the screen.
  const isDrawn = ({ acted, changes, filling, looks: before, roots }) =>
    filling !== document.fullscreenElement ||
    (!!acted && (uses.isDrawn(acted) || before !== looks(acted))) ||
    (!changes && roots.some((root) => [...root.querySelectorAll("canvas")].some(elements.isSeen)));
  // What was dragged is on its way itself, to where it was dropped.
  const report = (token, { value, rest, drags }) => {
    const found = known(token);
    if (!found) return { same: false };
    const { acted, element, entered, hit, by, last, invalid, foreign } = found;
    const isSet = found.values !== fields.values(element, found.roots);
    const isElsewhere = !!value && found.untraced !== untraced(elements.roots(element));
    const outside = found.outside + isSet + isElsewhere;
    const now = (found.asked = performance.now());
    const awaited = !!value && fields.isAnswered(acted);
    const awaitsRest = rest || awaited;
    const glides = awaitsRest && !!found.scrolled?.isMoving(now);
    const motion = awaitsRest ? moving(found, now, drags) || Number(glides) : 0;
    // A click into a frame is seen by its document alone, and one on the controls that the browser
    // draws for a player by those; where it would go was checked before.
    const unseen = !!element && (FRAMES.has(element.localName) || (!hit && element.matches(PLAYERS)));
    return {
      same: true,
      hit: unseen ? "yes" : hit,
      by,
      ...strayed(found),
      changes: found.changes,
      outside,
      quiet: found.changes ? performance.now() - last : 1e6,
      pace: paceOf(found),
      lost: hit === "no" ? undefined : found.click?.lost(),
      motion,
      glides,
      invalid,
      foreign,
      drawn: isDrawn(found),
      scrolled: found.scrolled?.told() || undefined,
      ...(value ? { partly: found.partly, ...fields.state(element) } : {}),
      ...(awaited ? { awaited, answered: entered === null || outside > entered } : {}),
    };
  };
  // Whether something else is selected since `begin`.
  const selects = (token) => {
    const ends = fields.ends();
    return !!known(token)?.selected.some((end, index) => end !== ends[index]);
  };
  // What changed since `begin` on a page that is too large to be compared.
  const changed = (token) => {
    const found = known(token);
    return found ? { id: refs.id(), url: location.href, ...found.changed.told() } : {};
  };

  // Whether anything changed since a large page was last looked at: it need not be read again. Much of
  // what an action does leaves no trace, as style sheets, shadow roots and frames do.
  let stamped = null;
  const mistrust = () => {
    if (stamped) stamped.dirty = true;
  };
  const stamp = (token) => {
    if (stamped) stamped.observer.disconnect();
    const observer = new MutationObserver(() => {
      stamped.dirty = true;
      stamped.observer.disconnect();
    });
    stamped = { token, observer, values: fields.values(), focus: elements.focused(), dirty: false };
    for (const root of elements.roots()) observer.observe(root, changes.EVERYTHING);
  };
  const isUnchanged = (token) => {
    if (!stamped || stamped.token !== token || stamped.dirty) return false;
    if (stamped.observer.takeRecords().length) stamped.dirty = true;
    return (
      !stamped.dirty && !internals.isSpoken() && stamped.focus === elements.focused() && stamped.values === fields.values()
    );
  };

  // The element of the last action, as long as it is there.
  const aimed = (token) => {
    const element = watched?.token === token ? watched.element : null;
    return element?.isConnected && elements.isShown(element) ? element : null;
  };

  return {
    aimed,
    begin,
    changed,
    demandKeys,
    demandWhole,
    enters,
    idle,
    isStopped,
    isUnchanged,
    quiet,
    report,
    rested,
    rests,
    selects,
    stamp,
  };
})();

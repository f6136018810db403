// What changes on a page: what of it would be told where the page is too large to be compared as
// a whole, and what changes all the time, whatever is done to the page.
const changes = (() => {
  const EVERYTHING = { subtree: true, childList: true, characterData: true, attributes: true };
  const MOST = 40;
  const AT_ONCE = 500;
  const LINES = 8;
  const LENGTH = 120;
  const PART = 300;
  const FEW = 5;
  const AT_REST_MS = 1000;
  const APART_MS = 50;
  const FRAME_MS = 8;
  const FRAMES_MS = 50;
  const FIRST_MS = 50;
  const MOTION_MS = 600;
  // What is there all the time, and is shown when it is needed.
  const POPUPS =
    "dialog, [popover], [role=alert], [role=alertdialog], [role=dialog], [role=listbox], " +
    "[role=menu], [role=status], [role=tooltip]";
  const SHOWING = new Set(["hidden", "open"]);
  // What does not say how a shape is drawn, or is not set frame by frame.
  const NAMES = /^(aria|class|data|id|role|tabindex)/;

  // ---- what changes by itself: clocks, counters, what a script turns ----
  const texts = new Map();
  const attributes = new WeakMap();
  const kindOf = ({ type }) => (type === "attributes" ? attributes : texts);
  const holder = ({ type, target }) => (type === "characterData" ? target.parentElement : target);
  const noteRestless = (record, now) => {
    if (isDrawing(record)) noteRun(record.target, now);
    const [kind, element] = [kindOf(record), holder(record)];
    if (!element || element === document || elements.isRoot(element) || (kind.size >= MOST && !kind.has(element))) return;
    const { times, last } = kind.get(element) || { times: 0, last: -APART_MS };
    if (now - last >= APART_MS) kind.set(element, { times: times + 1, last: now });
  };
  const isRestless = (record) => kindOf(record).get(holder(record))?.times > 1;
  const isRestlessIn = (element) => texts.get(element)?.times > 1;
  // The texts of what changed more than once without any action.
  const restless = () =>
    [...texts]
      .filter(([element, { times }]) => times > 1 && element.isConnected)
      .filter(([{ childElementCount }]) => childElementCount <= FEW)
      .map(([element]) => names.clean(element.textContent).slice(0, LENGTH))
      .filter(Boolean);

  // ---- what a script moves: it sets a style, or how a shape is drawn, frame by frame ----
  const isDrawing = ({ attributeName: name, target }) =>
    name === "style" || (!!name && target instanceof SVGElement && !NAMES.test(name));
  // The shapes of a picture move as one.
  const moved = (target) => target.ownerSVGElement || target;
  const runs = new WeakMap();
  const isLong = ({ again, last }) => again > 0 && last - again > AT_REST_MS;
  // Since when it is drawn `again` and again. What once went on for long does so whenever it moves.
  const noteRun = (target, now) => {
    const known = runs.get(moved(target));
    const goesOn = !!known && (isLong(known) || now - known.last < FRAMES_MS);
    const run = goesOn ? known : { first: now, again: 0 };
    if (!run.again && now - run.first >= FRAME_MS) run.again = now;
    run.last = now;
    runs.set(moved(target), run);
    return run;
  };
  // What is farther than a window from what is seen does not come to it by such a motion.
  const isNear = (element) => {
    if (!isShown(element)) return false;
    const { bottom, left, right, top } = element.getBoundingClientRect();
    const [width, height] = [innerWidth, innerHeight];
    return right > -width && bottom > -height && left < 2 * width && top < 2 * height;
  };

  // ---- what an action changed ----
  const isShown = (element) => element.isConnected && element.checkVisibility();
  const shownText = (element) => (isShown(element) ? elements.clip(element.innerText, LENGTH) : "");
  const line = (element) => {
    if (!element || !element.isConnected) return null;
    const [node] = outline.line(element);
    if (!node || typeof node === "string") return null;
    return { ...node, marks: (node.marks || []).filter((mark) => mark !== "focused") };
  };
  const within = (node, element) => !!element && element.contains(node);
  const isInside = (element, others) => others.some((other) => other !== element && other.contains(element));
  const isFading = ({ style }) => !!style && (style.opacity !== "" || style.overflow === "hidden");
  // The picture on a control is changed at once.
  const isShape = (element) =>
    element instanceof SVGGeometryElement && !elements.closest(element, elements.CONTROL);
  const shownPopups = () => [...document.querySelectorAll(POPUPS)].filter(isShown);
  const named = (node) =>
    elements.clip(node.getAttribute?.("aria-label") || node.textContent, LENGTH);
  class Changes {
    constructor(acted) {
      const large = elements.size() > elements.LARGE;
      this.acted = acted;
      this.control = acted && acted.matches(elements.CONTROL) ? acted : null;
      this.before = large ? line(acted) : null;
      this.popups = new Set(large ? shownPopups() : []);
      this.added = new Set();
      // With what each was in.
      this.removed = new Map();
      this.texts = new Set();
      this.began = performance.now();
      this.drawn = new Set();
      this.frame = null;
    }
    note(record, now) {
      if (isDrawing(record)) this.noteDrawn(record.target, now);
      const { type, target, addedNodes, removedNodes, attributeName } = record;
      if (this.added.size + this.removed.size + this.texts.size > MOST) return;
      if (type === "characterData") this.texts.add(target);
      for (const node of [...addedNodes].slice(0, AT_ONCE)) (node.nodeType === 1 ? this.added : this.texts).add(node);
      for (const node of [...removedNodes].slice(0, AT_ONCE)) this.removed.set(node, target);
      if (SHOWING.has(attributeName)) this.added.add(target);
    }
    noteDrawn(target, now) {
      const run = noteRun(target, now);
      if (target === this.acted || target === document.body) return;
      this.drawn.add(moved(target));
      if (run.again || this.frame?.last === now) return;
      if (isShape(target) && isNear(moved(target))) this.awaitFrame(now);
    }
    // Whether a shape is drawn again is known after the next frame: what the page asked for then was
    // asked for before this.
    awaitFrame(now) {
      if (this.frame) {
        this.frame.last = now;
        return;
      }
      const frame = (this.frame = { asked: now, last: now });
      requestAnimationFrame(() => {
        this.frame = null;
        if (frame.last > frame.asked) this.awaitFrame(frame.last);
      });
    }
    // What moved before, and what goes on for long, is no answer.
    isAnimated(now) {
      if (this.frame && now - this.frame.last < FIRST_MS) return true;
      const moves = (element) => {
        const { again, last } = runs.get(element);
        if (!again) return isFading(element) && now - last < FIRST_MS;
        return again >= this.began && now - again < MOTION_MS && now - last < FRAMES_MS;
      };
      return [...this.drawn].some((element) => moves(element) && isNear(element));
    }
    // A text together with what it stands in, unless that is more than the text.
    textOf(node) {
      const around = node.parentElement;
      if (!around || !isShown(around) || within(around, this.control)) return "";
      return elements.clip(around.textContent.length > LENGTH ? node.data : around.innerText, LENGTH);
    }
    // What was written again as it was: what went, and the same that came in its place.
    rewritten() {
      const [came, same] = [new Map(), new Set()];
      const key = (node) => `${node.nodeName} ${names.clean(node.textContent)}`;
      for (const node of [...this.added, ...this.texts]) came.set(key(node), [...(came.get(key(node)) || []), node]);
      for (const [node, place] of this.removed) {
        const match = !node.isConnected && came.get(key(node))?.find((one) => one.parentNode === place && !same.has(one));
        if (match) same.add(node).add(match);
      }
      return same;
    }
    // The line of the element acted on if that is another now, the outlines of what came, and
    // the texts of the rest.
    told() {
      const [before, now] = [this.before, this.before && line(this.acted)];
      const popups = shownPopups().filter((node) => !this.popups.has(node));
      const came = [...new Set([...this.added, ...popups])].filter(isShown);
      const around = came.filter((node) => !isInside(node, came) && !within(node, this.control));
      const same = this.rewritten();
      const isNews = (node) => !same.has(node) || !!node.querySelector?.(elements.CONTROL);
      const outer = around.filter(isNews);
      const isPart = (node) => node.getElementsByTagName("*").length <= PART;
      const gone = [...this.removed.keys()].filter((node) => !node.isConnected && !same.has(node));
      gone.push(...[...this.popups].filter((node) => node.isConnected && !isShown(node)));
      const lines = [
        ...outer.filter((node) => !isPart(node)).map((node) => ["+", shownText(node)]),
        ...[...this.texts].filter(isNews).map((node) => [
          "~",
          came.some((other) => other.contains(node)) ? "" : this.textOf(node),
        ]),
        ...gone.map((node) => ["-", named(node)]),
      ];
      const said = lines.filter(([, text]) => text).map((words) => words.join(" "));
      return {
        own: now && JSON.stringify(now) !== JSON.stringify(before) ? [now] : [],
        renamed: !!now && now.name !== before.name,
        came: outer.filter(isPart).slice(0, LINES).flatMap(outline.part),
        lines: [...new Set(said)].slice(0, LINES),
        restless: restless(),
      };
    }
  }
  return { AT_REST_MS, Changes, EVERYTHING, isRestless, isRestlessIn, noteRestless, restless };
})();

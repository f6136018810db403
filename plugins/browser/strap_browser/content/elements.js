// Elements: what to call them, where they are, whether they can be acted on.
const elements = (() => {
  // Firefox does some things otherwise, of which nothing else tells.
  const isFirefox = "mozInnerScreenX" in globalThis;
  // As in keyframes, where `offset` is no property.
  const MOVES =
    /^(transform|translate|scale|rotate|offset[A-Z]|cssOffset|inset|margin|width|height|top|left|right|bottom)/;
  const SHOWS = /^(opacity|visibility|display|overlay|content|clip|max|min|grid|flex|block|inline)/;
  const MOTION_MS = 600;
  const FRAME_MS = 20;
  const FORM_CONTROL = "button, input, select, textarea, option, optgroup";
  const CONTROL =
    "a, button, input, label, option, select, summary, textarea, [contenteditable], [role=button], " +
    "[role=checkbox], [role=link], [role^=menuitem], [role=option], [role=radio], [role=switch], " +
    "[role=tab]";
  const LARGE = 3000;

  const clip = (text, most) => {
    const words = String(text || "")
      .replace(/\s+/g, " ")
      .trim();
    return words.length > most ? words.slice(0, most) + "…" : words;
  };
  const describe = (element) => {
    if (!element || element.nodeType !== 1) return "the page";
    const id = element.id ? "#" + clip(element.id, 40) : "";
    const names = [...element.classList]
      .slice(0, 2)
      .map((name) => "." + clip(name, 30))
      .join("");
    const label = element.labels && element.labels[0] && element.labels[0].innerText;
    const text = clip(element.getAttribute("aria-label") || label || element.innerText, 60);
    return `<${element.localName}${id || names}>` + (text ? ` ${JSON.stringify(text)}` : "");
  };
  const size = () => document.getElementsByTagName("*").length;

  // ---- styles ----
  // They are live: one that is kept need not be made again, which is half of what asking costs. Those
  // of a large page would take memory, and a page may be looked at only once.
  const styles = { "": new WeakMap(), "::before": new WeakMap(), "::after": new WeakMap() };
  let [looks, keeps] = [0, false];
  const styleOf = (element, pseudo = "") => {
    const kept = keeps && styles[pseudo].get(element);
    if (kept) return kept;
    const style = getComputedStyle(element, pseudo);
    if (keeps) styles[pseudo].set(element, style);
    return style;
  };
  // Before all of the page is looked at.
  const anew = () => {
    keeps = looks++ > 0 && size() <= LARGE;
  };

  // ---- the tree with shadow roots and slots ----
  const parentOf = (node) => node.assignedSlot || node.parentNode || node.host || null;
  // The document's own two, which are the page as a whole.
  // What holds all that is shown: the body, or the root where something is shown beside that.
  const top = () => {
    const { body, documentElement: root } = document;
    const isAlone = body && [...root.children].every((one) => one === body || !one.checkVisibility());
    return isAlone ? body : root;
  };
  const isRoot = (node) => node === document.body || node === document.documentElement;
  const within = (node, ancestor) => {
    for (; node; node = parentOf(node)) if (node === ancestor) return true;
    return false;
  };
  // Whether no shadow root is around the element: the browser's own search finds the same then, sooner.
  const isPlain = (element) => {
    for (let node = element; node; node = node.parentElement) if (node.assignedSlot) return false;
    return element.getRootNode() === document;
  };
  const closest = (element, selector) => {
    if (isPlain(element)) return element.closest(selector);
    for (let node = element; node; node = parentOf(node)) {
      if (node.nodeType === 1 && node.matches(selector)) return node;
    }
    return null;
  };
  // A text in a host is drawn where its slot is, and so hits what that is in, not the host.
  const at = (x, y) => {
    let found = null;
    for (let root = document; root; root = found.shadowRoot) {
      let next = root.elementFromPoint(x, y);
      if (found && next?.getRootNode() !== root) [next] = root.elementsFromPoint(x, y);
      if (!next || (found && next.getRootNode() !== root)) break;
      found = next;
    }
    return (found?.localName === "img" && areas.at(found, x, y)) || found;
  };
  const focused = () => {
    let active = document.activeElement;
    while (active && active.shadowRoot && active.shadowRoot.activeElement) {
      active = active.shadowRoot.activeElement;
    }
    return active;
  };
  // The document and its open shadow roots; on a large page only those that `element` is in.
  const roots = (element) => {
    const found = [document];
    const add = (root) => {
      for (const { shadowRoot } of root.querySelectorAll("*")) {
        if (!shadowRoot) continue;
        found.push(shadowRoot);
        add(shadowRoot);
      }
    };
    if (size() <= LARGE) add(document);
    else for (let node = element; node; node = parentOf(node)) if (node.host) found.push(node);
    return found;
  };
  // Whether it is drawn, and nothing makes it transparent.
  const CLEAR = { visibilityProperty: true, opacityProperty: true };
  const isClear = (element) => element.checkVisibility(CLEAR);
  // Whether no more elements than that are directly in it: to count them takes time for each.
  const holdsUpTo = (element, most) => !element.children[most];
  // Whether there are no more elements than that, with those in shadow roots.
  const isUpTo = (most) => {
    if (size() > most) return false;
    const counts = roots().map((root) => root.querySelectorAll("*").length);
    return counts.reduce((sum, count) => sum + count) <= most;
  };

  // ---- states ----
  // What has no box of its own is where its parts are.
  const isContents = (element) => getComputedStyle(element).display === "contents";
  const isLarge = ({ width, height }) => width >= 1 && height >= 1;
  const rangeOf = (node) => {
    const range = document.createRange();
    range.selectNodeContents(node);
    return range;
  };
  // A closed <details> shows its summary alone, unless a style sheet shows the rest.
  const isFolded = (element) =>
    element.localName === "details" &&
    !element.open &&
    getComputedStyle(element, "::details-content").contentVisibility !== "visible";
  const summaries = (details) =>
    [...details.children].filter(({ localName }) => localName === "summary").slice(0, 1);
  // Whether the browser draws a summary of its own in it, which no script finds.
  const opensItself = (element) => element.localName === "details" && !summaries(element).length;
  // Whether what has no box of its own is in one that is drawn, with what is in that.
  const isInBox = (element) => {
    let [part, box] = [element, element];
    while (box && (box.nodeType !== 1 || isContents(box))) [part, box] = [box, parentOf(box)];
    if (!box?.checkVisibility() || getComputedStyle(box).contentVisibility === "hidden") return false;
    return !isFolded(box) || summaries(box).includes(part);
  };
  // One by one: mostly it is asked whether there is any.
  function* partRects(element) {
    const showsTexts = getComputedStyle(element).visibility === "visible";
    for (const node of names.inside(element)) {
      if (node.nodeType === 3 && showsTexts) yield* [...rangeOf(node).getClientRects()].filter(isLarge);
      if (node.nodeType === 1) yield* isContents(node) ? partRects(node) : rects(node);
    }
  }
  // What a style sheet draws in an element that has no size of its own, as the knob of a slider.
  const drawnIn = (element) => {
    const { position, overflow } = getComputedStyle(element);
    if (position === "static" || overflow !== "visible") return [];
    const { left, top } = element.getBoundingClientRect();
    const found = ["::before", "::after"].map((pseudo) => {
      const style = getComputedStyle(element, pseudo);
      if (style.content === "none" || style.position !== "absolute") return new DOMRect();
      const { e, f } = new DOMMatrix(style.transform);
      const [x, y] = [parseFloat(style.left) + parseFloat(style.marginLeft), parseFloat(style.top) + parseFloat(style.marginTop)];
      return new DOMRect(left + x + e, top + y + f, parseFloat(style.width), parseFloat(style.height));
    });
    return found.filter(isLarge);
  };
  const rects = (element) => {
    const image = areas.imageOf(element);
    if (image) return isShown(image) ? [areas.boxOf(element, image)] : [];
    if (element.checkVisibility({ visibilityProperty: true })) {
      const own = [...element.getClientRects()].filter(isLarge);
      return own.length || element.tabIndex < 0 ? own : drawnIn(element);
    }
    return isContents(element) && isInBox(element) ? partRects(element) : [];
  };
  const visibleRects = (element) => [...rects(element)];
  const isShown = (element) => {
    for (const _ of rects(element)) return true;
    return false;
  };
  // What a control that is not drawn itself is drawn by.
  const visibleLabel = (element) =>
    [...(element.labels || []), code.editorOf(element)].find((label) => label && isShown(label));
  // `plain`: where it is known that no shadow root is around the element.
  const isDisabled = (element, plain = isPlain(element)) => {
    const around = (selector) => (plain ? element.closest(selector) : closest(element, selector));
    const control = around(FORM_CONTROL);
    const barred = (!!control && control.matches(":disabled")) || !!around("[aria-disabled=true]");
    return barred || aria.is(element, "aria-disabled");
  };
  const changesAny = (effect, properties) =>
    effect.getKeyframes().some((frame) => Object.keys(frame).some((key) => properties.test(key)));
  // Whether it begins to show something, or is about to.
  const SOON_MS = 500;
  const changesOpacity = ({ playState, currentTime, timeline, effect }) => {
    if (playState !== "running" || timeline !== document.timeline || !effect) return false;
    const { delay, iterations } = effect.getComputedTiming();
    const soon = iterations !== Infinity && delay - (currentTime || 0) <= SOON_MS;
    return soon && changesAny(effect, /^opacity$/);
  };
  const isMoving = (element) =>
    document.getAnimations().some(({ playState, effect }) => {
      if (playState !== "running" || !effect || !within(element, effect.target)) return false;
      return changesAny(effect, MOVES);
    });
  // Whether what moves is but a control itself, or a part without text of one or of `element`: the
  // ripple of a button tells nothing, nor does a button that the mouse left.
  const isOwn = (target, element) =>
    target === element ||
    target.matches(CONTROL) ||
    (!target.textContent.trim() && (within(target, element) || !!closest(target, CONTROL)));
  // Milliseconds until what began to change its look since then, elsewhere or anywhere, has done so.
  const motion = (element, since, roots, anywhere) => {
    if (document.hidden) return 0;
    const left = ({ playState, startTime, currentTime, playbackRate, timeline, effect }) => {
      if (playState !== "running" || timeline !== document.timeline || !effect?.target) return 0;
      if (startTime !== null && startTime < since - FRAME_MS) return 0;
      const ms = (effect.getComputedTiming().endTime - currentTime) / Math.abs(playbackRate);
      if (!(ms <= MOTION_MS) || (!anywhere && isOwn(effect.target, element))) return 0;
      return changesAny(effect, SHOWS) || changesAny(effect, MOVES) ? Math.max(ms, 1) : 0;
    };
    return Math.max(0, ...roots.flatMap((root) => root.getAnimations()).map(left));
  };
  const isBusy = () => {
    const ends = ({ playState, effect }) =>
      playState === "running" && !!effect && effect.getComputedTiming().iterations !== Infinity;
    return document.readyState !== "complete" || document.getAnimations().some(ends);
  };
  // Where its transforms lead (CSS Transforms 2, 5.1).
  const turn = ({ transform, rotate }) => {
    const [, axis, angle] = /^(.*?) ?(\S+)$/.exec(rotate === "none" ? "0deg" : rotate);
    const turned = /^[xyz]?$/.test(axis) ? `rotate${axis}(${angle})` : `rotate3d(${axis.split(" ")}, ${angle})`;
    return new DOMMatrix(turned).multiply(new DOMMatrix(transform));
  };
  // Whether it is turned away, as one side of a card is, together with what it is drawn in one space with.
  const isTurned = (element, style) => {
    if (style.backfaceVisibility !== "hidden") return false;
    let matrix = turn(style);
    for (let node = parentOf(element); node?.nodeType === 1; node = parentOf(node)) {
      const around = getComputedStyle(node);
      if (around.transformStyle !== "preserve-3d") break;
      matrix = turn(around).multiply(matrix);
    }
    return matrix.m33 < 0;
  };
  // Whether nobody sees what is in it, though it is drawn, unless that escapes it. `clear`: whether it
  // is known that nothing makes it transparent.
  const isVeiled = (element, style, { width, height }, clear) =>
    (!clear && style.opacity === "0") ||
    isTurned(element, style) ||
    ((width <= 1 || height <= 1) && (cutsOff(element, style) || isFlattened(element)));
  // What has no box cuts nothing off, nor do the document's own two, whose style is the window's.
  const cutsOff = (element, { overflow, display }) =>
    overflow !== "visible" && display !== "contents" && !isRoot(element);
  // Whether it has a size that a transform makes none, and with it whatever is in it.
  const isFlattened = ({ offsetWidth, offsetHeight }) => offsetWidth > 1 && offsetHeight > 1;
  // Whether somebody sees it out of what veils all else that is in it: what is too small to show
  // anything cuts off only what is placed in it (CSS 2.1, 11.1.1), which what is absolute or fixed may
  // not be.
  const escapes = (element, { position }, veil) => {
    if (position !== "absolute" && position !== "fixed") return false;
    if (getComputedStyle(veil).clipPath !== "none" || !isClear(element)) return false;
    const around = extents.holder(element);
    return !around || !within(around, veil);
  };
  // All that does, the outermost of each.
  function* escaped(veil, inside = veil) {
    for (const node of names.inside(inside)) {
      if (node.nodeType !== 1) continue;
      const style = getComputedStyle(node);
      if (style.display === "none") continue;
      if (escapes(node, style, veil)) yield node;
      else yield* escaped(veil, node);
    }
  }
  // Whether it is drawn where somebody sees it.
  const isSeen = (element) => {
    const extent = new extents.Extent();
    if (!isShown(element) || extent.isOff(element, element.getBoundingClientRect())) return false;
    // What is around it can make it transparent, but cut it off only where it is placed in that.
    let placed = element;
    for (let node = element; node; node = parentOf(node)) {
      const holds = node === placed;
      if (holds) placed = extents.holder(node);
      if (node.nodeType !== 1) continue;
      const style = getComputedStyle(node);
      if (holds ? isVeiled(node, style, node.getBoundingClientRect()) : style.opacity === "0") return false;
    }
    return true;
  };
  // Whether nobody sees the texts in it, or in what is drawn before or after its content: what else is
  // in it may have a size of its own, as the items of a list without gaps have.
  const isTiny = (element, pseudo) => styleOf(element, pseudo).fontSize === "0px";
  const union = (rects) => {
    let { left, top, right, bottom } = rects[0];
    for (const one of rects) {
      [left, top] = [Math.min(left, one.left), Math.min(top, one.top)];
      [right, bottom] = [Math.max(right, one.right), Math.max(bottom, one.bottom)];
    }
    return new DOMRect(left, top, right - left, bottom - top);
  };
  const boxOf = (element) => {
    const image = areas.imageOf(element);
    if (image) return areas.boxOf(element, image);
    const box = element.getBoundingClientRect();
    const parts = isLarge(box) ? [] : visibleRects(element);
    return parts.length ? union(parts) : box;
  };
  const rectOf = (element) => {
    const rect = boxOf(element);
    return [rect.left, rect.top, rect.width, rect.height];
  };

  // ---- where to click ----
  // Whether `hit` is what draws a box to tick that is transparent, or that the browser does not draw: as
  // small, in its place, without a text and no other control.
  const BOXES = "input[type=checkbox], input[type=radio]";
  const OTHERS = `:is(${CONTROL}):not(label)`;
  const DRAWING = 40;
  const isSmall = ({ width, height }) => width <= 2 * DRAWING && height <= DRAWING;  // as of a switch
  const drawsItself = (box) => isClear(box) && getComputedStyle(box).appearance !== "none";
  const draws = (hit, box) => {
    if (!box.matches(BOXES) || drawsItself(box) || !box.checkVisibility()) return false;
    if (hit.localName === "img" || hit.textContent.trim() || closest(hit, CONTROL)) return false;
    const [drawn, place] = [hit.getBoundingClientRect(), box.getBoundingClientRect()];
    const apart = Math.hypot(drawn.x + drawn.width / 2 - place.x - place.width / 2,
      drawn.y + drawn.height / 2 - place.y - place.height / 2);
    if (!isSmall(drawn) || !isSmall(place) || apart > DRAWING / 4) return false;
    const around = [box.parentElement, box.parentElement?.parentElement];
    const both = around.find((one) => one && within(hit, one));
    if (!both || both.querySelectorAll(CONTROL).length !== 1) return false;
    for (let node = hit; node !== both; node = parentOf(node))
      if (node.nodeType === 1 && uses.isUsed(node, aria.roleOf(node))) return false;
    return true;
  };
  // The label beside a box to tick, alone with it, that HTML ties to no control: scripts do, which draw
  // the box by it.
  const BESIDE = 12;
  const captionOf = (box) => {
    const around = box.parentElement;
    if (!box.matches(BOXES) || !around || !holdsUpTo(around, BESIDE)) return null;
    const beside = [...around.children].filter(({ localName }) => localName === "label");
    const alone = beside.length === 1 && !beside[0].control && around.querySelectorAll(OTHERS).length === 1;
    return alone ? beside[0] : null;
  };
  // Whether it is the drawing of a box that nobody sees itself, beside it or around it: a click there
  // is one on the box, which is told.
  const covers = (box, drawing) => {
    const [over, under] = [box.getBoundingClientRect(), drawing.getBoundingClientRect()];
    const [x, y] = [under.left + under.width / 2, under.top + under.height / 2];
    return over.left < x && x < over.right && over.top < y && y < over.bottom;
  };
  const isDrawingOf = (element, box) => {
    if (!box?.matches(BOXES) || (isClear(box) && box.offsetWidth > 1)) return false;
    return closest(element, "label")?.control === box || covers(box, element);
  };
  const slotted = (node) => (node?.localName === "slot" ? node.assignedElements()[0] : node);
  const drawsBox = (element) => {
    if (element.textContent.trim()) return false;
    const { previousElementSibling: before, nextElementSibling: after, firstElementChild: inner } = element;
    const around = before ? null : parentOf(element);
    return [before, after, inner, around?.control].some((box) => isDrawingOf(element, slotted(box)));
  };
  // Whether it is the picture of a tick in what draws such a box, which says that it is ticked.
  const NEAR = { most: 6, outwards: 3 };
  const isTick = (element) => {
    let around = element.parentElement;
    for (let out = 0; out < NEAR.outwards && around && holdsUpTo(around, NEAR.most); out++) {
      const box = around.querySelector(BOXES);
      if (box) return draws(element, box);
      around = around.parentElement;
    }
    return false;
  };
  const isSlider = (field) => field.localName === "input" && field.type === "range";
  // The handle of a slider whose own field is in it, or alone beside it, for the keyboard, and takes
  // no mouse: no other control is in it.
  const HANDLE = { least: 4, most: 64, outwards: 3 };
  const isHandle = ({ width, height }) =>
    Math.max(width, height) <= HANDLE.most && Math.min(width, height) >= HANDLE.least;
  const handleOf = (field) => {
    if (!isSlider(field)) return null;
    const isOther = (one) => one !== field && aria.roleOf(one) !== "tooltip";
    const [beside, ...others] = [...(field.parentNode?.children || [])].filter(isOther);
    const isTiny = field.offsetWidth <= 1 && field.offsetHeight <= 1;
    if (isTiny && beside && !others.length && isHandle(boxOf(beside))) return beside;
    let around = field;
    for (let out = 0; out < HANDLE.outwards; out++) {
      around = parentOf(around);
      if (around?.nodeType !== 1) continue;
      const { width, height } = boxOf(around);
      if (Math.max(width, height) > HANDLE.most) return null;
      if (Math.min(width, height) < HANDLE.least) continue;
      return around.querySelectorAll(OTHERS).length > 1 ? null : around;
    }
    return null;
  };
  // Where the thumb is of a slider that the browser draws, counted as a place in it; null for all else.
  const THUMB = 16;
  const thumbOf = (field) => {
    if (!isSlider(field)) return null;
    const { direction, writingMode } = getComputedStyle(field);
    const { width, height } = boxOf(field);
    const [min, max] = [Number(field.min), field.max === "" ? 100 : Number(field.max)];
    const part = max > min ? (field.valueAsNumber - min) / (max - min) : 0;
    const along = (length) => THUMB / 2 + (direction === "rtl" ? 1 - part : part) * (length - THUMB);
    return writingMode === "horizontal-tb" ? [along(width), height / 2] : [width / 2, along(height)];
  };
  // What draws a field without a size: of a slider its handle, else the box around it with no other
  // field in it but hidden ones.
  const SHELL = { most: 100, outwards: 4, fields: 100 };
  const SHELLED = new Set(["checkbox", "combobox", "radio", "switch"]);
  const FIELDS = "input:not([type=hidden]), select, textarea";
  const isShelled = (field) => field.localName === "input" && SHELLED.has(aria.roleOf(field));
  const isLaidOut = (element) => element.checkVisibility({ visibilityProperty: true });
  const shellOf = (field) => {
    if (!(isSlider(field) || isShelled(field)) || !isLaidOut(field)) return null;
    // One that leaves the mouse to what is around it is as if it had no size.
    if (isShown(field) && (takesMouse(field) || aria.roleOf(field) !== "combobox")) return null;
    if (isSlider(field)) {
      const handle = handleOf(field);
      return handle && isShown(handle) ? handle : null;
    }
    const isOther = (one) => one !== field && (isShown(one) || (isShelled(one) && isLaidOut(one)));
    let around = field;
    for (let out = 0; out < SHELL.outwards; out++) {
      around = parentOf(around);
      if (!around || isRoot(around)) return null;
      if (around.nodeType !== 1) continue;
      const { width, height } = around.getBoundingClientRect();
      if (height > SHELL.most) return null;
      if (Math.min(width, height) < HANDLE.least || !isShown(around)) continue;
      if (around.getElementsByTagName("input")[SHELL.fields]) return null;
      return [...around.querySelectorAll(FIELDS)].some(isOther) || !takesMouse(around) ? null : around;
    }
    return null;
  };
  // Whether it is in what takes the mouse for a drawing: what lies over that beside it, just as large.
  const NEARLY = 4;
  const overlays = (hit, drawing) => {
    const around = drawing.localName === "canvas" && drawing.parentElement;
    if (!around || around === hit || isRoot(around) || !around.contains(hit)) return false;
    const over = [...around.children].find((one) => one !== drawing && one.contains(hit));
    if (!over) return false;
    const [own, other] = [drawing.getBoundingClientRect(), over.getBoundingClientRect()];
    return ["left", "top", "right", "bottom"].every((side) => Math.abs(own[side] - other[side]) <= NEARLY);
  };
  // Whether it is in what says no more than the element, a mere text: a shape of a diagram lies in it
  // beside what takes the mouse for both.
  const isOfItem = (hit, element) => {
    const text = element.textContent.trim();
    if (!text || element.matches(CONTROL) || within(hit, element)) return false;
    for (let node = parentOf(element); node && !isRoot(node); node = parentOf(node)) {
      if (node.textContent?.trim() !== text) return false; // which a document has none of
      if (node.nodeType !== 1 || node === hit || !within(hit, node)) continue;
      const control = closest(hit, CONTROL);
      return !control || within(node, control);
    }
    return false;
  };
  // Whether it is the field of the label that `element` is in, or is, or takes the mouse for it.
  const liesOver = (hit, element) =>
    closest(element, CONTROL)?.control === hit || overlays(hit, element) || isOfItem(hit, element);
  // Whether what is hit acts itself, in a label that hands on no click then.
  const ACTING = "a[href], button, input, select, summary, textarea";
  const isActing = (hit, label) => {
    const acting = closest(hit, ACTING);
    return !!acting && within(acting, label);
  };
  // The control that the element is only the picture of: what takes no mouse in one, and is none itself.
  const PICTURES = `:not(${CONTROL}), label, ${BOXES}`;
  const takesMouse = (element) => getComputedStyle(element).pointerEvents !== "none";
  const pictured = (element) => {
    if (takesMouse(element) || !element.matches(PICTURES)) return undefined;
    for (let node = parentOf(element); node; node = parentOf(node))
      if (node.nodeType === 1 && node.matches(CONTROL) && takesMouse(node)) return node;
    return undefined;
  };
  // Whether a click that hits `hit` reaches `element`: inside it, on its label or the field of that,
  // on its handle, or in the control that it is only the picture of.
  const receives = (hit, element) => {
    if (!hit) return false;
    if (within(hit, element) || draws(hit, element)) return true;
    const label = closest(hit, "label");
    if (label && (label.control === element || label === captionOf(element))) return !isActing(hit, label);
    if (liesOver(hit, element)) return true;
    const handle = handleOf(element);
    if (handle && within(hit, handle)) return true;
    const shell = shellOf(element);
    if (shell && within(hit, shell)) return !isAnother(hit, shell);
    const editor = code.editorOf(element);
    if (editor && within(hit, editor)) return true;
    return closest(hit, CONTROL) === pictured(element);
  };
  const points = (rect) => {
    const left = Math.max(rect.left, 0);
    const width = Math.min(rect.right, innerWidth) - left;
    const top = Math.max(rect.top, 0);
    const height = Math.min(rect.bottom, innerHeight) - top;
    if (width < 1 || height < 1) return [];
    const places = [
      [0.5, 0.5],
      [0.25, 0.5],
      [0.75, 0.5],
      [0.5, 0.25],
      [0.5, 0.75],
      [0.1, 0.2],
      [0.9, 0.8],
    ];
    return places.map(([x, y]) => [left + width * x, top + height * y]);
  };
  const largestRects = (element) =>
    visibleRects(element).sort((a, b) => b.width * b.height - a.width * a.height);
  // Whether it is in a button or link of its own in the element, as in a card: not in one that is all
  // that the element says, unless that says a value.
  const BUTTONS = "a[href], button, [role=button], [role=link]";
  const VALUED = ":is([role=scrollbar], [role=separator], [role=slider], [role=spinbutton])";
  const isAnother = (hit, element) => {
    const other = closest(hit, BUTTONS);
    if (!other || other === element || !element.contains(other)) return false;
    return element.matches(VALUED) || other.textContent.trim() !== element.textContent.trim();
  };
  const aim = (element, offset) => {
    if (offset) {
      const box = boxOf(element);
      const [x, y] = [box.left + offset[0], box.top + offset[1]];
      return receives(at(x, y), element) ? { x, y } : { by: at(x, y) };
    }
    let [by, inner] = [null, null];
    for (const rect of largestRects(element).slice(0, 3)) {
      for (const [x, y] of points(rect)) {
        const hit = at(x, y);
        if (!receives(hit, element)) by = by || hit;
        else if (!isAnother(hit, element)) return { x, y };
        else inner = inner || { x, y };
      }
    }
    return inner || { by };
  };
  // What scrolls around the element, the innermost first, the window last.
  const scrollers = (element) => {
    const found = [];
    for (let node = extents.holder(element); node; node = extents.holder(node)) {
      const page = [document.documentElement, document.scrollingElement];
      if (node.nodeType !== 1 || page.includes(node)) continue;
      if (getComputedStyle(node).overflow !== "visible") found.push(node);
    }
    return [...found, window];
  };
  // How far to scroll for a place to be where it is asked for, or in sight at all.
  const SHARES = { start: 0.1, center: 0.5, end: 0.9 };
  const beyond = (place, length, way) =>
    way ? place - length * SHARES[way] : Math.min(0, place) || Math.max(0, place - length + 1);
  // Scrolls to a place of the viewport what may be drawn larger or smaller than it is.
  const bring = (scroller, [x, y], [block, inline]) => {
    const isPage = scroller === window;
    const [box, scale] = isPage ? [new DOMRect(), 1] : [scroller.getBoundingClientRect(), extents.drawn(scroller)];
    const { clientLeft = 0, clientTop = 0, clientWidth = innerWidth, clientHeight = innerHeight } = scroller;
    const left = beyond((x - box.left) / scale - clientLeft, clientWidth, inline);
    const top = beyond((y - box.top) / scale - clientTop, clientHeight, block);
    scroller.scrollBy({ left, top, behavior: "instant" });
  };
  const show = (element, offset, way) => {
    const seen = areas.imageOf(element) || element;
    const [block, inline] = way;
    seen.scrollIntoView({ block, inline, behavior: "instant" });
    // Chrome misses an inline element with a block in it by more than a screen, brings the middle into
    // sight where another place is meant, and nothing where there is no box.
    const missed = offset || isContents(seen);
    for (const scroller of missed ? scrollers(seen) : [window]) {
      const box = offset ? boxOf(element) : largestRects(element)[0];
      if (!box) return;
      const [x, y] = offset || [box.width / 2, box.height / 2];
      bring(scroller, [box.left + x, box.top + y], missed ? way : []);
    }
  };
  // A bar stays where it is while the page scrolls: what it covers may be free elsewhere.
  const isBar = (element) => {
    const fixed = ({ position }) => position === "fixed" || position === "sticky";
    for (let node = element; node; node = parentOf(node)) {
      if (node.nodeType !== 1 || !fixed(getComputedStyle(node))) continue;
      const { width, height } = node.getBoundingClientRect();
      return width < innerWidth || height < innerHeight;
    }
    return false;
  };
  const MIDDLE = ["center", "center"];
  const PLACES = [
    MIDDLE,
    ...[["end", "center"], ["start", "center"], ["center", "end"], ["center", "start"]],
    ...[["end", "end"], ["start", "start"], ["end", "start"], ["start", "end"]],
  ];
  const shown = (element, offset) => {
    let found;
    for (const way of PLACES) {
      show(element, offset, way);
      found = aim(element, offset);
      if (found.x !== undefined || !isBar(found.by)) return found;
    }
    show(element, offset, MIDDLE);
    return found;
  };
  // Where the browser draws the summary of `details` that have none, which is their first line.
  const summaryPlace = (details) => {
    const { paddingTop, fontSize } = getComputedStyle(details);
    const down = details.clientTop + parseFloat(paddingTop) + parseFloat(fontSize) / 2;
    return [boxOf(details).width / 2, down * extents.drawn(details)];
  };
  // Places where an item is itself that has others of its kind in it, as in a tree: above them, beside
  // them or below. In the middle a click would reach one of those.
  const ownPlaces = (element) => {
    const { localName } = element;
    if (opensItself(element)) return [summaryPlace(element)];
    const role = element.getAttribute("role");
    const kind = role ? `[role="${CSS.escape(role)}"]` : /^li$|-/.test(localName) && CSS.escape(localName);
    const inner = kind ? [...element.querySelectorAll(kind)].filter(isShown) : [];
    if (!inner.length) return [];
    const [{ left, top, right, bottom, width, height }, parts] = [boxOf(element), union(inner.map(boxOf))];
    const [above, below] = [Math.min(parts.top - top, height), Math.min(bottom - parts.bottom, height)];
    const [before, after] = [Math.min(parts.left - left, width), Math.min(right - parts.right, width)];
    const places = [
      [above, width / 2, above / 2],
      [before, before / 2, height / 2],
      [after, width - after / 2, height / 2],
      [below, width / 2, height - below / 2],
    ];
    return places.filter(([room]) => room >= 1).map(([, x, y]) => [x, y]);
  };
  // A place where a click reaches the element, `{x, y}`, or what is in the way, `{by}`.
  // To be dragged, by its thumb.
  const place = (element, offset, drags) => {
    const thumb = drags && !offset ? thumbOf(element) : null;
    const own = offset ? [] : ownPlaces(element);
    let found;
    for (const way of thumb ? [thumb, offset] : own.length ? own : [offset]) {
      found = aim(element, way);
      if (found.x === undefined) found = shown(element, way);
      if (found.x !== undefined) break;
    }
    // A control that is drawn by something else is clicked there.
    const drawn = found.x === undefined && !offset && (handleOf(element) || visibleLabel(element) || shellOf(element));
    if (!drawn) return found;
    const instead = place(drawn);
    const hit = instead.x === undefined ? instead.by : at(instead.x, instead.y);
    if (instead.x !== undefined && receives(hit, element)) return instead;
    return found.by ? found : { by: hit };
  };

  // Whether dots stand for what is in the element: as browsers draw passwords, or by a style sheet. A
  // password that its page shows in clear is in a field of another type.
  const UNMASKED = new Set([undefined, "", "none"]);
  const isMasked = (element) =>
    element.type === "password" || !UNMASKED.has(getComputedStyle(element).webkitTextSecurity);
  // What a field draws of what it holds: sliders, boxes to be checked and the like draw no text.
  const TEXTLESS = /^(checkbox|color|hidden|image|radio|range)$/;
  const drawnValue = (field) => {
    if (!field.matches("input, textarea") || TEXTLESS.test(field.type) || isMasked(field)) return "";
    return field.type === "file" ? field.value.replace(/^.*\\/, "") : field.value;
  };

  return {
    anew,
    at,
    captionOf,
    changesOpacity,
    clip,
    closest,
    describe,
    drawnValue,
    drawsBox,
    escaped,
    escapes,
    focused,
    holdsUpTo,
    isBusy,
    isClear,
    isDisabled,
    isFirefox,
    isFolded,
    isInBox,
    isMasked,
    isMoving,
    isRoot,
    isSeen,
    isShown,
    isSlider,
    isTick,
    isTiny,
    isUpTo,
    isTurned,
    isVeiled,
    liesOver,
    motion,
    opensItself,
    parentOf,
    place,
    rangeOf,
    receives,
    rectOf,
    roots,
    shellOf,
    size,
    styleOf,
    summaries,
    thumbOf,
    top,
    visibleLabel,
    within,
    CONTROL,
    LARGE,
  };
})();

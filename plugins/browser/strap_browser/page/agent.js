// The page's side of strap: a Playwright selector engine that runs in the isolated world, so that
// a page can neither see nor change it. A "selector" is a command in URI-encoded JSON; what it
// "selects" is a detached element with the answer as its text. Commands are synchronous, and
// leave nothing behind that could act later.
(() => {
  const BLOCKED = ["pointerdown", "mousedown", "pointerup", "mouseup", "click", "auxclick", "dblclick", "contextmenu"];
  const GUARD_MS = 10000;
  const LARGE = 3000;
  const MOVES = /^(transform|translate|scale|rotate|offset(Distance|Path)|inset|margin|width|height|top|left|right|bottom)/;

  // ---- describing -------------------------------------------------------------------------
  const clip = (text, most) => {
    const words = String(text || "").replace(/\s+/g, " ").trim();
    return words.length > most ? words.slice(0, most) + "…" : words;
  };
  const describe = (element) => {
    if (!element || element.nodeType !== 1) return "the page";
    const id = element.id ? "#" + clip(element.id, 40) : "";
    const names = [...element.classList].slice(0, 2).map((name) => "." + clip(name, 30)).join("");
    const text = clip(element.getAttribute("aria-label") || element.innerText, 60);
    return `<${element.localName}${id || names}>` + (text ? ` ${JSON.stringify(text)}` : "");
  };

  // ---- the composed tree --------------------------------------------------------------------
  const parentOf = (node) => node.assignedSlot || node.parentNode || node.host || null;
  const within = (node, ancestor) => {
    for (; node; node = parentOf(node)) if (node === ancestor) return true;
    return false;
  };
  const closest = (element, selector) => {
    for (let node = element; node; node = parentOf(node))
      if (node.nodeType === 1 && node.matches(selector)) return node;
    return null;
  };
  const elementAt = (x, y) => {
    let found = null;
    for (let root = document; root; ) {
      const next = root.elementFromPoint(x, y);
      if (!next || next === found) break;
      found = next;
      root = found.shadowRoot;
    }
    return found;
  };
  const focused = () => {
    let active = document.activeElement;
    while (active && active.shadowRoot && active.shadowRoot.activeElement) active = active.shadowRoot.activeElement;
    return active;
  };
  const roots = (element) => {
    const found = [document];
    const add = (root) => {
      for (const each of root.querySelectorAll("*"))
        if (each.shadowRoot) { found.push(each.shadowRoot); add(each.shadowRoot); }
    };
    if (document.getElementsByTagName("*").length <= LARGE) add(document);
    else for (let node = element; node; node = parentOf(node)) if (node.host) found.push(node);
    return found;
  };

  // ---- can it be acted on? --------------------------------------------------------------------
  const visibleRects = (element) => {
    if (!element.checkVisibility({ visibilityProperty: true })) {
      if (getComputedStyle(element).display !== "contents") return [];
      return [...element.children].flatMap(visibleRects);
    }
    return [...element.getClientRects()].filter((rect) => rect.width >= 1 && rect.height >= 1);
  };
  const isDisabled = (element) =>
    !!closest(element, ":disabled") || !!closest(element, "[aria-disabled=true]");
  const isMoving = (element) =>
    document.getAnimations().some((animation) => {
      const effect = animation.effect;
      if (animation.playState !== "running" || !effect || !effect.target || !within(element, effect.target)) return false;
      return effect.getKeyframes().some((frame) => Object.keys(frame).some((key) => MOVES.test(key)));
    });
  const labelled = (hit, element) => {
    const label = closest(hit, "label");
    return !!label && label.control === element;
  };
  const receives = (hit, element) =>
    !!hit && (within(hit, element) || labelled(hit, element) ||
      (within(element, hit) && getComputedStyle(element).pointerEvents === "none" && hit.matches("a, button, label")));
  const points = (rect) => {
    const left = Math.max(rect.left, 0), right = Math.min(rect.right, innerWidth);
    const top = Math.max(rect.top, 0), bottom = Math.min(rect.bottom, innerHeight);
    if (right - left < 1 || bottom - top < 1) return [];
    const at = (x, y) => [left + (right - left) * x, top + (bottom - top) * y];
    return [at(0.5, 0.5), at(0.25, 0.5), at(0.75, 0.5), at(0.5, 0.25), at(0.5, 0.75), at(0.1, 0.2), at(0.9, 0.8)];
  };
  const aim = (element, at) => {
    if (at) {
      const box = element.getBoundingClientRect();
      const [x, y] = [box.left + at[0], box.top + at[1]];
      return receives(elementAt(x, y), element) ? { x, y } : { by: elementAt(x, y) };
    }
    const rects = visibleRects(element).sort((a, b) => b.width * b.height - a.width * a.height);
    let by = null;
    for (const rect of rects.slice(0, 3))
      for (const [x, y] of points(rect)) {
        const hit = elementAt(x, y);
        if (receives(hit, element)) return { x, y };
        by = by || hit;
      }
    return { by };
  };
  const visibleLabel = (element) => [...(element.labels || [])].find((label) => visibleRects(label).length);
  const place = (element, at) => {
    let found = aim(element, at);
    if (found.x === undefined) {
      element.scrollIntoView({ block: "center", inline: "center", behavior: "instant" });
      const box = element.getBoundingClientRect();
      if (at) scrollBy({ left: Math.min(0, box.left + at[0]) || Math.max(0, box.left + at[0] - innerWidth + 1),
        top: Math.min(0, box.top + at[1]) || Math.max(0, box.top + at[1] - innerHeight + 1), behavior: "instant" });
      found = aim(element, at);
    }
    // A control that is drawn by its label is clicked there.
    const label = found.x === undefined && !at && visibleLabel(element);
    if (!label) return found;
    const instead = place(label);
    return instead.x === undefined ? found : instead;
  };
  const rectOf = (element) => {
    const rect = element.getBoundingClientRect();
    return [rect.left, rect.top, rect.width, rect.height];
  };

  // ---- watching an action ---------------------------------------------------------------------
  let watched = null;
  const watch = (element, token, guarded = false) => {
    stopWatching();
    watched = { token, element, guarded, hit: "", by: "", changes: 0, outside: 0, last: 0, texts: new Set(), until: performance.now() + GUARD_MS };
    watched.values = fields.values(element);
    watched.observer = new MutationObserver(note);
    for (const root of roots(element))
      watched.observer.observe(root, { subtree: true, childList: true, characterData: true, attributes: true });
  };
  const stopWatching = () => {
    if (watched) watched.observer.disconnect();
    watched = null;
  };
  const note = (records) => {
    if (performance.now() > watched.until) return watched.observer.disconnect();
    for (const record of records) {
      watched.changes += 1;
      const own = watched.element;
      if (record.target !== own && !(own && own.isContentEditable && own.contains(record.target))) watched.outside += 1;
      if (record.type !== "attributes" && watched.texts.size < 40)
        watched.texts.add(record.target.nodeType === 1 ? record.target : record.target.parentElement);
    }
    if (records.length) watched.last = performance.now();
  };
  // A click that would reach something else than was meant is stopped before the page sees it.
  const guard = (event) => {
    if (!watched || !watched.guarded || !event.isTrusted || performance.now() > watched.until) return;
    if (!watched.hit) {
      const path = event.composedPath();
      watched.hit = !watched.element || path.includes(watched.element) || receives(path[0], watched.element) ? "yes" : "no";
      watched.by = watched.hit === "no" ? describe(path[0]) : "";
    }
    if (watched.hit === "no") {
      event.preventDefault();
      event.stopImmediatePropagation();
    }
  };
  for (const type of BLOCKED) addEventListener(type, guard, { capture: true, passive: false });

  // Whether anything changed since a large page was last looked at: it need not be read again.
  let stamped = null;
  const stamp = (token) => {
    if (stamped) stamped.observer.disconnect();
    stamped = { token, values: fields.values(), focus: focused(), dirty: false };
    stamped.observer = new MutationObserver(() => { stamped.dirty = true; stamped.observer.disconnect(); });
    for (const root of roots())
      stamped.observer.observe(root, { subtree: true, childList: true, characterData: true, attributes: true });
  };
  const unchanged = (token) =>
    !!stamped && stamped.token === token && !stamped.dirty && !stamped.observer.takeRecords().length &&
    stamped.focus === focused() && stamped.values === fields.values();

  const info = () => ({
    url: location.href,
    title: clip(document.title, 200),
    size: document.getElementsByTagName("*").length,
    body: !!document.body,
  });

  // ---- commands -------------------------------------------------------------------------------
  const problem = (why, more) => ({ ok: false, why, busy: document.readyState !== "complete" || document.getAnimations().some((a) => a.playState === "running" && a.effect && a.effect.getComputedTiming().iterations !== Infinity), ...more });

  const check = (element, { token, at, rect, point = true, settled }) => {
    if (element.nodeType !== 1) return problem("gone");
    if (!visibleRects(element).length && !visibleLabel(element)) return problem("hidden");
    if (isDisabled(element)) return problem("disabled");
    if (!settled && isMoving(element)) {
      const now = rectOf(element);
      if (!rect || rect.some((value, index) => Math.abs(value - now[index]) > 0.5)) return problem("moving", { rect: now });
    }
    const target = point ? place(element, at) : {};
    if (point && target.x === undefined) return problem("covered", { by: describe(target.by) });
    watch(element, token, point);
    return { ok: true, x: target.x, y: target.y, rect: rectOf(element), framed: window !== top };
  };

  const report = (_, { token, value }) => {
    const known = watched && watched.token === token ? watched : null;
    if (known) note(known.observer.takeRecords());
    const result = { ...info(), same: !!known };
    if (!known) return result;
    const { hit, by, changes, outside, last, element, texts } = known;
    Object.assign(result, { hit, by, changes, outside, idle: changes ? performance.now() - last : 1e6 });
    if (known.values !== fields.values(element)) result.outside += 1;
    if (value) Object.assign(result, fields.state(element));
    if (result.size > LARGE) result.texts = snippets(texts);
    return result;
  };
  const snippets = (elements) => {
    const found = new Set();
    for (const element of elements) {
      if (!element || !element.isConnected || !element.checkVisibility()) continue;
      const text = clip(element.innerText, 120);
      if (text) found.add(text);
      if (found.size >= 8) break;
    }
    return [...found];
  };
  const at = (_, { x, y }) => {
    const found = elementAt(x, y);
    return { tag: found ? found.localName : "", what: describe(found) };
  };
  const secrets = (_, { token }) => ({
    ...(token && stamp(token), info()),
    secrets: [...document.querySelectorAll("input[type=password]")].map((field) => field.value).filter(Boolean).slice(0, 50),
  });
  const commands = {
    check, report, at, info, secrets,
    unchanged: (_, { token }) => ({ unchanged: unchanged(token) }),
    watch: (_, { token }) => { watch(null, token); return { focus: describe(focused()) }; },
    box: (element) => {
      element.scrollIntoView({ block: "nearest", inline: "nearest", behavior: "instant" });
      return { rect: rectOf(element), framed: window !== top };
    },
    fill: (element, args) => fields.prepare(element, { ...args, check }),
    focus: (element, args) => fields.focus(element, { ...args, check }),
    text: (element) => ({ ...info(), text: reading.text(element) }),
  };

  let answered = false;
  const answer = (value) => {
    const node = document.createElement("i");
    node.textContent = JSON.stringify(value).toWellFormed();
    return [node];
  };
  return {
    queryAll(root, body) {
      const { op, otherwise, chained, ...args } = JSON.parse(decodeURIComponent(body));
      if (otherwise && answered) {
        answered = false;
        return [];
      }
      answered = !!chained;
      try {
        return answer(op === "gone" ? { gone: true } : commands[op](root, args));
      } catch (error) {
        return answer({ error: String(error) });
      }
    },
  };
})()

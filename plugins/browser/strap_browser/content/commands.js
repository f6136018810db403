// The page's side of strap: it runs in an isolated world, so that a page can neither see nor change
// it. Commands are synchronous, and leave nothing behind that could act later.
(() => {
  const info = () => ({
    url: location.href,
    title: elements.clip(document.title, 200),
    size: elements.size(),
    body: !!document.body,
    kind: document.contentType,
  });
  const problem = (why, more) => ({ ok: false, why, busy: elements.isBusy(), ...more });

  // Whether it is drawn, or is by what stands for it.
  const isThere = (element) =>
    elements.isShown(element) || !!elements.visibleLabel(element) || !!elements.shellOf(element);
  // Whether the element can be acted on, and where; if so, the watch on its document begins.
  const check = (element, { token, at, rect, settled, drags, point = true, guard = point }) => {
    if (element.nodeType !== 1) return problem("gone");
    if (!isThere(element))
      return problem("hidden", { around: obstacles.widget(element), ...obstacles.opener(element) });
    if (elements.isDisabled(element)) return problem("disabled");
    if (!settled && elements.isMoving(element)) {
      const now = elements.rectOf(element);
      const still = rect && rect.every((value, index) => Math.abs(value - now[index]) <= 0.5);
      if (!still) return problem("moving", { rect: now });
    }
    const box = elements.rectOf(element);
    if (at && (at[0] < 0 || at[1] < 0 || at[0] > box[2] || at[1] > box[3]))
      return problem("outside", { final: true, kind: `${box[2] | 0} x ${box[3] | 0}` });
    const { x, y, by } = point ? elements.place(element, at, drags) : {};
    if (point && x === undefined) return problem("", obstacles.why(element, by));
    watching.begin(element, token, guard);
    const rests = point ? watching.rests() : undefined;
    return { ok: true, x, y, rests, rect: elements.rectOf(element), framed: window !== top };
  };
  // A look at all of the page; of nothing where what elements say of themselves has to be `learned`
  // before that, and perhaps not whole where it has to be after it: `unasked`.
  const outlined = (asked, learned) => {
    if (internals.isSpoken() && !learned) return { unasked: true };
    watching.idle();
    const tree = outline.tree(asked);
    const unasked = internals.isWanted() || undefined;
    return { ...info(), ...tree, restless: changes.restless(), unasked };
  };
  // What has the focus, in words, and which element that is.
  const focus = () => {
    const found = elements.focused();
    return { focus: elements.describe(found), ref: found ? refs.refer(found) : "" };
  };
  const TIP = 300;
  let lastSeen = "";
  let stored = [];
  const commands = {
    check,
    info,
    fill: (element, asked) => fields.prepare(element, { ...asked, check }),
    select: (element, asked) => fields.select(element, { ...asked, check }),
    focus: (element, asked) => fields.focus(element, { ...asked, check }),
    paste: fields.paste,
    copy: fields.copy,
    watch: (_, { token }) => {
      watching.begin(null, token);
      return { ...focus(), quiet: watching.quiet() };
    },
    focused: focus,
    selected: (_, { token }) => ({ selected: watching.selects(token) ? fields.selected() : "" }),
    // What a person is told of an element, of what has the focus, or of what is at a place.
    named: (element, { focus, x, y }) => {
      const meant = focus ? elements.focused() : x === undefined ? element : elements.at(x, y);
      const what = elements.describe(meant);
      if (!meant || meant.nodeType !== 1)
        return { ref: "", role: "", name: "", version: 0, what, secret: false, holds: "" };
      const secret = meant.matches("input, textarea") && elements.isMasked(meant);
      return { ...refs.tell(meant), what, secret, holds: secret ? "" : fields.heldBy(meant) };
    },
    // With `look` a page of up to so many elements that changed, and does not move, is looked at too:
    // within `pauses` (`watching.rested`), to be looked at again after them, and then told only where that
    // is not what is `known`.
    report: (_, { token, look, learned, key, ...asked }) => {
      if (key && !watching.isStopped()) fields.hearKey("keyup");
      const told = { ...info(), ...watching.report(token, asked) };
      if (!look || !told.changes || told.motion || !elements.isUpTo(look.most)) return told;
      const { pauses, known } = look;
      if (told.quiet >= pauses?.[told.pace]) return told;
      const { unasked, ...seen } = outlined(look.places, learned);
      if (unasked) return { ...told, unasked };
      const text = pauses || known ? JSON.stringify(seen) : "";
      if (known && text === lastSeen) return { ...told, seen: true };
      if (pauses) lastSeen = text;
      return { ...told, outline: seen };
    },
    changed: (_, { token }) => watching.changed(token),
    unchanged: (_, { token }) => ({ unchanged: watching.isUnchanged(token) }),
    outline: (_, { token, places: asked, most = Infinity, learned }) => {
      if (elements.size() > most) return info();
      if (token) watching.stamp(token);
      return outlined(asked, learned);
    },
    at: (_, { x, y }) => {
      const found = elements.at(x, y);
      const veil = obstacles.veil(found);
      return { tag: found ? found.localName : "", what: elements.describe(found), veil };
    },
    box: (element) => {
      const seen = areas.imageOf(element) || element;
      seen.scrollIntoView({ block: "nearest", inline: "nearest", behavior: "instant" });
      const { innerWidth: width, innerHeight: height } = window;
      const told = { window: [width, height], framed: window !== top };
      if (isThere(element)) return { ...told, rect: elements.rectOf(element) };
      return { ...told, rect: [0, 0, 0, 0], ...obstacles.opener(element) };
    },
    aimed: (_, { token }) => {
      const element = watching.aimed(token);
      return { rect: element && elements.rectOf(element) };
    },
    resolve: (_, { path }) => selectors.resolve(path),
    view: () => ({ view: [innerWidth, innerHeight] }),
    cover: fields.cover,
    enter: fields.enter,
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
    shown: (element) => ({ shown: elements.isShown(element) }),
    described: (element) => ({ described: elements.clip(names.description(element), TIP) }),
    has: (_, { text, most_ms: limit }) => ({ found: sightings.has(text, limit) }),
    // The texts of the document, or of all that a selector finds in it.
    texts: (_, { path, room, most_ms: limit }) => {
      const { found, bad } = path ? selectors.every(path) : {};
      if (bad) return { bad };
      return sightings.all(path ? found || [] : null, { room, limit });
    },
    scroll: (element, asked) => {
      const target = element.nodeType === 1 ? element : null;
      watching.begin(target, asked.token);
      return asked.to || asked.dx || asked.dy
        ? scrolling.scroll(target, asked)
        : scrolling.show(target);
    },
    markup: (element, { lift, unfold }) => {
      // In one task with what is written of it: no script of the page has a say between them.
      if (lift) markup.lift();
      const written = () => markup.of(element);
      return { ...info(), ...(unfold ? markup.unfolded(written) : written()) };
    },
    onward: () => markup.onward(),
    told: () => ({ html: markup.told() }),
    veiled: () => markup.veiled().count,
    text: (element) => {
      const text = reading.text(element);
      return { ...info(), text, media: text ? [] : media.of(element) };
    },
  };

  // The element of a ref or of a selector, null if it is gone.
  const find = ({ ref, selector }) => (ref ? refs.find(ref) : selectors.one(selector));
  const told = ({ op, ref, version, selector, ...asked }) => {
    const element = ref || selector ? find({ ref, selector }) : document;
    if (!element) return { gone: true };
    // Whoever asks by a ref means what it was called when it was shown.
    const now = version === undefined ? null : refs.now(element, version);
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
      ? watching.rested(question.token, question.pauses).then(() => answer(question))
      : answer(question);
  return {
    ask,
    fileField: (question) => {
      const element = question ? find(question) : document;
      return element && uploads.field(element);
    },
    // For DevTools: where listeners are looked for, and what was found to listen.
    scope: places.scope,
    ground: (question) => {
      const element = find(question);
      return element && scrolling.ground(element);
    },
    hear: (...found) => uses.hear(found),
    internals,
    drawn: () =>
      document.hidden ||
      new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done()))),
    find,
    insert: fields.insert,
    isSeen: elements.isSeen,
    refer: refs.refer,
    uploads,
  };
})();

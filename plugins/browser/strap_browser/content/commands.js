// The page's side of strap: a Playwright selector engine that runs in the isolated world, so that
// a page can neither see nor change it. A "selector" is a command in URI-encoded JSON; what it
// "selects" is a detached element with the answer as its text. Commands are synchronous, and
// leave nothing behind that could act later.
(() => {
  const info = () => ({
    url: location.href,
    title: elements.clip(document.title, 200),
    size: elements.size(),
    body: !!document.body,
    kind: document.contentType,
  });
  const problem = (why, more) => ({ ok: false, why, busy: elements.isBusy(), ...more });

  // Whether the element can be acted on, and where; if so, the watch on its document begins.
  const check = (element, { token, at, rect, settled, point = true, guard = point }) => {
    if (element.nodeType !== 1) return problem("gone");
    if (!elements.isShown(element) && !elements.visibleLabel(element)) return problem("hidden");
    if (elements.isDisabled(element)) return problem("disabled");
    if (!settled && elements.isMoving(element)) {
      const now = elements.rectOf(element);
      const still = rect && rect.every((value, index) => Math.abs(value - now[index]) <= 0.5);
      if (!still) return problem("moving", { rect: now });
    }
    const box = elements.rectOf(element);
    if (at && (at[0] < 0 || at[1] < 0 || at[0] > box[2] || at[1] > box[3]))
      return problem("outside", { final: true, kind: `${box[2] | 0} x ${box[3] | 0}` });
    const { x, y, by } = point ? elements.place(element, at) : {};
    if (point && x === undefined) return problem("", obstacles.why(element, by));
    watching.begin(element, token, guard);
    const rests = point ? watching.rests() : undefined;
    return { ok: true, x, y, rests, rect: elements.rectOf(element), framed: window !== top };
  };
  const commands = {
    check,
    info,
    gone: () => ({ gone: true }),
    fill: (element, asked) => fields.prepare(element, { ...asked, check }),
    select: (element, asked) => fields.select(element, { ...asked, check }),
    focus: (element, asked) => fields.focus(element, { ...asked, check }),
    watch: (_, { token }) => {
      watching.begin(null, token);
      return { focus: elements.describe(elements.focused()) };
    },
    focused: () => ({ focus: elements.describe(elements.focused()) }),
    report: (_, { token, ...asked }) => ({ ...info(), ...watching.report(token, asked) }),
    changed: (_, { token }) => watching.changed(token),
    take: (_, { token, document }) => refs.take(token, document),
    give: (_, { token }) => refs.give(token),
    unchanged: (_, { token }) => ({ unchanged: watching.isUnchanged(token) }),
    outline: (_, { token }) => {
      if (token) watching.stamp(token);
      watching.idle();
      return { ...info(), ...outline.tree(), restless: changes.restless() };
    },
    at: (_, { x, y }) => {
      const found = elements.at(x, y);
      const veil = obstacles.veil(found);
      return { tag: found ? found.localName : "", what: elements.describe(found), veil };
    },
    box: (element) => {
      const seen = areas.imageOf(element) || element;
      seen.scrollIntoView({ block: "nearest", inline: "nearest", behavior: "instant" });
      return { rect: elements.rectOf(element), framed: window !== top };
    },
    refer: (element) => ({ ref: refs.refer(element) }),
    shown: (element) => ({ shown: elements.isShown(element) }),
    has: (_, { text }) => ({ found: reading.has(text) }),
    scroll: (element, asked) => {
      const target = element.nodeType === 1 ? element : null;
      watching.begin(target, asked.token);
      return asked.to || asked.dx || asked.dy
        ? scrolling.scroll(target, asked)
        : scrolling.show(target);
    },
    text: (element) => ({ ...info(), text: reading.text(element) }),
  };

  const answer = (value) => {
    const node = document.createElement("i");
    node.textContent = JSON.stringify(value).toWellFormed();
    return [node];
  };
  const meant = (ref, css, steps) => (ref ? refs.find(ref) : elements.one(css, steps));
  const told = ({ op, ref, version, css, steps, ...asked }, root) => {
    const element = ref || css ? meant(ref, css, steps) : root;
    if (!element) return { gone: true };
    // Whoever asks by a ref means what it was called when it was shown.
    const now = version === undefined ? null : refs.now(element);
    return now && now.version !== version ? { renamed: now } : commands[op](element, asked);
  };
  // Of a command on an element and the one that is given for the case that there is none, both in
  // one evaluation, exactly one answers.
  let answered = false;
  return {
    // For whoever can speak to this world, which the page cannot.
    ask(question) {
      return JSON.stringify(told(question, document)).toWellFormed();
    },
    queryAll(root, body) {
      const { chained, otherwise, ...question } = JSON.parse(decodeURIComponent(body));
      if (question.op === "element") return [refs.find(question.ref)].filter(Boolean);
      if (otherwise && answered) {
        answered = false;
        return [];
      }
      answered = !!chained;
      try {
        return answer(told(question, root));
      } catch (error) {
        return answer({ error: String(error) });
      }
    },
  };
})();

// The subject of an element: the row, card or dialog that it acts on, by the text that tells it from its
// neighbours; elsewhere the text and the heading before it. Pages fill the same elements with another record:
// nothing but the subject tells that.
const subjects = (() => {
  const LARGE = 300;  // elements in what is more than one record
  const DEEP = 3;  // records in records
  const TEXTS = 40;  // texts of a record
  const BACK = 60;  // nodes looked at before an element that is in no record
  const LENGTH = 80;
  const BESIDE = 2;  // records on each side that a record is told from
  // The kinds of what a record shows, in the order in which they are taken to tell it from others.
  const [HEADING, TEXT, NUMBER, PICTURE, CONTROL, OTHER, LINK] = [0, 1, 2, 3, 4, 5, 6];

  // ---- texts that name something ----
  // What says how something is now: counts, amounts, what is announced.
  const PASSING =
    "output, meter, progress, [aria-live]:not([aria-live=off]), [role=alert], [role=status], " +
    "[role=timer], [role=log], [role=marquee], [role=meter], [role=progressbar], [role=tooltip]";
  // What is typed or chosen, and what is not drawn.
  const SKIPPED =
    `input, select, textarea, datalist, script, style, template, noscript, iframe, [contenteditable], ` +
    `[role=textbox], [role=searchbox], [role=combobox], [role=listbox], [role=slider], [role=spinbutton], ${PASSING}`;
  const BEFORE = `time, ${SKIPPED}`;
  const CONTROLS =
    "button, summary, [role=button], [role=tab], [role=switch], [role=checkbox], [role=radio], [role=menuitem]";
  const HEADINGS = "h1, h2, h3, h4, h5, h6, legend, caption, [role=heading], [role=rowheader]";
  const PLAIN = new Set("a b br div em i li p path section small span strong svg td tr ul".split(" "));
  const isPlain = (element) =>
    PLAIN.has(element.localName) &&
    !["role", "aria-live", "contenteditable"].some((name) => element.hasAttribute(name));
  const isHeading = (element) =>
    element.matches(HEADINGS) || (element.localName === "th" && !!element.parentElement?.querySelector("td"));
  const LETTER = /\p{L}/u;
  const WORD = /[^\s\p{P}]/u;
  const UNITS = "(ms|s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?)";
  const AMOUNTS = new RegExp(
    "[([]\\s*[\\d.,]+[kKmM+]?\\s*[)\\]]|\\p{Sc}\\s?\\d[\\d.,]*|\\d[\\d.,]*\\s?(\\p{Sc}|%|[A-Z]{3}\\b)|" +
      `\\d{1,2}:\\d{2}(:\\d{2})?(\\s?[APap][Mm]\\b)?|\\b\\d[\\d.,]*\\s?${UNITS}\\b|:\\s*\\d{1,3}(?!\\d)[\\d.,]*`,
    "gu",
  );
  const COUNT = /^\W*\d[\d.,]*[kKmM+]?\s+\p{Ll}/u;
  const WHEN = /\bago\b|^(just )?now\b|^(today|yesterday|tomorrow)\b/i;
  const named = (text) => {
    const plain = names.clean(text).slice(0, LENGTH);
    if (!LETTER.test(plain) || COUNT.test(plain) || WHEN.test(plain)) return "";
    const left = names.clean(plain.replace(AMOUNTS, " "));
    return LETTER.test(left) ? left : "";
  };
  // A number that stands for something: written with its sign, or of four digits together and more.
  const STANDS = /(#|№|\bno\.?)\s?\d|\d{4}/i;
  const PASSED = /\bago\b|^(just )?now\b/i;
  const [OF_PICTURE, OF_LINK, OF_BOTH] = ["\u0001", "\u0002", /^[\u0001\u0002]/];
  // What a text that names nothing may tell all the same where nothing else does.
  const counted = (text, rank) => {
    const plain = names.clean(text).slice(0, LENGTH);
    if (!WORD.test(plain) || PASSED.test(plain)) return null;
    const isNumber = rank !== CONTROL && !COUNT.test(plain) && STANDS.test(plain.replace(AMOUNTS, " "));
    return { name: plain, rank: isNumber ? NUMBER : OTHER };
  };
  // Where a picture is from, without what only one request for it has.
  const pictured = ({ src }) => (src && !/^(data|blob):/.test(src) ? OF_PICTURE + src.split(/[?#]/)[0] : "");
  const linked = (element) => (element.localName === "a" && element.getAttribute("href")) || "";
  const isSeen = (element) => element.checkVisibility({ visibilityProperty: true });
  const isLabel = (element) => !!elements.closest(element, "label");

  // ---- what each way of looking found in this task ----
  const looks = new Map();
  const at = new Map();
  const anew = () => {
    looks.clear();
    at.clear();
  };
  const once = (look) => (node, more) => {
    const key = more === undefined ? look : look.name + more;
    if (!looks.has(key)) looks.set(key, new Map());
    const seen = looks.get(key);
    if (!seen.has(node)) seen.set(node, look(node, more));
    return seen.get(node);
  };

  // ---- the texts of a record ----
  const gather = (element, found, rank) => {
    let own = "";
    for (const node of names.inside(element)) {
      if (found.length >= TEXTS) break;
      if (node.nodeType === 3) own += node.data;
      else if (node.nodeType === 1) gatherIn(node, found, rank);
    }
    const link = linked(element);
    if (link) found.push({ name: OF_LINK + link, rank: LINK, element });
    if (!WORD.test(own) || !isSeen(element)) return;
    const name = element.localName === "time" ? "" : named(own);
    const one = name ? { name, rank } : counted(own, rank);
    if (one) found.push({ ...one, element });
  };
  const gatherIn = (node, found, rank) => {
    if (isPlain(node)) gather(node, found, rank);
    else if (node.localName === "img") {
      const [name, picture] = [named(node.alt), pictured(node)];
      if (name && isSeen(node)) found.push({ name, rank, element: node });
      if (picture) found.push({ name: picture, rank: PICTURE, element: node });
    } else if (!node.matches(SKIPPED))
      gather(node, found, node.matches(CONTROLS) ? CONTROL : isHeading(node) ? Math.min(rank, HEADING) : rank);
  };
  const textsOf = once(function texts(scope) {
    const found = [];
    const label = named(scope.getAttribute("aria-label") || "");
    if (label) found.push({ name: label, rank: HEADING, element: scope });
    gather(scope, found, TEXT);
    return found.sort((one, other) => one.rank - other.rank);
  });
  // All that it shows, a line for the text of each element, indented in buttons.
  const UNREAD = new Set(["SCRIPT", "STYLE", "TEMPLATE", "TEXTAREA", "SELECT"]);
  const write = (element) => {
    let [own, text] = ["", ""];
    const plain = !element.shadowRoot && element.localName !== "slot" && element.localName !== "form";
    const nodes = plain ? null : names.inside(element);
    let node = plain ? element.firstChild : nodes[0];
    for (let index = 1; node; node = plain ? node.nextSibling : nodes[index++]) {
      if (node.nodeType === 3) own += node.data;
      else if (node.nodeType === 1 && !UNREAD.has(node.tagName)) text += write(node);
    }
    if (element.localName === "img") {
      own = element.alt;
      text += `${pictured(element)}\n`;
    } else if (linked(element)) text += `${OF_LINK}${linked(element)}\n`;
    if (!WORD.test(own) || !isSeen(element)) return text;
    return `${element.localName === "button" ? "\t" : ""}${own.replaceAll("\n", " ")}\n${text}`;
  };
  const shownIn = once(function shown(scope) {
    return `${scope.getAttribute("aria-label") || ""}\n${write(scope)}`;
  });
  const NAMED = /^[^\t\n]*[\p{L}\p{N}]/mu;

  // ---- records ----
  const ENTRIES = new Set(["article", "dialog", "fieldset", "li", "tr"]);
  const ROLES = /^(row|listitem|article|treeitem|group|radiogroup)$/;
  const isDialog = (element) => /^(alert)?dialog$/.test(element.getAttribute("role") || element.localName);
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
  const isForm = (element) => element instanceof HTMLFormElement;  // its fields hide what it has
  // The records around a node, the innermost first; null where there is no record any more.
  const around = once(function records(node, tag) {
    const up = elements.parentOf(node);
    if (!up || elements.isRoot(up) || up.nodeType === 9) return [];
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
    for (let one = scope[side]; one?.localName === scope.localName && found.length < BESIDE; one = one[side])
      found.push(one);
    return found;
  };
  // Whether it is but the number of its place in the list.
  const isPlace = (name, scope) => {
    const [, number] = /^\W*(\d+)\W*$/.exec(name) || [];
    return !!number && scope.parentElement?.children[number - 1] === scope;
  };
  // What tells it from what is beside it: a name, and a number that stands for something; else whatever
  // does. Of what is alone its title and its first text.
  const telling = (scope) => {
    const found = textsOf(scope);
    const twins = ["nextElementSibling", "previousElementSibling"].flatMap((side) => besideOf(scope, side));
    const others = new Set(isDialog(scope) ? [] : twins.flatMap(textsOf).map(({ name }) => name));
    const own = others.size ? found.filter(({ name }) => !others.has(name) && !isPlace(name, scope)) : [];
    const [name, number] = [own.find(({ rank }) => rank < NUMBER), own.find(({ rank }) => rank === NUMBER)];
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
    const before = new Set(lines.flatMap((line) => [named(line), names.clean(line).slice(0, LENGTH), line]));
    const restless = ({ name, element }) =>
      !twinOf(scope) && changes.isRestlessIn(element) && [...before].map(uncounted).includes(uncounted(name));
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
    const same = all.find((one) => one.shown === shown) || all.find((one) => isSame(one.shown, scope));
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
  const holderOf = (node) => (node.nodeType === 3 ? node.parentElement || node.getRootNode().host : node);
  const said = new WeakMap();
  // What it says, if anybody sees it; what changes all the time says what it said first.
  const textAt = once(function text(node) {
    const holder = holderOf(node);
    if (!node.isConnected || !holder || !isSeen(holder)) return "";
    const now = named(node.nodeType === 3 ? run(node) : node.textContent);
    const counts = changes.isRestlessIn(holder) && uncounted(said.get(node) || "") === uncounted(now);
    if (now && !counts) said.set(node, now);
    return now && said.get(node);
  });

  const isText = (node) => node.nodeType === 3 && LETTER.test(node.data);
  const isOther = (node) => node.matches(BEFORE) || node.matches(CONTROLS) || node.localName === "label";
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
    for (let left = BACK; left && node && !elements.isRoot(node) && !(text && heading); left--) {
      const seen = at.get(node);
      if (seen) {
        text ||= seen.text;
        heading ||= seen.heading;
        break;
      }
      const previous = node.previousSibling;
      node = previous || elements.parentOf(node);
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
      ? records.every((record) => record.contains(element) || elements.within(element, record))
      : texts.length > 0 && texts.every(textAt);
  const placeOf = (element, acts) => {
    const place = places.get(element);
    if (place && isThere(place, element)) return place;
    const chain = (acts ? around : from)(element, element.localName);
    const records = chain.filter((scope) => NAMED.test(shownIn(scope)));
    // Put elsewhere, it may be about the same all the same.
    for (const [index, record] of records.entries())
      if (place?.records[index] && !known.has(record)) known.set(record, known.get(place.records[index]));
    places.set(element, { records, texts: records.length || !acts ? [] : preceding(element) });
    return places.get(element);
  };
  // What tells one subject from another.
  const keyOf = (element, acts) => {
    const { records, texts } = placeOf(element, acts);
    return [...records.map(numberOf), ...texts.map(textAt)].join("\n");
  };
  // The roles and names of the records that it is in, the innermost first, or what stands before it.
  const of = (element, acts) => {
    const { records, texts } = placeOf(element, acts);
    const nameOf = (record) => telling(record).map(({ name }) => name.replace(OF_BOTH, "")).join("\n");
    const told = records.map((record) => ({ role: aria.roleOf(record), name: nameOf(record) }));
    return [...told, ...texts.map((node) => ({ role: "", name: textAt(node) }))];
  };
  return { anew, keyOf, of };
})();

// The names of elements, as in Accessible Name and Description Computation 1.2 and HTML-AAM 1.0.
const names = (() => {
  const words = (text) => new Set(text.split(" "));
  const FROM_CONTENT = words(
    "button cell checkbox columnheader comment doc-backlink doc-biblioref doc-glossref " +
      "doc-noteref gridcell heading link menuitem menuitemcheckbox menuitemradio option radio row " +
      "rowheader switch tab tooltip treeitem",
  );
  // What stands in an element for itself is no part of the element's name.
  const SEPARATE = words(
    "alert alertdialog dialog grid group menubar radiogroup tablist tabpanel toolbar tree treegrid",
  );
  const MOST = 500;
  const BUTTONS = { reset: "Reset", submit: "Submit" };
  const ICONS = /[\uE000-\uF8FF]|[\u{F0000}-\u{10FFFD}]/gu;
  // Spaces of no width and soft hyphens.
  const EMPTY = /[\u00AD\u200B\u2060\uFEFF]+/g;
  const SPACES = /\s+/g;
  const clean = (text) => text.replace(EMPTY, "").replace(SPACES, " ").trim();

  // The nodes in an element as they are drawn, with shadow roots and slots.
  const { get: childNodes } = Object.getOwnPropertyDescriptor(Node.prototype, "childNodes");
  const inside = (element) => {
    if (element instanceof HTMLFormElement) return childNodes.call(element);
    if (element.shadowRoot) return element.shadowRoot.childNodes;
    const assigned = element.localName === "slot" ? element.assignedNodes() : [];
    return assigned.length ? assigned : element.childNodes;
  };
  // What a style sheet writes: its texts, attributes and counters, or what is to be said instead; not
  // where it has its pictures from.
  const INNER = '(?:[^"\\\\]|\\\\.)*';
  const QUOTED = `"(${INNER})"`;
  const PICTURE = `[\\w-]+\\("${INNER}"[^)]*\\)`;
  const COUNTER = `counters?\\(([^\\s,)]+)(?:, ${QUOTED})?(?:, ([\\w-]+))?\\)`;
  const ATTRIBUTE = "attr\\(([^\\s,)]+)[^)]*\\)";
  const PIECE = new RegExp([PICTURE, QUOTED, ATTRIBUTE, COUNTER].join("|"), "g");
  const plainly = (quoted) => quoted?.replace(/\\(.)/g, "$1");
  const written = (element, pseudo, content, counted) => {
    const [shown, instead] = content.split(/ \/ (?=(?:[^"]*"[^"]*")*[^"]*$)/);
    let text = "";
    for (const [, quoted, attribute, name, between, style] of (instead ?? shown).matchAll(PIECE))
      if (attribute) text += element.getAttribute(attribute) || "";
      else if (quoted !== undefined) text += plainly(quoted);
      else if (name && counted)
        text += counters.text(element, pseudo, { name, between: plainly(between), style });
    text = text.replace(ICONS, "");
    return text && shown === '""' ? ` ${text} ` : text;
  };
  // That before or after the content, `counted` with what counters stand at; the signs of an icon
  // font say nothing.
  const drawn = (element, pseudo, counted = true) => {
    const style = elements.styleOf(element, pseudo);
    const { content } = style;  // most elements have none, and each property takes microseconds
    if (content === "none" || content === "normal" || style.display === "none") return "";
    const text = style.visibility === "visible" ? written(element, pseudo, content, counted) : "";
    return text && style.display !== "inline" ? ` ${text} ` : text;
  };
  const isRendered = (element) =>
    element.checkVisibility() || getComputedStyle(element).display === "contents";
  const isVisible = (element) =>
    element.checkVisibility({ visibilityProperty: true }) ||
    getComputedStyle(element).display === "contents";
  const isShown = (element) => !aria.is(element, "aria-hidden") && isVisible(element);

  const attribute = (name) => (element) => {
    const value = element.getAttribute(name);
    return value ? clean(value) : "";
  };
  const label = attribute("aria-label");
  const title = attribute("title");

  // A walk through what a name is made of: the elements that were `seen`, whether it is that of
  // something `referred` to, which follows no other reference, and whether `hidden` texts count,
  // as they do in what is hidden itself.
  const begun = (element, seen, referred, hidden = !isShown(element)) => ({ seen, referred, hidden });
  const followed = (found, seen) =>
    clean(found.map((one) => spoken(one, begun(one, seen, true))).join(" "));
  // What `found` call the element, each read from its beginning; it may be one of them itself.
  const calledBy = (found, element) => {
    const texts = found.map((one) =>
      one === element ? itself(one) : followed([one], new Set([element])),
    );
    return clean(texts.join(" "));
  };
  const itself = (element) => {
    const walk = begun(element, new Set([element]), true);
    return label(element) || native(element, walk) || clean(content(element, walk)) || title(element);
  };

  // What the text of an element is, as part of the name of another one. What is not its content
  // stands apart from what is beside it.
  const spoken = (element, walk) => {
    const by = !walk.referred && element.hasAttribute("aria-labelledby");
    const text = by && followed(aria.referred(element, "aria-labelledby"), walk.seen);
    if (text) return ` ${text} `;
    if (walk.seen.has(element) || UNREAD.has(element.localName)) return "";
    walk.seen.add(element);
    if (element.localName === "br") return " ";
    const role = isPart(element) ? "" : aria.roleOf(element);
    const plain = role === "none" || role === "presentation";
    const own = held(element, role, walk) ?? called(element, plain, walk);
    if (own !== "") return ` ${own} `;
    const told = isSeparate(element, role, walk) ? "" : content(element, walk);
    const tip = plain || /\S/.test(told) ? "" : title(element);
    return tip ? ` ${tip} ` : told;
  };
  const called = (element, plain, walk) =>
    (element.localName !== "slot" && label(element)) || (plain ? "" : native(element, walk));
  // What is no text of the page, in hidden parts too.
  const UNREAD = words("noscript script style template");
  // Most of a name is plain: their roles need not be asked for.
  const PARTS = words("b br div em i label p small span strong");
  const isPart = (element) =>
    PARTS.has(element.localName) &&
    !element.hasAttribute("role") &&
    !element.hasAttribute("contenteditable");
  const isSeparate = (element, role, { referred }) =>
    SEPARATE.has(role) && element.hasAttribute("role") && !referred;

  // A field within a name counts as what it holds, whatever it is called. Without that a name
  // lasts while fields are filled in.
  let [valued, lasting] = [false, false];
  const FIELDS = words(
    "combobox listbox meter progressbar scrollbar searchbox slider spinbutton textbox",
  );
  const held = (element, role, walk) => {
    if (role === "menu") return " ";
    if (!FIELDS.has(role)) return undefined;
    valued = true;
    return lasting ? " " : valueOf(element, role, walk);
  };
  const valueOf = (element, role, walk) => {
    if (role === "combobox" || role === "listbox") return chosen(element, role, walk);
    if (role === "textbox" || role === "searchbox") return entered(element, walk);
    return ranged(element);
  };
  const ranged = (element) =>
    element.getAttribute("aria-valuetext") ||
    element.getAttribute("aria-valuenow") ||
    (element.localName === "meter" || element.hasAttribute("value") || element.localName === "input"
      ? `${element.value ?? ""}`
      : "");
  const entered = (element, walk) => {
    if (element.localName !== "input" && element.localName !== "textarea")
      return content(element, walk);
    return elements.isMasked(element) ? "" : element.value;
  };
  const belonging = (element) =>
    [element, ...aria.referred(element, "aria-owns")].flatMap((one) => [
      one,
      ...one.querySelectorAll("[aria-owns], [aria-selected]"),
    ]);
  const chosen = (element, role, walk) => {
    if (element.localName === "select")
      return [...element.selectedOptions].map((option) => option.label).join(" ");
    const all = new Set(belonging(element).flatMap(belonging));
    const marked = [...all].filter((one) => aria.is(one, "aria-selected"));
    if (marked.length) return marked.map((one) => spoken(one, walk)).join(" ");
    if (element.localName === "input") return entered(element, walk);
    return role === "combobox" ? content(element, walk) : "";
  };

  const content = (element, walk, silent = false) => {
    if (walk.seen.size > MOST) return element.innerText || "";
    let text = silent ? "" : drawn(element, "::before");
    for (const node of inside(element)) {
      if (node.nodeType === 3 && !silent) text += node.data;
      if (node.nodeType === 1) text += apart(node, part(node, walk));
    }
    if (element.hasAttribute("aria-owns"))
      for (const owned of aria.owned(element)) text += apart(owned, part(owned, walk));
    return silent ? text : text + drawn(element, "::after");
  };
  // What is hidden may show something in it again; nothing at all, null, is where nothing is drawn.
  const part = (element, walk) => {
    if (walk.hidden || isShown(element)) return spoken(element, walk);
    if (aria.is(element, "aria-hidden") || !isRendered(element)) return null;
    return content(element, walk, true);
  };
  const apart = (element, text) =>
    text === null || getComputedStyle(element).display === "inline" ? text || "" : ` ${text} `;

  // ---- the names that HTML gives ----
  const partOf = (element, tag, walk) => {
    const found = [...element.children].find(({ localName }) => localName === tag);
    return found && isShown(found) ? spoken(found, walk) : "";
  };
  const pictured = (element) => {
    const found = [...element.children].find(({ localName }) => localName === "title");
    return found ? found.textContent : element.getAttribute("xlink:title") || "";
  };
  const ofInput = (element) => {
    const { type, value } = element;
    if (type === "image") return element.alt || title(element) || BUTTONS.submit;
    if (type in BUTTONS) return value || BUTTONS[type];
    if (type === "button") return value || title(element);
    if (type === "file") return title(element) || "Choose File";
    return title(element) || prompted(element);
  };
  const prompted = (element) =>
    element.getAttribute("placeholder") || element.getAttribute("aria-placeholder") || "";
  // The words that the browser draws, of which no script learns, in the language of the page.
  const asking = (element, what) => (aria.asks(element) ? `Use ${what}` : "");
  const isPrecise = (element) => element.getAttribute("accuracymode")?.toLowerCase() === "precise";
  const NATIVE = {
    area: (element) => element.alt,
    details: (element) => (elements.opensItself(element) ? title(element) || "Details" : ""),
    fieldset: (element, walk) => partOf(element, "legend", walk),
    figure: (element, walk) => partOf(element, "figcaption", walk),
    geolocation: (element) => asking(element, isPrecise(element) ? "precise location" : "location"),
    img: (element) => element.alt,
    input: ofInput,
    optgroup: (element) => element.label,
    table: (element, walk) =>
      partOf(element, "caption", walk) || element.getAttribute("summary"),
    textarea: (element) => title(element) || prompted(element),
    usermedia: (element) => asking(element, "microphone and camera"),
  };
  const LABELABLE = words("button input meter output progress select textarea");
  // The browser looks through the whole document for the labels of each control: while many are
  // named, and nothing changes, they are looked up once for each tree.
  let labelled = null;
  const byControl = (root) => {
    const found = new Map();
    for (const label of root.querySelectorAll("label")) {
      const { control } = label;
      if (control) found.set(control, [...(found.get(control) || []), label]);
    }
    return found;
  };
  const labelsIn = (root) => {
    if (!labelled) return byControl(root);
    if (!labelled.has(root)) labelled.set(root, byControl(root));
    return labelled.get(root);
  };
  const labelsOf = (element) =>
    labelled ? labelsIn(element.getRootNode()).get(element) || [] : [...(element.labels || [])];
  // Whether something else on the page is its label.
  const isLabelled = (element) =>
    (LABELABLE.has(element.localName) && labelsOf(element).some(isVisible)) ||
    aria.referred(element, "aria-labelledby").length > 0;
  const atRest = (work) => {
    labelled = new Map();
    try {
      return work();
    } finally {
      labelled = null;
    }
  };
  const native = (element, walk) => {
    const { localName } = element;
    const labels = LABELABLE.has(localName) ? labelsOf(element) : [];
    const spokenBy = (label) => spoken(label, begun(label, walk.seen, false, false));
    // Also what `aria-hidden` hides, as the specification has it for what is referred to directly:
    // what opens a list hides all the rest so, and the control is called what it was before.
    const by = labels.length > 0 && clean(labels.filter(isVisible).map(spokenBy).join(" "));
    if (by) return by;
    const name = Object.hasOwn(NATIVE, localName)
      ? NATIVE[localName](element, walk)
      : element instanceof SVGElement && pictured(element);
    return name ? clean(name) : "";
  };

  // What else is said of an element, as a tip shows it: the description of the same specification.
  const description = (element) =>
    followed(aria.referred(element, "aria-describedby"), new Set([element])) ||
    attribute("aria-description")(element) ||
    title(element);
  // What the author of the page calls the element.
  const authored = (element) =>
    (element.hasAttribute("aria-labelledby") &&
      calledBy(aria.referred(element, "aria-labelledby"), element)) ||
    label(element) ||
    internals.get(element, "name");
  // The name that an element on the page has in that role; `short`: without what its content gives.
  const shownName = (element, role, short) => {
    const given = authored(element) || native(element, { seen: new Set([element]) });
    if (given) return given;
    const from = !short && (FROM_CONTENT.has(role) || element.localName === "summary");
    const found = from && clean(content(element, { seen: new Set([element]) }));
    return (
      found || title(element) || (role === "textbox" && clean(prompted(element))) || captioned(element)
    );
  };
  // What a person takes for the label of a field, where nothing else names that: what is beside a box
  // to tick, and the label of the custom element whose only field it is.
  const ENTRY = "input, select, textarea";
  const hostLabels = (field) => {
    const root = field.getRootNode();
    // The first one alone asks for all of them.
    if (!root.host || root.querySelector(ENTRY) !== field || root.querySelectorAll(ENTRY).length > 1) return [];
    return labelsIn(root.host.getRootNode()).get(root.host) || [];
  };
  const captioned = (element) => {
    if (!element.matches(ENTRY)) return "";
    const captions = [elements.captionOf(element), ...hostLabels(element)];
    return followed(captions.filter((one) => one && isVisible(one)), new Set([element]));
  };
  const isNameless = (element, role) =>
    role === "none" ||
    role === "presentation" ||
    !(isRendered(element) || element instanceof HTMLOptionElement);
  // The name of any element.
  const nameOf = (element, role, short) =>
    isNameless(element, role) ? "" : shownName(element, role, short);
  // Rows and cells need names of their own only where they are acted on.
  const LENGTHY = words("cell columnheader gridcell row rowheader");
  // Of these the content is shown anyway: a name besides is for what is acted on.
  const UNNAMED = words(
    "caption code definition deletion emphasis generic insertion mark none paragraph " +
      "presentation strong subscript suggestion superscript term time",
  );
  const isBlank = (element) => !/\S/.test(element.textContent);
  const toldName = (element, role, brief) => {
    if (!UNNAMED.has(role)) return shownName(element, role, brief && LENGTHY.has(role));
    return brief ? "" : authored(element) || (isBlank(element) ? title(element) : "");
  };
  // The name that a snapshot tells, `brief` of what is not acted on, and as `kept` the name without what fields hold.
  const named = (element, role, brief) => {
    valued = false;
    const name = toldName(element, role, brief);
    if (!valued) return { name, kept: name };
    lasting = true;
    const kept = toldName(element, role, brief);
    lasting = false;
    return { name, kept };
  };
  return { atRest, authored, clean, description, drawn, FROM_CONTENT, inside, isLabelled, label, named, nameOf, title };
})();

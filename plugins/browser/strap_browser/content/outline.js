// The outline of the document: what is on the page, with numbers by which its elements are found.
const outline = (() => {
  const DEPTH = 100;
  const DEEPEST = 700;  // what HTML is read to is 512 deep
  const WITHIN = 50;  // levels in what acts below that
  const URL = 500;
  const MASK = "•".repeat(8);
  // What drawings are made with, and what it holds is not drawn.
  const NOT_DRAWN = ["clipPath", "defs", "marker", "mask", "pattern", "symbol"];
  const UNSEEN = new Set([
    ...["desc", "head", "metadata", "script", "style", "template", "title"],
    ...NOT_DRAWN,
  ]);
  const VALUELESS = /^(button|checkbox|image|radio|reset|submit)$/;

  const FIELD = /^(checkbox|combobox|listbox|radio|searchbox|slider|spinbutton|switch|textbox)$/;
  const ACTS = /^(button|checkbox|link|menuitem|option|radio|switch|tab$)/;
  // What takes no mouse for a time, as all that is behind a menu, is known again: of what is no control
  // that is the ref by which its content is asked for.
  const isContainer = (role) => !ACTS.test(role) && !FIELD.test(role) && role !== "treeitem";
  // A form's fields hide what a form has of the same name: of such a form only the content is told.
  const isClobbered = (element) =>
    element instanceof HTMLFormElement &&
    ["checkVisibility", "closest", "getAttribute", "getBoundingClientRect", "hasAttribute"].some(
      (name) => typeof element[name] !== "function",
    );
  // What an action kept from screen readers, as all that is beside an open list: it is there as before.
  const withdrawn = new WeakSet();
  const withdraw = (element) => {
    if (element.childElementCount) withdrawn.add(element);
  };
  const isHidden = (element) => aria.is(element, "aria-hidden") && !withdrawn.has(element);
  const WORDS = /\S/;
  const VEILED = ["invisible"];
  // Of what becomes seen by and by once a script wants it to be, and of what is about to be, for
  // whoever waits for that.
  const FADING = ["invisible", "fading"];
  const APPEARING = ["invisible", "fading", "appearing"];
  const marksOf = (element, { opacity, transitionDuration, transitionProperty }) => {
    if (opacity !== "0") return VEILED;
    if (element.getAnimations().some(elements.changesOpacity)) return APPEARING;
    const changes = /\b(all|opacity)\b/.test(transitionProperty) && /[1-9]/.test(transitionDuration);
    return changes ? FADING : VEILED;
  };
  // What veils the element, and what is in it, with the marks of that; null where nothing does.
  const veilOf = (element, { style, rect }, around, clear) => {
    if (around && !elements.escapes(element, style, around.by)) return around;
    const veiled = elements.isVeiled(element, style, rect, clear);
    return veiled ? { by: element, marks: marksOf(element, style) } : null;
  };
  let keptLines = 0;  // lines of texts whose line breaks count
  const TOUCHING = 3;  // pixels between lines of one text
  const CELL = /^(cell|gridcell|row|rowheader)$/;
  class Branch {
    children = [];
    parts = [];
    text = "";
    // The text in a control, a cell or a heading is found by the ref of that.
    constructor(above, { name = "", role = "", owner = null } = {}) {
      const own = names.FROM_CONTENT.has(role);
      this.name = name;
      this.owner = owner;
      this.own = own;
      this.acts = ACTS.test(role);
      this.places = above ? above.places : null;
      this.whole = above ? above.whole : null;
      this.unseen = above ? above.unseen : null;
      this.off = !!above && above.off;
      this.panel = above ? above.panel : null;
      this.tiny = false;
      this.keeps = !!above && above.keeps && (!own || CELL.test(role));
      // Whether a part of its text, in a line of others, keeps its blanks.
      this.lined = false;
      this.single = null;
      this.depth = above ? above.depth + 1 : 0;
    }
    // A text of an element: what holds the whole text is what all of its parts are in.
    write(text, element, pseudo) {
      if (WORDS.test(text)) this.turn(elements.isTiny(element, pseudo));
      if (this.lined && !this.keeps) text = text.replace(/\s+/g, " ");
      if (this.places && text.trim()) this.place(text, element);
      else this.text += text;
    }
    place(text, element) {
      const alone = !this.keeps && this.places.tellsApart(text, element, this.owner);
      if (alone) this.part();
      this.text += text;
      this.places.note(text, element);
      this.holder = places.shared(this.holder, element);
      if (alone) this.part();
    }
    // What follows is on the same line, but has a ref of its own.
    part() {
      const text = names.clean(this.text);
      if (text) this.parts.push(this.told(text, this.keeps || this.lined ? lines.of(this.text) : []));
      this.text = "";
      this.lined = false;
      this.holder = null;
    }
    // Texts too small to be seen are told apart from those beside them.
    turn(tiny) {
      if (tiny !== this.tiny) this.end();
      this.tiny = tiny;
    }
    end() {
      this.part();
      const one = this.parts.length > 1 && !this.owner;
      this.children.push(...(one ? [{ role: "parts", children: this.parts }] : this.parts));
      if (this.keeps && this.parts.length === 1) this.join();
      this.parts = [];
    }
    // Lines that are elements of their own, one right below the other, are one text.
    join() {
      const [{ children, box }, before] = [this, this.single];
      const text = textOf(children.at(-1));
      this.single = text && box ? { at: children.length, box, text } : null;
      if (!this.single || before?.at !== children.length - 1 || Math.abs(box.top - before.box.bottom) > TOUCHING) return;
      this.single = { at: before.at, box, text: `${before.text}\n${text}` };
      children.splice(-2, 2, { role: "lines", text: this.single.text });
      keptLines += 1;
    }
    // A block is on lines of its own: in a text whose line breaks count no more than that.
    divide() {
      if (!this.keeps) this.end();
      else if (this.text && !this.text.endsWith("\n")) this.text += "\n";
    }
    told(text, lines) {
      const ref = this.isOwn(text) ? undefined : this.places?.numberOf(text, this.holder);
      const unseen = this.veil || (this.tiny && VEILED);
      if (!ref && !unseen && !lines.length) return text;
      keptLines += lines.length;
      const told = lines.length ? { role: "lines", text: lines.join("\n") } : { role: "text", text };
      if (ref) Object.assign(told, { ref, version: refs.versionOf(this.holder) });
      if (unseen) told.marks = unseen;
      return told;
    }
    // Whether the ref of what the text is in is as good as one of its own.
    isOwn(text) {
      if (this.holder === this.owner) return true;
      return this.own && !this.places?.tellsPart(text, this.owner);
    }
    // The marks of what nobody sees in it, null where that is seen.
    get veil() {
      return this.unseen?.marks || (this.off ? VEILED : null);
    }
    // For a part of it that is told otherwise; returns what is to be left again.
    enter(kept, unseen, off, part) {
      const left = { kept, unseen: this.unseen, off: this.off, whole: this.whole, panel: this.panel };
      if (kept?.block || unseen !== this.unseen || off !== this.off) this.end();
      if (kept) {
        if (!kept.block && !this.lined) this.text = this.text.replace(/\s+/g, " ").trimStart();
        this.lined = !kept.block;
        this.box = kept.block;
        this.keeps = true;
      }
      if (this.unseen && unseen !== this.unseen && this.panel === this.unseen.by) this.panel = null;
      this.unseen = unseen;
      this.off = off;
      this.whole = part;
      return left;
    }
    leave({ kept, unseen, off, whole, panel }) {
      if (kept?.block || unseen !== this.unseen || off !== this.off) this.end();
      if (kept) this.keeps = false;
      this.unseen = unseen;
      this.panel = panel;
      this.off = off;
      this.whole = whole;
    }
    add(node) {
      this.end();
      this.children.push(node);
    }
  }
  // The text of a piece of one that is one line, "" of others.
  const textOf = (piece) => {
    if (typeof piece === "string") return piece;
    const { role, text, ref, marks } = piece;
    return role === "lines" && !ref && !marks && !text.includes("\n") ? text : "";
  };
  const isField = ({ localName }) => /^(input|select|textarea)$/.test(localName);
  const isEntry = ({ localName }) => localName === "input" || localName === "textarea";
  const PASSWORDS = "input[type=password]";
  const passwords = () =>
    new Set([...document.querySelectorAll(PASSWORDS)].map(({ value }) => value).filter(Boolean));
  const isDropDown = (element) => element.localName === "select" && aria.isDropDown(element);
  // The name of a group stands before its first option, and before the one that is chosen.
  const options = (element) => {
    let group = null;
    return [...element.options]
      .filter((option) => !option.hidden)
      .map((option) => {
        const begins = fields.groupOf(option) !== group;
        group = fields.groupOf(option);
        const name = begins || option.selected ? fields.titleOf(option) : names.clean(option.label);
        return { role: "option", name, marks: states.of(option, "option") };
      });
  };
  const shownIn = (element) =>
    elements.isFolded(element) ? elements.summaries(element) : names.inside(element);
  // The part of an element that is its name already.
  const CAPTIONS = { caption: "table", figcaption: "figure", legend: "fieldset" };
  const ACTIVE = "a, button, details, input, select, textarea, [role], [tabindex]";
  const isName = (element, name) =>
    !!name &&
    element.parentElement?.localName === CAPTIONS[element.localName] &&
    names.clean(element.textContent) === name &&
    !element.querySelector(ACTIVE);
  const isDrawn = ({ width, height }) => width > 0 && height > 0;
  const hasBox = (element, { display, rect }) =>
    display === "contents" ? elements.isShown(element) : isDrawn(rect);
  const frameNumber = ({ contentWindow }) => {
    for (let index = 0; index < length; index++) if (window[index] === contentWindow) return index;
    return -1;
  };
  // What shows a document as a frame does, if it is none.
  const isDocument = ({ localName, contentWindow }) => localName === "object" && !!contentWindow;
  // Whether a document is to come into the frame.
  const awaits = (frame) =>
    frame.hasAttribute("srcdoc") ||
    !/^\s*(about:blank|javascript:.*)?$/i.test(frame.getAttribute("src") || "");
  // Whether a click on the label that stands for a field arrives at it.
  const isLabelled = (element) => {
    const label = elements.visibleLabel(element);
    return !!label && getComputedStyle(label).pointerEvents !== "none";
  };
  // What says something and is hidden as a whole, as a closed drawer: not what is for readers alone.
  const isPanel = ({ localName, textContent }, { width, height }) =>
    !/^(input|label|select|textarea)$/.test(localName) &&
    Math.max(width, height) > 1 &&
    WORDS.test(textContent);
  // Whether it is for the keyboard alone: in what takes the mouse for it, as the handle of a slider.
  const isKeyed = (element, { pointerEvents }) =>
    isTyped(element) &&
    !PUSHED.has(element.type) &&
    element.tabIndex >= 0 &&
    pointerEvents === "none" &&
    getComputedStyle(element.parentElement || element.getRootNode().host).pointerEvents !== "none";
  const isCalled = (label) => !!label && elements.isSeen(label);
  const PUSHED = new Set(["button", "image", "reset", "submit"]);
  const isTyped = (element) => isEntry(element) && !uses.LABELLED.has(element.type);
  const isUnheard = (element) =>
    aria.is(element, "aria-hidden") ||
    (!uses.LABELLED.has(element.type) &&
      !!element.closest("[aria-hidden=true]") &&
      !isCalled(elements.visibleLabel(element)));
  const isUntouched = ({ localName }, { pointerEvents }) =>
    localName === "select" && pointerEvents === "none";
  // What neither eyes nor assistive technology, or the mouse, nor the Tab key find: the field that a
  // widget replaces. One for files that lies over a button takes the mouse.
  const isOver = ({ type }, { pointerEvents }, { width, height }) =>
    type === "file" && pointerEvents !== "none" && width > 1 && height > 1;
  const isReplaced = (element, { style, rect }, unseen) =>
    (unseen || rect.width <= 1 || rect.height <= 1) &&
    element.tabIndex < 0 &&
    !isOver(element, style, rect) &&
    (isUntouched(element, style) || isUnheard(element));
  // In what acts itself, such as a button, decoration shows the same pointer.
  const PLAIN = new Set(["none", "presentation"]);
  const isSilent = (element, role, style, { whole, acts, places }) => {
    if (!whole) return acts && PLAIN.has(role);
    return !(whole.listed && wholes.isEntry(element, role, style)) && !places?.wantsIcon(element);
  };
  const AREA = { width: 200, height: 100 };  // pixels: a button is smaller
  const isLarge = ({ width, height }) => width >= AREA.width && height >= AREA.height;
  const describe = (element, role, look, above) => {
    const { style } = look;
    const hit = style.pointerEvents !== "none" && hasBox(element, look);
    const reached = hit || isLabelled(element) || isKeyed(element, style) || !!elements.shellOf(element);
    const silent = isSilent(element, role, style, above);
    const hand = style.cursor === "pointer";
    const over = hit && !silent && hovers.isHand(element, style);
    const shows = !silent && (hand || over) && !elements.drawsBox(element) && !isAroundPart(element);
    const handle = hit && !silent && uses.isHandle(element, style);
    const pointer = reached && (handle || uses.isUsed(element, role) || shows);
    // What can be acted on in it is not all that it says.
    const parted = pointer && !hand && !over && isLarge(look.rect);
    const summary = element.localName === "summary";
    if (role === "generic" && (pointer || (reached && internals.speaks(element.parentElement))))
      internals.note(element);
    return { role, reached, pointer, parted, hand, over, rect: look.rect, summary };
  };
  // A label that shows the pointer of its control, which is told by a name, or is a box to tick in it, is
  // no more than a part of that.
  const isKnown = (control, label) =>
    !!control && ((uses.LABELLED.has(control.type) && label.contains(control)) || !!names.authored(control));
  const isPartOf = (element, { cursor }) =>
    element.localName === "label" &&
    cursor === "pointer" &&
    (WORDS.test(element.textContent) || isKnown(element.control, element)) &&
    !!element.control?.checkVisibility({ visibilityProperty: true }) &&
    !uses.behind(element);
  // Whether there is such a label in it, and nothing else, as where a slot takes that.
  const DOWNWARDS = 3;
  const onlyIn = (element) => {
    const seen = [...names.inside(element)].filter((node) => !isBlank(node) && isDisplayed(node));
    return seen.length === 1 && seen[0].nodeType === 1 ? seen[0] : null;
  };
  const isDisplayed = (node) => node.nodeType === 3 || elements.styleOf(node).display !== "none";
  const isAroundPart = (element) => {
    let inner = element;
    for (let down = 0; down < DOWNWARDS && inner && inner.localName !== "label"; down++) inner = onlyIn(inner);
    return inner?.localName === "label" && isPartOf(inner, elements.styleOf(inner));
  };
  const wholeOf = (element, look, { whole }) => {
    if (whole) return wholes.around(element, look, whole);
    return isPartOf(element, look.style) ? wholes.beginning(look.rect, true, false) : null;
  };
  // What says nothing that its content does not, as part of a text or around it.
  const WRAPPERS = new Set(
    (
      "code deletion emphasis generic insertion mark none presentation strong subscript suggestion " +
      "superscript time"
    ).split(" "),
  );
  // What is drawn small and says nothing, as icons are: in no shadow root or style sheet either.
  const ICON = { least: 4, most: 100 };
  const HOLDING = `${ACTIVE}, foreignObject`;
  const isDrawing = (element) => element instanceof SVGElement && !element.querySelector(HOLDING);
  const isBlank = ({ nodeType, data }) => nodeType !== 1 && (nodeType !== 3 || !/\S/.test(data));
  const isBare = (element) =>
    [...names.inside(element)].every(isBlank) &&
    !element.hasAttribute("aria-owns") &&
    !["::before", "::after"].some((pseudo) => names.drawn(element, pseudo).trim());
  const isIcon = (element, { role, name, pointer }, { width, height }) =>
    !pointer &&
    !name &&
    (WRAPPERS.has(role) || role === "img") &&
    Math.min(width, height) >= ICON.least &&
    Math.max(width, height) <= ICON.most &&
    ((role === "img" && isDrawing(element)) || isBare(element));
  const isWrapper = ({ role, pointer, summary }) => WRAPPERS.has(role) && !pointer && !summary;
  // A text that is struck out, as in Markdown: a price of before is not the price.
  const struck = ({ localName, firstElementChild }) =>
    (localName === "del" || localName === "s") && !firstElementChild ? "~~" : "";

  // Where only margins or padding keep words apart.
  const GAP = 3;
  const ENDS = /[\p{L}\p{N}]$/u;
  const BEGINS = /^[\p{L}\p{N}]/u;
  const isApart = (style, side) =>
    parseFloat(style[`margin${side}`]) + parseFloat(style[`padding${side}`]) >= GAP;
  const goesOn = ({ nextSibling: next }) => BEGINS.test(next?.data ?? next?.firstChild?.data ?? "");

  // What is in no field and in nothing hidden, as the list of a combobox that ARIA 1.0 made of a text
  // field, is shown where it stands.
  const canOwn = (element) =>
    !isField(element) && element.checkVisibility() && !element.closest("[aria-hidden=true]");

  const controlsAmong = (nodes) =>
    nodes.flatMap((node) => {
      const acts = node.ref && (node.pointer || ACTS.test(node.role) || FIELD.test(node.role));
      return acts ? [node] : controlsAmong(node.children || []);
    });

  const said = (node) =>
    typeof node === "string" ? node : [node.text, ...(node.children || []).map(said)].filter(Boolean).join(" ");

  class Walk {
    constructor(start) {
      // Whether no shadow root was met on the way here.
      this.plain = elements.isRoot(start);
      this.owned = new Set();
      for (const owner of document.querySelectorAll("[aria-owns]"))
        if (canOwn(owner)) for (const owned of this.ownedBy(owner)) this.owned.add(owned);
      this.seen = new Set();
      this.closed = new Set();
      this.clip = null;  // the box around that cuts off what is beside it
      this.passwords = passwords();
      this.numbers = new numbers.Numbers();
      this.extent = new extents.Extent();
      this.focused = document.hasFocus() ? elements.focused() : null;
      // What the keys are for in what has the focus, as the option of a list.
      this.active = this.focused && aria.referred(this.focused, "aria-activedescendant")[0];
    }
    ownedBy(element) {
      return aria.owned(element).filter((owned) => !owned.contains(element));
    }
    element(element, branch, levels) {
      const { localName } = element;
      if (UNSEEN.has(localName) || this.seen.has(element)) return;
      if (this.owned.size) this.seen.add(element);
      const style = elements.styleOf(element);
      const { display } = style;
      if (display === "none") return;
      if (isClobbered(element))
        return this.inside(element, branch, levels, style.visibility !== "visible");
      const field = code.fieldIn(element);
      if (field) return this.code(element, field, branch);
      if (branch.keeps && lines.isNumber(element, style)) return;
      // Most are seen: one question instead of several.
      const clear = elements.isClear(element);
      if (!clear && style.visibility !== "visible") return this.inside(element, branch, levels, true);
      if (!clear && display !== "contents" && !element.checkVisibility()) return;
      if (display !== "inline" && style.contentVisibility === "hidden") this.closed.add(element);
      if (localName === "br") return void (branch.text += branch.keeps ? "\n" : " ");
      if (localName in CAPTIONS && isName(element, branch.name)) return;
      scrolling.meet(element, style);
      const look = { style, display, rect: element.getBoundingClientRect() };
      // Text whose line breaks are its own, as that of code; and what nobody sees, which is told as
      // such: it is where pages hide what only a reader is to find.
      const kept = !branch.keeps && lines.isKept(element, style) && { block: !display.startsWith("inline") && look.rect };
      const unseen = veilOf(element, look, branch.unseen, clear);
      const off = look.rect.width > 0 ? this.isOff(element, look.rect) : branch.off;
      if (isField(element) && isReplaced(element, look, unseen || off)) return;
      const left = branch.enter(kept, unseen, off, wholeOf(element, look, branch));
      if (!branch.panel && (unseen?.by === element || off) && isPanel(element, look.rect)) branch.panel = element;
      const { clip } = this;
      if (style.overflowX !== "visible" && !elements.isRoot(element))
        this.clip = /auto|scroll/.test(style.overflowX) ? null : extents.shared(look.rect, clip);
      this.drawn(element, look, branch, levels);
      this.clip = clip;
      branch.leave(left);
    }
    isOff(element, rect) {
      if (this.clip && extents.isBeside(rect, this.clip) && extents.isCut(element)) return true;
      return this.extent.isOff(element, rect);
    }
    drawn(element, look, branch, levels) {
      const told = describe(element, refs.roleOf(element), look, branch);
      if (told.role === "img" && elements.isTick(element)) return;
      if (branch.places?.wantsIcon(element) && this.icon(element, told, look, branch)) return;
      if (isWrapper(told)) return this.wrapper(element, look, branch, levels);
      Object.assign(told, refs.called(element, told.role, !told.pointer));
      this.node(element, told, branch, levels);
    }
    // A drawing that nobody calls anything has a ref for whoever asks.
    icon(element, told, { rect }, branch) {
      const { name } = refs.called(element, told.role, true);
      const found = isIcon(element, { ...told, name }, rect);
      const [ref, version] = [refs.numberOf(element), refs.versionOf(element)];
      if (found) branch.add({ role: "img", pointer: true, ref, version });
      return found;
    }
    wrapper(element, { style, display }, branch, levels) {
      const inline = display === "inline";
      const cell = display === "table-cell" ? " " : "";
      const within = inline || ((branch.keeps || branch.lined) && display.startsWith("inline"));
      const apart = !cell && !within && display !== "contents";
      if (apart) branch.divide();
      if (inline && ENDS.test(branch.text) && isApart(style, "Left")) branch.text += " ";
      branch.text += cell;
      branch.text += struck(element);
      const [count, { length }] = [branch.children.length, branch.text];
      if (isHidden(element)) this.unspoken(element, branch, levels);
      else this.inside(element, branch, levels);
      if (branch.children.length === count && branch.text.length === length)
        branch.write(names.label(element), element);
      branch.text += struck(element);
      if (inline && goesOn(element) && isApart(style, "Right")) branch.text += " ";
      branch.text += cell;
      if (apart) branch.divide();
    }
    unspoken(element, branch, levels) {
      const within = new Branch(branch);
      this.inside(element, within, levels);
      within.end();
      if (within.children.length)
        branch.add({ role: "generic", hidden: true, children: within.children });
    }
    node(element, told, above, levels) {
      const { role, name, reached, pointer, parted, hand, over, rect, summary } = told;
      const branch = new Branch(above, { name, role, owner: element });
      const node = { role };
      if (name) node.name = name;
      if (reached || isContainer(role)) this.refer(node, element, told);
      else node.barred = refs.numberOf(element);
      if (pointer || (summary && reached)) {
        node.pointer = true;
        if (parted) node.parted = true;
        if (hand || over || summary || branch.acts) branch.whole = wholes.beginning(rect, hand, over);
      }
      else if (role.startsWith("menuitem")) branch.whole = wholes.beginning(rect, hand, over);
      const number = element.localName === "li" && this.numbers.unusual(element);
      if (number) node.number = number;
      // A tip that is seen is what somebody rested on something, or clicked it, for.
      const isTip = role === "tooltip" && !above.veil;
      if (isHidden(element) && !isTip) node.hidden = true;
      const field = uses.behind(element);
      const marks = states.of(field || element, role, (!field && this.plain) || undefined);
      if (element === this.focused && element !== document.body) marks.push("focused");
      if (element === this.active) marks.push("active");
      if (this.isUnseen(element, told, above)) marks.push(...(above.veil || VEILED));
      if (marks.length) node.marks = marks;
      if (role === "link" && element.hasAttribute("href"))
        node.url = element.getAttribute("href").slice(0, URL);
      const prompt = role === "textbox" && element.getAttribute("placeholder")?.trim();
      if (prompt && prompt !== name) node.placeholder = prompt;
      if (name && FIELD.test(role) && names.isLabelled(element)) node.labelled = true;
      if (role === "iframe") Object.assign(node, { frame: frameNumber(element), awaited: awaits(element) });
      else if (node.ref && isDocument(element)) node.frame = frameNumber(element);
      above.add(node);
      this.fill(node, this.content(element, role, branch, levels), above);
      const asks = role === "textbox" && element.isContentEditable && !editors.holdsText(element) && said(node);
      if (asks && !controlsAmong(node.children || []).length)
        Object.assign(node, { placeholder: asks, text: "", children: [] });
      const suggested = fields.suggested(element);
      if (suggested.length) node.children = suggested.map((name) => ({ role: "option", name, marks: [] }));
      const silent = node.ref && (pointer || branch.acts) && !says(node);
      const looks = !isField(element) || (element.type === "radio" && element.hasAttribute("value"));
      if (silent && looks) node.icon = icons.of(element);
    }
    // What a name says is hidden as a text may be. A picture that has not come will be seen, and a
    // field that nobody sees is often drawn by what is around it, unless that is hidden as a whole, or
    // the field is moved away from it, as one is that only robots are to fill.
    isUnseen(element, { role, name, reached, pointer, rect }, above) {
      if (element.complete === false) return false;
      if (role === "iframe") return above.veil;
      if (role === "progressbar" && !name && !states.at(element, role))
        return above.veil || Math.min(rect.width, rect.height) <= 1;
      if (isField(element) && !PUSHED.has(element.type)) {
        const moved = above.off && isTyped(element) && !this.isLabelSeen(element);
        if (moved && !elements.shellOf(element)) return true;
        return !!above.panel && above.panel !== element && element.type !== "file";
      }
      const unseen = above.veil || (!reached && elements.isTiny(element));
      return (!!name || pointer || ACTS.test(role)) && !!unseen && !isLabelled(element);
    }
    isLabelSeen(field) {
      const label = elements.visibleLabel(field);
      return !!label && !this.extent.isOff(label, label.getBoundingClientRect());
    }
    code(editor, field, above) {
      const role = aria.roleOf(field);
      const told = refs.called(field, role);
      const marks = states.of(field, role);
      if (field === this.focused) marks.push("focused");
      const node = { role, name: told.name, marks };
      this.refer(node, field, told);
      above.add(node);
      const branch = code.isTerminal(editor) ? above : new Branch(null, { role, owner: field });
      const left = branch.enter({ block: editor.getBoundingClientRect() }, above.unseen, above.off, above.whole);
      branch.text = code.text(editor);
      branch.leave(left);
      if (branch !== above) this.fill(node, branch, above);
    }
    // A place on a picture, as a part of it.
    area(area, branch) {
      const role = aria.roleOf(area);
      const told = refs.called(area, role);
      if (!elements.isShown(area) || !(uses.isUsed(area, role) || role === "link")) return;
      const node = { role, name: told.name, pointer: true };
      if (role === "link") node.url = area.getAttribute("href").slice(0, URL);
      this.refer(node, area, told);
      branch.add(node);
    }
    refer(node, element, told) {
      const { number, version } = refs.refOf(element, told);
      node.ref = number;
      if (version) Object.assign(node, { version, about: refs.subjectOf(element) });
    }
    content(element, role, branch, levels) {
      const value = states.at(element, role);
      if (value) this.valued(element, value, branch, levels);
      else if (isDropDown(element)) branch.children = options(element);
      else if (isEntry(element)) {
        branch.keeps = element.localName === "textarea";
        branch.text = this.valueOf(element);
      }
      else if (!refs.FRAMES.has(element.localName) && !uses.isDrawn(element))
        this.inside(element, branch, levels);
      for (const area of areas.of(element)) this.area(area, branch);
      branch.end();
      return branch;
    }
    // What has a value says that; what can be used in it, as a button in a splitter, is there as well.
    valued(element, value, branch, levels) {
      const within = new Branch(branch);
      for (const node of shownIn(element))
        if (node.nodeType === 1 && !this.owned.has(node)) this.element(node, within, levels + 1);
      branch.text = value;
      for (const control of controlsAmong(within.children)) branch.add(control);
    }
    // Another field that holds the same as one for passwords is as secret.
    valueOf(field) {
      const { type, value, files } = field;
      if (type === "file") return fields.namesOf(files);
      if (VALUELESS.test(type)) return "";
      return value && (this.passwords.has(value) || elements.isMasked(field)) ? MASK : value;
    }
    // What is nested too deep stands beside what it is in.
    fill(node, { children, depth }, above) {
      const [text] = children;
      if (children.length === 1 && typeof text === "string") {
        if (text !== node.name) node.text = text;
      } else if (depth > DEPTH) above.children.push(...children);
      else if (children.length) node.children = children;
    }
    // The numbers of lines are no part of a code.
    beside(element, pseudo, branch) {
      const text = names.drawn(element, pseudo, !branch.keeps);
      if (text) branch.write(text, element, pseudo);
    }
    inside(element, branch, levels, silent = false) {
      if (levels > DEEPEST) return this.deepest(element, branch);
      if (element.shadowRoot) this.plain = false;
      if (!silent) this.beside(element, "::before", branch);
      for (const node of this.closed.has(element) ? [] : shownIn(element)) {
        if (node.nodeType === 3 && !silent) branch.write(node.data, element);
        else if (node.nodeType === 1 && !this.owned.has(node))
          this.element(node, branch, levels + 1);
      }
      if (this.owned.size)
        for (const owned of this.ownedBy(element))
          if (this.owned.has(owned)) this.element(owned, branch, levels + 1);
      if (!silent) this.beside(element, "::after", branch);
    }
    // What scripts nest deeper than a browser reads HTML: its texts, and its controls.
    deepest(element, branch) {
      const walker = document.createTreeWalker(element);
      for (let node = walker.nextNode(); node; ) {
        const acts = node.nodeType === 1 && node.matches(elements.CONTROL);
        if (acts) this.element(node, branch, DEEPEST - WITHIN);
        else if (node.nodeType === 3 && node.parentElement.checkVisibility()) branch.text += ` ${node.data}`;
        node = acts ? null : walker.nextNode();
        if (acts) while (!(node = walker.nextSibling()) && walker.parentNode());
      }
    }
    // What nothing shows that owns it, as two that own each other.
    rest(start, branch) {
      for (const owned of this.owned) if (start.contains(owned)) this.element(owned, branch, 0);
    }
  }
  const seesParent = () => {
    try {
      return !!parent.document;
    } catch {
      return false;
    }
  };
  // Which of its parent's frames this document is in. Firefox counts those in shadow roots, too, but for
  // documents of the same origin: others get no number.
  const own = () => {
    if (parent === window || (elements.isFirefox && !seesParent())) return -1;
    for (let index = 0; index < parent.length; index++) if (parent[index] === window) return index;
    return -1;
  };
  // What an element shows.
  const part = (element, asked) => {
    const root = new Branch();
    root.places = places.asked(asked);
    elements.anew();
    hovers.anew();
    subjects.anew();
    names.atRest(() => {
      const walk = new Walk(element);
      walk.element(element, root, 0);
      walk.rest(element, root);
    });
    root.end();
    return root.children;
  };
  const says = (node) =>
    typeof node === "string" || !!(node.name || node.text || node.children?.some(says));
  const tree = (asked) => {
    const start = elements.top();
    keptLines = 0;
    scrolling.anew();
    const tree = start ? part(start, asked) : [];
    const drawn = !tree.some(says) && media.of(document).some(({ width }) => width);
    const draws = !tree.length && document.scripts.length > 0;  // there may be something later
    return { id: refs.id(), frame: own(), tree, lines: keptLines, drawn, draws };
  };
  // The line of one element, without what is in it.
  class Line extends Walk {
    inside() {}
  }
  const line = (element) => {
    const root = new Branch();
    subjects.anew();
    new Line(element).element(element, root, 0);
    return root.children;
  };
  return { NOT_DRAWN, line, part, tree, withdraw };
})();

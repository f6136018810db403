// Fields of forms: which they are, focusing them and making them ready for text.
const fields = (() => {
  const SET = ["color", "date", "datetime-local", "month", "range", "time", "week"];
  const FORMS = {
    color: "#aabbcc",
    date: "2030-12-31",
    "datetime-local": "2030-12-31T23:59",
    month: "2030-12",
    number: "1234.5",
    time: "23:59",
    week: "2030-W52",
  };
  const NOT_TEXT = ["button", "checkbox", "file", "image", "radio", "reset", "submit"];
  const EDITABLE = "input, textarea, select, [contenteditable]:not([contenteditable=false])";

  // The body of a frame's document, if that is edited as a whole; of another site's nobody knows.
  const editorIn = (frame) => {
    const body = frame.contentDocument?.body;
    return body?.isContentEditable ? body : null;
  };
  // The field that is meant: the element, the control of a label, the only field inside that is not
  // hidden (widgets keep their values in such), or the editor that the element is part of.
  const DRAWN = { visibilityProperty: true };
  // Whether it is the page as a whole, which takes neither a text nor the focus.
  const isPage = (element) => elements.isRoot(element) && !element.isContentEditable && element.tabIndex < 0;
  const fieldOf = (element) => {
    if (refs.FRAMES.has(element.localName)) return editorIn(element);
    if (code.editorOf(element) || element.matches("input, textarea, select") || element.isContentEditable) return element;
    if (elements.isRoot(element)) return null;
    if (element.localName === "label" && element.control) return element.control;
    const inside = [...element.querySelectorAll(EDITABLE)];
    if (element.shadowRoot) inside.push(...element.shadowRoot.querySelectorAll(EDITABLE));
    const drawn = inside.filter((one) => one.checkVisibility(DRAWN));
    return drawn.length === 1 ? drawn[0] : null;
  };
  const kindOf = (field) => {
    if (field.localName === "select") return "select";
    if (field.localName !== "input") return "text";
    if (NOT_TEXT.includes(field.type)) return field.type;
    return SET.includes(field.type) ? "set" : "text";
  };
  const changed = (field) => {
    field.dispatchEvent(new Event("input", { bubbles: true, composed: true }));
    field.dispatchEvent(new Event("change", { bubbles: true }));
  };
  // A slider is moved as by the mouse, whose release many pages wait for; 1 is the pointer that a mouse is.
  const dragged = (field, type, buttons) => {
    const [x, y] = elements.thumbOf(field);
    const { left, top } = field.getBoundingClientRect();
    const at = { clientX: left + x, clientY: top + y, button: 0, buttons, bubbles: true, cancelable: true, composed: true };
    const made = type.startsWith("pointer")
      ? new PointerEvent(type, { ...at, pointerId: 1, pointerType: "mouse", isPrimary: true })
      : new MouseEvent(type, at);
    field.dispatchEvent(made);
  };
  // A colour as such a field holds it, where a style sheet would take it.
  const colourOf = (value) => {
    const pen = CSS.supports("color", value) ? new OffscreenCanvas(1, 1).getContext("2d") : null;
    if (pen) pen.fillStyle = value;
    return pen ? pen.fillStyle : value;
  };
  const isSame = ({ type }, value, shown) =>
    type === "color" ? colourOf(value) === shown
      : shown === value || (type === "range" && value.trim() && Number(shown) === Number(value));
  // Returns what the field then holds, before the page hears of it; null for what is no value of it.
  const setValue = (field, value, origins) => {
    const before = field.value;
    field.value = field.type === "color" ? colourOf(value) : value;
    const shown = field.value;
    const isTaken = !value || isSame(field, value, shown);
    field.value = before;
    if (!isTaken) return null;
    const isSlider = elements.isSlider(field);
    activate(field);
    hearKey("keydown");
    if (isSlider) dragged(field, "pointerdown", 1);
    if (!mayHave(field, origins)) return null;
    field.value = shown;
    field.dispatchEvent(new Event("input", { bubbles: true, composed: true }));
    if (isSlider) for (const type of ["pointerup", "mouseup"]) dragged(field, type, 0);
    field.dispatchEvent(new Event("change", { bubbles: true }));
    hearKey("keyup");
    return shown;
  };
  // How a value of the field is written.
  const steps = ({ step }) => (Number(step) > 0 ? ` in steps of ${step}` : "");
  const form = (field) =>
    field.type === "range"
      ? `a number from ${field.min || 0} to ${field.max || 100}${steps(field)}`
      : FORMS[field.type] || "one of its options";

  // ---- options ----
  const plain = (text) => text.replace(/[\s\u200b]+/g, " ").trim();
  const isOpen = (option) => !option.matches(":disabled");
  const groupOf = ({ parentElement }) =>
    parentElement?.localName === "optgroup" ? parentElement : null;
  // Pages that draw a drop-down themselves may name a group by its legend.
  const legendOf = ({ firstElementChild: first }) => (first?.localName === "legend" ? first.textContent : "");
  const groupName = (group) => group && (group.label || legendOf(group));
  // What an option is called, with the group that tells it from others of the same text.
  const titleOf = (option) =>
    [groupName(groupOf(option)), option.label].map((part) => plain(part || "")).filter(Boolean).join(": ");
  const titles = (options) => options.slice(0, 30).map(titleOf);
  // The options that are meant, best first: by what a person sees, then by what the form sends.
  const optionsOf = (field, value) => {
    const text = plain(value);
    const same = (one) => one.toLowerCase() === text.toLowerCase();
    const fits = [
      (option) => plain(option.label) === text,
      (option) => titleOf(option) === text,
      (option) => option.value === value,
      (option) => same(plain(option.label)) || same(titleOf(option)),
    ];
    return fits.map((fit) => [...field.options].filter(fit)).find((found) => found.length) || [];
  };
  const unchosen = (field, value) => {
    const kind = elements.clip(value, 80);
    const found = optionsOf(field, value);
    if (!found.length) return { why: "no option", kind, options: titles([...field.options]) };
    const open = found.filter(isOpen);
    if (!open.length) return { why: "option disabled", kind };
    // Of the same group and text, one is as good as another.
    return new Set(open.map(groupOf)).size > 1
      ? { why: "ambiguous", kind, options: titles(open), final: true }
      : null;
  };
  const chosenIn = (field) => [...(field.selectedOptions || [])].map(titleOf).join(", ");
  // The options of a list that a field suggests: what is entered, and what a person reads beside it.
  const optionsBeside = (field) =>
    field.localName === "input" && field.type !== "range" && field.type !== "color"
      ? [...(field.list?.options || [])].filter((option) => option.value && isOpen(option)) : [];
  const suggestion = ({ value, label }) => (label.trim() && !plain(label).includes(plain(value)) ? `${plain(value)} = ${plain(label)}` : plain(value));
  const suggested = (field) => optionsBeside(field).map(suggestion);
  const takeSuggested = (field, { values, token, check }) => {
    const text = plain(values[0] ?? "").toLowerCase();
    const found = optionsBeside(field).find((option) =>
      [option.value, option.label, suggestion(option)].some((one) => plain(one).toLowerCase() === text));
    if (values.length !== 1) return { ok: false, why: "for one", final: true };
    if (field.readOnly) return { ok: false, why: "read-only", final: true };
    const ready = check(field, { token, point: false, settled: true });
    if (!ready.ok) return ready;
    if (!found) return { ok: false, why: "no option", kind: elements.clip(values[0], 80), options: suggested(field).slice(0, 30) };
    activate(field);
    field.value = found.value;
    changed(field);
    return { ...ready, set: found.value };
  };
  // Returns what the field shows, before the page hears of it.
  const choose = (field, values) => {
    const chosen = values.map((value) => optionsOf(field, value).find(isOpen));
    if (!field.multiple) chosen[0].selected = true;
    else for (const option of field.options) option.selected = chosen.includes(option);
    const shown = chosenIn(field);
    changed(field);
    return shown;
  };
  // What files are called, as far as they are few.
  const FEW = 10;
  const namesOf = (files) => {
    const names = [...files].slice(0, FEW).map(({ name }) => name);
    return [...names, ...(files.length > FEW ? [`${files.length - FEW} more`] : [])].join(", ");
  };
  const activeOf = ({ ownerDocument }) =>
    ownerDocument === document ? elements.focused() : ownerDocument.activeElement;
  const isActive = (field) => {
    const active = activeOf(field);
    return active === field || (field.isContentEditable && active && active.contains(field));
  };
  const activate = (field) => {
    field.scrollIntoView({ block: "nearest", inline: "nearest", behavior: "instant" });
    field.focus({ preventScroll: true });
    // Firefox focuses no body of a document that is edited as a whole.
    if (elements.isFirefox && field === field.ownerDocument.body) field.ownerDocument.defaultView.focus();
    return isActive(field);
  };
  const selectionOf = (field) => field.ownerDocument.getSelection();
  // Firefox keeps what is selected in a field for text apart: no other selection tells of it, and of
  // fields for addresses and numbers nothing does.
  const isApart = (field) => elements.isFirefox && field.matches("input, textarea");
  const isRange = (field) =>
    isApart(field) ? field.selectionStart !== field.selectionEnd : selectionOf(field).type === "Range";
  // Whether the caret is in the field, or what is selected: a page may select something else beside
  // the field that has the focus. What is in a field for text is told as a place in front of it.
  const isSelectedIn = (field) => {
    if (isApart(field)) return isRange(field) || selectionOf(field).type !== "Range";
    const { anchorNode, anchorOffset, focusNode, focusOffset } = field.getRootNode().getSelection();
    if (field.isContentEditable) return field.contains(anchorNode) && field.contains(focusNode);
    const isPlace = anchorNode === focusNode && anchorOffset === focusOffset;
    return isPlace && anchorNode?.childNodes[anchorOffset] === field;
  };
  // Where the selection begins and ends, in a field too.
  const ends = () => {
    const { type, anchorNode, anchorOffset, focusNode, focusOffset } = getSelection() || {};
    const { selectionStart, selectionEnd } = elements.focused() || {};
    return [type, anchorNode, anchorOffset, focusNode, focusOffset, selectionStart, selectionEnd];
  };
  // What is selected, as everybody sees it: what a field shows as dots says nothing.
  const SELECTED = 200;
  const selected = () => {
    const field = elements.focused();
    if (field && elements.isMasked(field)) return "";
    if (field && isApart(field) && isRange(field))
      return elements.clip(field.value.slice(field.selectionStart, field.selectionEnd), SELECTED);
    const selection = getSelection();
    return selection?.type === "Range" ? elements.clip(selection.toString(), SELECTED) : "";
  };
  // What an editor consists of. Editors that keep a document of their own know a caret in a text or
  // in an empty paragraph, but not one beside their paragraphs.
  const leavesOf = (editor) => {
    const leaves = [];
    const add = (node) => {
      if (node.nodeType === 3) {
        if (/\S/.test(node.data) || node.parentNode.childNodes.length === 1) leaves.push(node);
      } else if (node.nodeType === 1) {
        if (node.isContentEditable && node.firstChild) node.childNodes.forEach(add);
        else if (node !== editor) leaves.push(node);
      }
    };
    add(editor);
    return leaves;
  };
  const begin = (range, leaf) =>
    leaf.nodeType === 3 ? range.setStart(leaf, 0) : range.setStartBefore(leaf);
  const end = (range, leaf) => {
    if (leaf.nodeType === 3) range.setEnd(leaf, leaf.data.length);
    else if (leaf.localName === "br") range.setEndBefore(leaf);
    else range.setEndAfter(leaf);
  };
  const selectAll = (field) => {
    if (field.select) return field.select();
    const range = field.ownerDocument.createRange();
    const leaves = leavesOf(field);
    if (leaves.length) {
      begin(range, leaves[0]);
      end(range, leaves.at(-1));
    } else range.selectNodeContents(field);
    selectionOf(field).removeAllRanges();
    selectionOf(field).addRange(range);
  };
  // Has the field hold what it holds, with the caret behind it (HTML, 4.10.5.4).
  const setAnew = (field) => {
    const { value } = field;
    if (!value) return;
    field.value = "";
    field.value = value;
  };
  const toEnd = (field) => {
    if (!field.isContentEditable) {
      try {
        const end = field.value.length;
        field.setSelectionRange(end, end);
      } catch {
        if (isApart(field)) return setAnew(field);
        field.select && field.select();
        getSelection().collapseToEnd && getSelection().rangeCount && getSelection().collapseToEnd();
      }
      return;
    }
    selectAll(field);
    selectionOf(field).collapseToEnd();
  };
  // What a field holds, and how the snapshot shows it.
  const state = (field) => {
    if (!field || !field.isConnected || NOT_TEXT.includes(field.type)) return { value: null };
    const drawn = code.editorOf(field);
    if (drawn && code.isTerminal(drawn)) return { value: null };
    if (drawn) return { value: code.text(drawn), shown: code.text(drawn), secret: false, part: true };
    const value = field.isContentEditable ? field.innerText : field.value;
    if (typeof value !== "string") return { value: null };
    return {
      value,
      ...(field.isContentEditable ? { editor: true, ...editors.read(field) } : {}),
      // An editor in a frame is not what the frame itself shows.
      shown: field.ownerDocument !== document ? undefined
        : field.localName === "select" ? chosenIn(field)
        : field.isContentEditable && !lines.isKept(field, getComputedStyle(field)) ? names.clean(value) : value,
      secret: !field.isContentEditable && elements.isMasked(field),
      number: field.type === "number" || field.getAttribute("role") === "spinbutton" || undefined,
    };
  };
  const MOVED = new Set(["scrollbar", "separator", "slider", "spinbutton"]);
  const unready = (field, kind, element) => {
    if (!field) return MOVED.has(aria.roleOf(element)) ? "moved" : "not a field";
    if (kind === "file") return "for files";
    if (NOT_TEXT.includes(kind)) return "to be clicked";
    const editor = code.editorOf(field);
    if (editor && code.isTerminal(editor)) return "a terminal";
    // HTML knows no slider to be read only: a script moves it that calls it so.
    if (field.readOnly && elements.isSlider(field)) return "read-only slider";
    return field.readOnly && (kind === "set" || field.disabled) ? "read-only" : "";
  };
  const select = (element, { values, token, check }) => {
    const field = fieldOf(element);
    if (field && optionsBeside(field).length) return takeSuggested(field, { values, token, check });
    if (!field || field.localName !== "select")
      return { ok: false, why: "not a drop-down", final: true };
    if (values.length !== 1 && !field.multiple) return { ok: false, why: "for one", final: true };
    const found = check(field, { token, point: false, settled: true });
    if (!found.ok) return found;
    // Mostly not final: a page may still be fetching its options.
    const wrong = values.map((value) => unchosen(field, value)).find(Boolean);
    return wrong ? { ok: false, ...wrong } : { ...found, set: choose(field, values) };
  };
  const notAValue = (field) => ({
    ok: false,
    why: "not a value",
    final: true,
    kind: field.type,
    form: form(field),
  });
  // Pages that look at a field when a key is pressed or let go hear of one, as from the keyboard of a
  // phone, which says not of which (UI Events, section 5.6.3).
  const UNNAMED = { key: "Unidentified", keyCode: 229, which: 229 };
  const hearKey = (type) => {
    const field = elements.focused();
    if (!field?.matches("input, textarea")) return;
    field.dispatchEvent(
      new KeyboardEvent(type, { ...UNNAMED, bubbles: true, cancelable: true, composed: true }),
    );
  };
  // One key of an action, however often the page has to be asked until it agrees.
  let pressed = "";
  const pressKey = (token) => {
    if (pressed !== token) hearKey("keydown");
    pressed = token;
  };
  // With `whole` a text that would replace but a part of what the field holds is not entered.
  const prepare = (element, { value, token, whole, key, origins, check }) => {
    const field = fieldOf(element);
    const kind = field ? kindOf(field) : "";
    const why = unready(field, kind, element);
    if (why) return { ok: false, why, final: true, kind };
    if (!mayHave(field, origins)) return { ok: false, why: "secret", final: true };
    const given = value !== undefined;
    if (kind === "select" && given) {
      const chosen = select(field, { values: [value], token, check });
      return chosen.ok ? { ...chosen, mode: "done" } : chosen;
    }
    const found = check(field, { token, point: false, settled: true });
    if (!found.ok) return found;
    if (kind === "set" || kind === "select") {
      const set = given ? setValue(field, value, origins) : null;
      return set === null ? notAValue(field) : { ...found, mode: "done", set };
    }
    if (field.type === "number" && given && Number.isNaN(Number(value))) return notAValue(field);
    const fresh = !isActive(field);
    if (!activate(field)) return { ok: false, why: "not focusable" };
    // Some pages let a user write only once the field has the focus.
    if (field.readOnly) return { ok: false, why: "read-only" };
    const typed = { ...found, mode: "type", fresh };
    watching.demandKeys();
    if (code.editorOf(field)) return { ...typed, keys: true };
    const editor = field.isContentEditable;
    if (key && !editor) pressKey(token);
    if (!isActive(field)) return { ok: false, why: "not focusable" };
    const empty = !(editor ? field.innerText : field.value);
    selectAll(field);
    if (whole) watching.demandWhole();
    // Nothing is entered where nothing is to be.
    if (empty && value === "") watching.demandKeys(false);
    return { ...typed, empty, editor };
  };
  const focus = (element, { token, text, check }) => {
    const field = fieldOf(element) || element;
    if (text && refs.FRAMES.has(field.localName)) return { ok: false, why: "a frame", final: true };
    const found = check(field, { token, point: false, settled: true });
    if (!found.ok) return found;
    // What is selected is for the keys that follow; else text is added to what a field holds.
    const rests = isActive(field) && isSelectedIn(field) && (!text || isRange(field));
    if (!activate(field)) return { ok: false, why: "not focusable" };
    watching.demandKeys();
    // An editor of code has a caret of its own.
    if (code.editorOf(field)) return { ...found, keys: true };
    if (rests) return found;
    if (field.matches("input, textarea") || field.isContentEditable) toEnd(field);
    return found;
  };
  // The field that takes the keys, if the element has the focus.
  const typedIn = (element) => {
    const field = fieldOf(element);
    return field && isActive(field) ? activeOf(field) : null;
  };
  const paste = (element, { value, origins }) => {
    const field = typedIn(element);
    return { pasted: !!field && mayHave(field, origins) && editors.paste(field, value) };
  };
  const copy = (element) => {
    const field = typedIn(element);
    return { copied: field ? editors.copy(field) : "" };
  };
  // Enters a text where no browser does, in the field with the focus; returns the window of the frame
  // that has it instead.
  const insert = (text) => {
    const field = elements.focused();
    if (field?.contentWindow) return field.contentWindow;
    if (field && watching.enters(field, text)) document.execCommand("insertText", false, text);
    return null;
  };
  // A secret is for some origins alone: no origin is that of a sandboxed document. The script may reach
  // other documents of the process, into which an element may have been moved.
  const mayHave = (field, origins) =>
    !origins || (field.isConnected && field.ownerDocument === document && origins.includes(origin));
  // Shows dots where a secret is entered, so that no picture shows it; returns the document's origin.
  const cover = (element, { origins }) => {
    const field = fieldOf(element) || element;
    const may = mayHave(field, origins);
    const posts = targets.foreign(field, origins);
    if (may) field.style.setProperty("-webkit-text-security", "disc");
    return { may, origin, posts };
  };
  // Enters a secret in this very field, in one step with the check that it may have it. Keys go to what
  // has the focus, which a page around the frame can take.
  const enter = (element, { text, origins, whole }) => {
    const field = fieldOf(element) || element;
    if (!isActive(field)) activate(field);
    const editor = code.editorOf(field);
    if (whole && !editor) selectAll(field);
    const told = () => cover(field, { origins });
    const isFit = () => told().may && !told().posts;
    if (!isFit() || !watching.enters(field, text) || !isFit()) return told();
    const kept = put(field, text, whole && !editor);
    // The page may lead its form elsewhere as it hears of the text.
    if (told().posts && typeof field.value === "string") field.value = "";
    return { ...told(), kept };
  };
  // Enters a text as a browser does where it has the focus and the selection; else as a script does.
  // Returns whether neither can.
  const put = (field, text, whole) => {
    const byBrowser = isActive(field) && (code.editorOf(field) || isSelectedIn(field));
    if (byBrowser && document.contentType === "text/html" && document.execCommand("insertText", false, text)) return false;
    if (typeof field.value !== "string") return true;
    const { value, selectionStart, selectionEnd } = field;
    const [from, to] = whole ? [0, value.length] : [selectionStart ?? value.length, selectionEnd ?? value.length];
    field.value = value.slice(0, from) + text + value.slice(to);
    changed(field);
    return false;
  };
  // Whether something may answer what is entered: a list of options, or of what is found; what
  // keys do elsewhere than in a field is unknown.
  const LISTED = "[role=combobox], [list], [aria-autocomplete]:not([aria-autocomplete=none])";
  const CONTROLS = "select, [aria-controls], [aria-owns], [aria-haspopup=listbox], [aria-expanded]";
  const isAnswered = (field) => {
    if (!field || !(field.matches("input, textarea, select") || field.isContentEditable)) return true;
    return field.matches(`${LISTED}, ${CONTROLS}`) || !!elements.closest(field, "[role=combobox]");
  };
  // What all other fields hold: scripts set values without a trace in the DOM.
  const values = (except, roots = [document]) => {
    const held = [];
    for (const root of roots)
      for (const field of root.querySelectorAll("input, textarea, select")) {
        if (held.length > 2000) break;
        if (field !== except) held.push(field.value, field.checked);
      }
    return held.join("\n");
  };
  // What a field holds, as a person reads it; "" for what is none for text.
  const heldBy = (field) => {
    if (field.matches("select")) return [...field.selectedOptions].map((each) => each.label).join(", ");
    const text = field.matches("textarea") || (field.matches("input") && !NOT_TEXT.includes(field.type));
    return text ? field.value.slice(0, 10_000) : "";
  };
  return { copy, cover, ends, enter, focus, groupOf, hearKey, heldBy, insert, isAnswered, isPage, namesOf, paste, prepare, select, selected, state, suggested, titleOf, values };
})();

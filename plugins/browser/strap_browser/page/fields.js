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

  // The field that is meant: the element, the control of a label, the only field inside, or the
  // editor that the element is part of.
  const fieldOf = (element) => {
    if (element.matches("input, textarea, select") || element.isContentEditable) return element;
    if (element.localName === "label" && element.control) return element.control;
    const inside = [...element.querySelectorAll(EDITABLE)];
    if (element.shadowRoot) inside.push(...element.shadowRoot.querySelectorAll(EDITABLE));
    return inside.length === 1 ? inside[0] : null;
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
  const setValue = (field, value) => {
    const before = field.value;
    field.value = value;
    if (value && field.value !== value && field.value !== value.toLowerCase()) {
      field.value = before;
      return false;
    }
    changed(field);
    return true;
  };
  // How a value of the field is written.
  const form = (field) =>
    field.type === "range"
      ? `a number from ${field.min || 0} to ${field.max || 100}`
      : FORMS[field.type] || "one of its options";
  const labels = (field) =>
    [...(field.options || [])].slice(0, 30).map((option) => option.label.trim());
  const optionOf = (field, value) => {
    const fits = [
      (o) => o.value === value,
      (o) => o.label.trim() === value.trim(),
      (o) => o.label.trim().toLowerCase() === value.trim().toLowerCase(),
    ];
    return fits.map((fit) => [...field.options].find(fit)).find(Boolean);
  };
  const openOption = (field, value) => {
    const option = optionOf(field, value);
    return option && !option.matches(":disabled") ? option : null;
  };
  const choose = (field, values) => {
    const chosen = values.map((value) => openOption(field, value));
    if (chosen.includes(null)) return false;
    if (!field.multiple) chosen[0].selected = true;
    else for (const option of field.options) option.selected = chosen.includes(option);
    changed(field);
    return true;
  };
  const activate = (field) => {
    field.scrollIntoView({ block: "nearest", inline: "nearest", behavior: "instant" });
    field.focus({ preventScroll: true });
    const active = elements.focused();
    return active === field || (field.isContentEditable && active && active.contains(field));
  };
  const selectAll = (field) => {
    if (field.select) return field.select();
    const range = document.createRange();
    range.selectNodeContents(field);
    getSelection().removeAllRanges();
    getSelection().addRange(range);
  };
  const toEnd = (field) => {
    if (!field.isContentEditable) {
      try {
        const end = field.value.length;
        field.setSelectionRange(end, end);
      } catch {
        field.select && field.select();
        getSelection().collapseToEnd && getSelection().rangeCount && getSelection().collapseToEnd();
      }
      return;
    }
    selectAll(field);
    getSelection().collapseToEnd();
  };
  // What a field holds, and how the snapshot shows it.
  const state = (field) => {
    if (!field || !field.isConnected || NOT_TEXT.includes(field.type)) return { value: null };
    const value = field.isContentEditable ? field.innerText : field.value;
    if (typeof value !== "string") return { value: null };
    const chosen = [...(field.selectedOptions || [])]
      .map((option) => option.label.trim())
      .join(", ");
    return {
      value,
      shown: field.localName === "select" ? chosen : value,
      secret: field.type === "password",
    };
  };
  const unready = (field, kind) => {
    if (!field) return "not a field";
    if (kind === "file") return "for files";
    if (NOT_TEXT.includes(kind)) return "to be clicked";
    return field.readOnly && kind !== "select" ? "read-only" : "";
  };
  const select = (element, { values, token, check }) => {
    const field = fieldOf(element);
    if (!field || field.localName !== "select")
      return { ok: false, why: "not a drop-down", final: true };
    if (values.length !== 1 && !field.multiple) return { ok: false, why: "for one", final: true };
    const found = check(field, { token, point: false, settled: true });
    if (!found.ok) return found;
    const missing = values.find((value) => !openOption(field, value));
    // Not final: a page may still be fetching its options.
    if (missing !== undefined) {
      const kind = elements.clip(missing, 80);
      if (optionOf(field, missing)) return { ok: false, why: "option disabled", kind };
      return { ok: false, why: "no option", kind, options: labels(field) };
    }
    choose(field, values);
    return found;
  };
  const notAValue = (field) => ({
    ok: false,
    why: "not a value",
    final: true,
    kind: field.type,
    form: form(field),
  });
  const prepare = (element, { value, token, check }) => {
    const field = fieldOf(element);
    const kind = field ? kindOf(field) : "";
    const why = unready(field, kind);
    if (why) return { ok: false, why, final: true, kind };
    const given = value !== undefined;
    if (kind === "select" && given) {
      const chosen = select(field, { values: [value], token, check });
      return chosen.ok ? { ...chosen, mode: "done" } : chosen;
    }
    const found = check(field, { token, point: false, settled: true });
    if (!found.ok) return found;
    if (kind === "set" || kind === "select") {
      return given && setValue(field, value) ? { ...found, mode: "done" } : notAValue(field);
    }
    if (field.type === "number" && given && Number.isNaN(Number(value))) return notAValue(field);
    if (!activate(field)) return { ok: false, why: "not focusable" };
    const empty = !(field.isContentEditable ? field.innerText : field.value);
    selectAll(field);
    return { ...found, mode: "type", empty };
  };
  const focus = (element, { token, check }) => {
    const field = fieldOf(element) || element;
    const found = check(field, { token, point: false, settled: true });
    if (!found.ok) return found;
    if (!activate(field)) return { ok: false, why: "not focusable" };
    if (field.matches("input, textarea") || field.isContentEditable) toEnd(field);
    return found;
  };
  // What all other fields hold: scripts set values without a trace in the DOM.
  const values = (except) => {
    const held = [];
    for (const field of document.querySelectorAll("input, textarea, select")) {
      if (field !== except) held.push(field.value, field.checked);
      if (held.length > 2000) break;
    }
    return held.join("\n");
  };
  return { focus, prepare, select, state, values };
})();

// What a person does in the document, told as it happens: clicks, texts, choices and keys.

import { refer, tellRef } from "../accessibility/refs.js";
import { parentOf } from "../dom/tree.js";
import { marksOf } from "./marks.js";

const DEEPEST = 8; // elements that are told, from that of the event outwards
const LONGEST = 10_000; // characters of a text
const TYPED =
  "textarea, input:not([type=button], [type=checkbox], [type=file], [type=image], [type=radio]," +
  " [type=reset], [type=submit])";
const PRESSED = "a[href], button, summary, input, select, [role=button], [role=link]";
const LISTS = "[role=combobox], [aria-autocomplete], [aria-haspopup]";
const COUNTS = { 2: "double", 3: "triple" }; // of `detail`
const MOVING = /^Arrow|^(Home|End|PageUp|PageDown)$/;
/** @type {{ tell: (text: string) => void, keeps: boolean } | null} */
let follower = null;
let typed = null; // the field that has a text which is not told yet
let isEntering = false; // during the event of an Enter, which may click a button by itself
const fieldAt = (element) =>
  element.isContentEditable
    ? element.closest("[contenteditable]:not([contenteditable=false])")
    : element.matches?.(TYPED)
      ? element
      : null;
const tell = (kind, element, more) => {
  const around = [];
  for (let one = element; one && around.length < DEEPEST; one = parentOf(one))
    if (one.nodeType === 1) around.push(one);
  const { role, name } = tellRef(element);
  const told = { kind, refs: around.map(refer), marks: around.map(marksOf), role, name, ...more };
  follower?.tell(JSON.stringify(told).toWellFormed());
};
const flush = () => {
  const field = typed;
  typed = null;
  if (!field?.isConnected) return;
  const value = "value" in field ? field.value : field.innerText;
  const isKept = follower?.keeps && !marksOf(field).secret && value.length <= LONGEST;
  tell("fill", field, isKept ? { value } : {});
};
const onClick = (event) => {
  const element = event.composedPath()[0];
  if (!event.isTrusted || isEntering || element.nodeType !== 1) return;
  if (element !== typed) flush();
  const control = element.closest("label")?.control;
  // A click on a label is followed by one on its field; a choice in a list by `change`.
  if ((control && !control.contains(element)) || element.closest("select, option")) return;
  tell("click", element, { value: COUNTS[event.detail] });
};
const onInput = (event) => {
  const field = event.isTrusted && fieldAt(event.composedPath()[0]);
  if (!field) return;
  if (field !== typed) flush();
  typed = field;
};
const onChange = (event) => {
  const element = event.composedPath()[0];
  // A list that strap shows in the live view chooses by script, after a person's click.
  if (!event.isTrusted && !navigator.userActivation.isActive) return;
  if (element.localName === "select") {
    flush();
    const labels = [...element.selectedOptions].map((option) => option.label);
    tell("select", element, { value: labels.join("\n") });
  } else if (element === typed) flush();
};
const onKey = (event) => {
  const element = event.composedPath()[0];
  if (!event.isTrusted || event.isComposing || element.nodeType !== 1) return;
  const { key } = event;
  const isMoving = MOVING.test(key) && !!element.closest(LISTS);
  if (key !== "Enter" && key !== "Escape" && !isMoving) return;
  const isText = element.isContentEditable || element.localName === "textarea";
  const field = fieldAt(element);
  if (key === "Enter" && (isText || (!field && element.matches(PRESSED)))) return;
  flush();
  isEntering = key === "Enter";
  setTimeout(() => {
    isEntering = false;
  });
  tell("press", element, { value: key });
};
const HEARD = { click: onClick, input: onInput, change: onChange, keydown: onKey };
// Tells a function of this world what a person does from now on; null ends it.
export const follow = (name, keeps) => {
  const isNew = !follower && name;
  if (!name) flush();
  follower = name ? { tell: globalThis[name], keeps } : null;
  const hear = isNew ? addEventListener : removeEventListener;
  if (!isNew && name) return;
  for (const [kind, heard] of Object.entries(HEARD)) hear.call(window, kind, heard, true);
  for (const kind of ["focusout", "pagehide"]) hear.call(window, kind, flush, true);
};

// Editors of code, and terminals: what takes the keys is a field that nobody sees, beside the lines that
// are drawn.

const KINDS = {
  CodeMirror: { field: "textarea", line: ".CodeMirror-line", named: true },
  // Its field is labelled with the row of the cursor.
  ace_editor: { field: "textarea.ace_text-input", line: ".ace_line", named: false },
  "monaco-editor": {
    field: ".native-edit-context, textarea.inputarea",
    line: ".view-line",
    named: true,
  },
  xterm: {
    field: "textarea.xterm-helper-textarea",
    line: ".xterm-rows > div",
    // Where the lines are painted on a canvas, these are what a screen reader gets.
    spoken: ".xterm-accessibility-tree > div",
    named: true,
  },
};
const NAMES = Object.keys(KINDS);
const { getAttribute: attribute } = Element.prototype; // which a field of a form may hide
// Asked of every element of a page: most are none at first sight.
const LIKE = new RegExp(NAMES.join("|"));
const kindOf = (element) => {
  const classes = attribute.call(element, "class");
  return classes && LIKE.test(classes)
    ? NAMES.find((name) => element.classList.contains(name))
    : undefined;
};
// The field of an editor, null for all other elements.
export const fieldIn = (element) => {
  const kind = kindOf(element);
  return kind ? element.querySelector(KINDS[kind].field) : null;
};
// What a terminal shows are lines that a program wrote: keys are no more than a question.
export const isTerminal = (editor) => kindOf(editor) === "xterm";
const isContext = (field) => /\bnative-edit-context\b/.test(field.getAttribute("class") || "");
// The editor that a field belongs to, null for all other elements.
export const editorOf = (field) => {
  if (field.localName !== "textarea" && !isContext(field)) return null;
  for (const name of NAMES) {
    const editor = field.matches(KINDS[name].field) && field.closest(`.${name}`);
    if (editor) return editor;
  }
  return null;
};
// What names the editor: its field, or nothing but itself.
export const editorName = (editor, field) => (KINDS[kindOf(editor)].named ? field : editor);
// The lines that are drawn, which of a long text are not all; some editors keep them in disorder.
export const editorLines = (editor) => {
  const top = (line) => line.getBoundingClientRect().top;
  const { line, spoken } = KINDS[kindOf(editor)];
  const drawn = editor.querySelectorAll(line);
  return [...(drawn.length || !spoken ? drawn : editor.querySelectorAll(spoken))]
    .map((line) => [top(line), line.textContent.replace(/\u200b/g, "").replace(/\u00a0/g, " ")])
    .sort(([one], [other]) => one - other)
    .map(([, line]) => line)
    .join("\n");
};

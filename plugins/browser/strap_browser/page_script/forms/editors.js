// Editors that keep a document of their own: what they hold line by line, and what they say of it
// themselves.

const NOTHING = /[\u200b\u2060\ufeff]/g;
const INLINE = /^(inline|contents|ruby|none)/;
const FILLER = "br";
// The lines of an editor: each block is one, and each line break begins one; the last break in a block
// only keeps it open. `raw` tells of line breaks that are characters of a text.
class Lines {
  constructor() {
    this.lines = [];
    this.open = null;
    this.raw = false;
  }

  close() {
    if (this.open !== null) this.lines.push(this.open);
    this.open = null;
  }

  text(node) {
    const style = getComputedStyle(node.parentElement);
    let text = node.data.replace(NOTHING, "");
    if (!/^(pre|break-spaces)/.test(style.whiteSpace)) {
      text = text.replace(/[ \t\r\n]+/g, " ");
      if (text === " " && this.open === null) return;
    }
    if (!text) return;
    const [first, ...more] = text.split("\n");
    this.open = (this.open ?? "") + first;
    for (const line of more) {
      this.raw = true;
      this.close();
      this.open = line;
    }
  }

  block(element) {
    this.close();
    const before = this.lines.length;
    for (const child of element.childNodes) this.add(child);
    this.close();
    const isBlank = this.lines.length === before && element.offsetHeight > 0;
    if (isBlank && !element.firstElementChild?.matches("[contenteditable=false]"))
      this.lines.push("");
  }

  add(node) {
    if (node.nodeType === 3) return this.text(node);
    if (node.nodeType !== 1 || !node.isContentEditable) return undefined;
    if (node.localName === FILLER) {
      this.lines.push(this.open ?? "");
      this.open = null;
    } else if (INLINE.test(getComputedStyle(node).display))
      for (const child of node.childNodes) this.add(child);
    else this.block(node);
    return undefined;
  }
}
export const editorText = (editor) => {
  const found = new Lines();
  for (const child of editor.childNodes) found.add(child);
  found.close();
  return { lines: found.lines.join("\n"), raw: found.raw };
};
// What a page is told that its user pastes or copies; null where no browser carries a text in that.
const clipboard = (type, text) => {
  const clipboardData = new DataTransfer();
  if (text) clipboardData.setData("text/plain", text);
  const event = new ClipboardEvent(type, {
    clipboardData,
    bubbles: true,
    cancelable: true,
    composed: true,
  });
  const carries = event.clipboardData && event.clipboardData.getData("text/plain") === text;
  return carries ? event : null;
};
// Whether the editor took the text: of others nothing comes of such an event.
export const pasteInto = (field, text) => {
  const event = clipboard("paste", text);
  return !!event && !field.dispatchEvent(event);
};
// What is selected, as the editor itself says it: in what it copies, or in the field that the browser
// copies from; "" for one that leaves it to what is drawn.
export const copyFrom = (field) => {
  const event = clipboard("copy", "");
  if (!event) return "";
  if (!field.dispatchEvent(event)) return event.clipboardData.getData("text/plain");
  return field.matches("textarea")
    ? field.value.slice(field.selectionStart, field.selectionEnd)
    : "";
};

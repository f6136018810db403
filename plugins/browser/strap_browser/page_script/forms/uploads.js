// Files: the field that asks for them, and files that are dropped.

const FILE = "input[type=file]";
// The field that is meant: hidden ones count, for pages draw a button of their own.
export const field = (element) => {
  const own = element.localName === "label" ? element.control : element;
  if (own?.matches?.(FILE)) return own;
  const inside = [...element.querySelectorAll(FILE)].filter(({ disabled }) => !disabled);
  return inside.length === 1 ? inside[0] : null;
};
// Why a field does not take so many files, "" if it does.
export const refusal = (field, count) => {
  if (field.matches(":disabled")) return "disabled";
  if (field.webkitdirectory) return "for a folder";
  return count > 1 && !field.multiple ? "for one file" : "";
};
const decoded = ({ name, type, data }) =>
  new File([Uint8Array.from(atob(data), (sign) => sign.charCodeAt(0))], name, { type });
const transferOf = (files) => {
  const transfer = new DataTransfer();
  for (const file of files) transfer.items.add(file);
  return transfer;
};
// Puts files into a field whose contents are given, as a user would.
export const give = (field, contents) => {
  field.files = transferOf(contents.map(decoded)).files;
  for (const type of ["input", "change"])
    field.dispatchEvent(new Event(type, { bubbles: true, composed: type === "input" }));
};
// A field of no document that takes files of this machine.
export const carrier = () =>
  Object.assign(document.createElement("input"), { type: "file", multiple: true });
// Drops files, or what a carrier holds, on an element; returns whether that takes them (HTML, 6.11).
export const drop = (element, contents) => {
  const transfer = transferOf(Array.isArray(contents) ? contents.map(decoded) : contents.files);
  const { left, top, width, height } = element.getBoundingClientRect();
  const place = { clientX: left + width / 2, clientY: top + height / 2 };
  const tell = (type) =>
    !element.dispatchEvent(
      new DragEvent(type, {
        bubbles: true,
        cancelable: true,
        composed: true,
        dataTransfer: transfer,
        ...place,
      }),
    );
  const entered = tell("dragenter");
  if (!tell("dragover") && !entered) {
    tell("dragleave");
    return false;
  }
  tell("drop");
  return true;
};

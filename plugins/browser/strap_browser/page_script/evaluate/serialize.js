// Writes a value as bounded JSON text, whatever it is. It runs in the page's own world, where a page
// may have replaced anything: nothing here is trusted afterwards.
const LIMIT = 200_000; // characters
const DEPTH = 12; // levels of objects in objects
const ITEMS = 5_000; // of all lists and objects together
const PRIMITIVES = {
  __proto__: null,
  string: (value, writer) => writer.text(value),
  number: (value) => (Number.isFinite(value) ? String(value) : `"${value}"`),
  boolean: (value) => String(value),
  bigint: (value, writer) => writer.text(`${value}n`),
  undefined: (_, __, depth) => (depth ? "null" : "undefined"),
  symbol: (value, writer) => writer.text(String(value)),
  function: (value, writer) => writer.text(`[function ${value.name}]`),
};
/** @type {(node: any) => string} */
const tag = ({ id, localName, nodeName }) =>
  id ? `<${localName}#${id}>` : `<${localName || nodeName}>`;
// How what belongs to the browser is called; "" for any other value.
const called = (value) => {
  if (value === globalThis) return "[window]";
  if (value === document) return "[document]";
  if (typeof Node !== "function" || !(value instanceof Node)) return "";
  return value instanceof Text ? value.data : tag(value);
};
const isList = (value) =>
  value instanceof Set ||
  (ArrayBuffer.isView(value) && !(value instanceof DataView)) ||
  (typeof NodeList === "function" &&
    (value instanceof NodeList || value instanceof HTMLCollection));
// What JSON knows, in the place of what it does not.
const plain = (value) => {
  if (typeof value.toJSON === "function") {
    try {
      return value.toJSON();
    } catch (error) {
      return `(throws ${error})`;
    }
  }
  if (value instanceof Map) return Object.fromEntries([...value].slice(0, ITEMS));
  if (isList(value)) return Array.from(value);
  if (value instanceof RegExp) return String(value);
  return value instanceof Error ? `${value.name}: ${value.message}` : value;
};
const read = (value, key) => {
  try {
    return value[key];
  } catch (error) {
    return `(throws ${error})`;
  }
};
class Writer {
  room = LIMIT;
  items = 0;
  seen = new Set();

  text(value) {
    const room = Math.max(0, this.room);
    const cut =
      value.length > this.room ? `${value.slice(0, room)}… (${value.length} characters)` : value;
    this.room -= cut.length;
    return JSON.stringify(cut);
  }
  // Whether there is no room for another item.
  isFull() {
    return this.room <= 0 || ++this.items > ITEMS;
  }
  list(value, depth) {
    const parts = [];
    for (let index = 0; index < value.length; index++) {
      if (this.isFull()) {
        parts.push(`"… (${value.length} items)"`);
        break;
      }
      parts.push(this.json(value[index], depth + 1));
    }
    return `[${parts.join(",")}]`;
  }
  record(value, depth) {
    const [parts, keys] = [[], Object.keys(value)];
    for (const key of keys) {
      if (this.isFull()) {
        parts.push(`"…":"(${keys.length} keys)"`);
        break;
      }
      const inner = read(value, key);
      if (inner !== undefined && typeof inner !== "function")
        parts.push(`${this.text(key)}:${this.json(inner, depth + 1)}`);
    }
    return `{${parts.join(",")}}`;
  }
  json(value, depth) {
    const primitive = PRIMITIVES[typeof value];
    if (primitive) return primitive(value, this, depth);
    if (value === null) return "null";
    const name = called(value);
    if (name) return this.text(name);
    if (this.seen.has(value)) return '"[circular]"';
    if (depth >= DEPTH) return '"…"';
    this.seen.add(value);
    const simple = plain(value);
    const written = simple !== value ? this.json(simple, depth) : this.object(value, depth);
    this.seen.delete(value);
    return written;
  }
  object(value, depth) {
    return Array.isArray(value) ? this.list(value, depth) : this.record(value, depth);
  }
}
export const serialize = (value) => new Writer().json(value, 0);

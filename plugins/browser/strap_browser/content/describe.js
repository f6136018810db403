// Writes a value as bounded JSON text, whatever it is. It runs in the page's own world, where a page
// may have replaced anything: nothing here is trusted afterwards.
(value) => {
  const LIMIT = 200000,
    DEPTH = 12,
    ITEMS = 5000;
  let room = LIMIT,
    items = 0;
  const seen = new Set();
  const text = (value) => {
    const cut =
      value.length > room
        ? value.slice(0, Math.max(0, room)) + `… (${value.length} characters)`
        : value;
    room -= cut.length;
    return JSON.stringify(cut);
  };
  const name = (value) =>
    value.id ? `${value.localName}#${value.id}` : value.localName || value.nodeName;
  const plain = (value) => {
    if (typeof value.toJSON === "function") {
      try {
        return value.toJSON();
      } catch (error) {
        return `(throws ${error})`;
      }
    }
    if (value instanceof Map) return Object.fromEntries([...value].slice(0, ITEMS));
    if (value instanceof Set || (ArrayBuffer.isView(value) && !(value instanceof DataView)))
      return Array.from(value);
    if (value instanceof RegExp) return String(value);
    if (value instanceof Error) return `${value.name}: ${value.message}`;
    if (
      typeof NodeList === "function" &&
      (value instanceof NodeList || value instanceof HTMLCollection)
    )
      return Array.from(value);
    return value;
  };
  const list = (value, depth) => {
    const parts = [];
    for (let index = 0; index < value.length; index++) {
      if (room <= 0 || ++items > ITEMS) {
        parts.push(`"… (${value.length} items)"`);
        break;
      }
      parts.push(json(value[index], depth + 1));
    }
    return `[${parts.join(",")}]`;
  };
  const record = (value, depth) => {
    const parts = [],
      keys = Object.keys(value);
    for (const key of keys) {
      if (room <= 0 || ++items > ITEMS) {
        parts.push(`"…":"(${keys.length} keys)"`);
        break;
      }
      let inner;
      try {
        inner = value[key];
      } catch (error) {
        inner = `(throws ${error})`;
      }
      if (inner !== undefined && typeof inner !== "function")
        parts.push(`${text(key)}:${json(inner, depth + 1)}`);
    }
    return `{${parts.join(",")}}`;
  };
  const json = (value, depth) => {
    switch (typeof value) {
      case "string":
        return text(value);
      case "number":
        return Number.isFinite(value) ? String(value) : `"${value}"`;
      case "boolean":
        return String(value);
      case "bigint":
        return text(`${value}n`);
      case "undefined":
        return depth ? "null" : "undefined";
      case "symbol":
        return text(String(value));
      case "function":
        return text(`[function ${value.name}]`);
    }
    if (value === null) return "null";
    if (value === globalThis || value === document)
      return text(value === document ? "[document]" : "[window]");
    if (typeof Node === "function" && value instanceof Node)
      return text(value.nodeType === 3 ? value.data : `<${name(value)}>`);
    if (seen.has(value)) return '"[circular]"';
    if (depth >= DEPTH) return '"…"';
    seen.add(value);
    const simple = plain(value);
    const result =
      simple !== value
        ? json(simple, depth)
        : Array.isArray(value)
          ? list(value, depth)
          : record(value, depth);
    seen.delete(value);
    return result;
  };
  return json(value, 0);
};

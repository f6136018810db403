// Small helpers. Whatever a page says is hostile: it gets in by textContent alone.

export const $ = (id) => document.getElementById(id);

/** An element with a class, a text, and attributes of its own. */
export function element(name, { text, className, ...attributes } = {}) {
  const made = document.createElement(name);
  if (className) made.className = className;
  if (text !== undefined) made.textContent = text;
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return made;
}

/** Set or take away an attribute that has no value. */
export function mark(node, name, on) {
  node.toggleAttribute(name, Boolean(on));
}

/** Seconds as people say them. */
export function spell(milliseconds) {
  if (milliseconds < 1000) return `${Math.round(milliseconds)} ms`;
  return `${(milliseconds / 1000).toFixed(1)} s`;
}

for (const sign of document.querySelectorAll("button[aria-label]")) sign.title = sign.ariaLabel;

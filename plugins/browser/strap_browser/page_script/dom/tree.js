// The tree of a document as it is drawn: parents through slots and shadow roots, and what is around.

export const CONTROL =
  "a, button, input, label, option, select, summary, textarea, [contenteditable], [role=button], " +
  "[role=checkbox], [role=link], [role^=menuitem], [role=option], [role=radio], [role=switch], " +
  "[role=tab]";
export const LARGE = 3000;
export const clip = (text, most) => {
  const words = String(text || "")
    .replace(/\s+/g, " ")
    .trim();
  return words.length > most ? `${words.slice(0, most)}…` : words;
};
export const describeElement = (element) => {
  if (element?.nodeType !== 1) return "the page";
  const id = element.id ? `#${clip(element.id, 40)}` : "";
  const names = [...element.classList]
    .slice(0, 2)
    .map((name) => `.${clip(name, 30)}`)
    .join("");
  const label = element.labels?.[0]?.innerText;
  const text = clip(element.getAttribute("aria-label") || label || element.innerText, 60);
  return `<${element.localName}${id || names}>${text ? ` ${JSON.stringify(text)}` : ""}`;
};
export const documentSize = () => document.getElementsByTagName("*").length;
// ---- the tree with shadow roots and slots ----
export const parentOf = (node) => node.assignedSlot || node.parentNode || node.host || null;
// The document's own two, which are the page as a whole.
// What holds all that is shown: the body, or the root where something is shown beside that.
export const topElement = () => {
  const { body, documentElement: root } = document;
  const isAlone = body && [...root.children].every((one) => one === body || !one.checkVisibility());
  return isAlone ? body : root;
};
export const isRoot = (node) => node === document.body || node === document.documentElement;
export const within = (node, ancestor) => {
  for (let at = node; at; at = parentOf(at)) if (at === ancestor) return true;
  return false;
};
// Whether no shadow root is around the element: the browser's own search finds the same then, sooner.
export const isPlain = (element) => {
  for (let node = element; node; node = node.parentElement) if (node.assignedSlot) return false;
  return element.getRootNode() === document;
};
export const closest = (element, selector) => {
  if (isPlain(element)) return element.closest(selector);
  for (let node = element; node; node = parentOf(node)) {
    if (node.nodeType === 1 && node.matches(selector)) return node;
  }
  return null;
};
export const focusedElement = () => {
  let active = document.activeElement;
  while (active?.shadowRoot?.activeElement) {
    active = active.shadowRoot.activeElement;
  }
  return active;
};
// A document or a shadow root, and the open shadow roots in it.
/** @type {(root?: any, found?: any[]) => any[]} */
export const allRoots = (root = document, found = []) => {
  found.push(root);
  for (const { shadowRoot } of root.querySelectorAll("*"))
    if (shadowRoot) allRoots(shadowRoot, found);
  return found;
};
// The document and its open shadow roots; on a large page only those that `element` is in.
export const shadowRoots = (element) => {
  if (documentSize() <= LARGE) return allRoots();
  const found = [document];
  for (let node = element; node; node = parentOf(node)) if (node.host) found.push(node);
  return found;
};
// Whether no more elements than that are directly in it: to count them takes time for each.
export const holdsUpTo = (element, most) => !element.children[most];
// Whether there are no more elements than that, with those in shadow roots.
export const isUpTo = (most) => {
  if (documentSize() > most) return false;
  const counts = shadowRoots().map((root) => root.querySelectorAll("*").length);
  return counts.reduce((sum, count) => sum + count) <= most;
};
// The nodes in an element as they are drawn, with shadow roots and slots.
const { get: childNodes } = Object.getOwnPropertyDescriptor(Node.prototype, "childNodes");
export const flatChildren = (element) => {
  if (element instanceof HTMLFormElement) return childNodes.call(element);
  if (element.shadowRoot) return element.shadowRoot.childNodes;
  const assigned = element.localName === "slot" ? element.assignedNodes() : [];
  return assigned.length ? assigned : element.childNodes;
};
// The node after the walker's one and all that is in that.
export const after = (walker) => {
  let node = walker.nextSibling();
  while (!node && walker.parentNode()) node = walker.nextSibling();
  return node;
};

// Whether a text is to be seen on the page, or is for screen readers, to which pages tell what goes on:
// it stands in a box of a pixel, or far off the page.
const sightings = (() => {
  // Places of a text that are looked at.
  const MOST = 2000;
  const LABELLED = "input:not([type=password]):not([type=hidden]), textarea, [aria-label]";
  const MARK = /[^\s\u00ad\u200b-\u200d\u2060\ufeff]/;
  const plain = (text) => text.replace(/\s+/g, " ").trim().toLowerCase();
  // Blanks between blocks are in no text node.
  const bare = (text) => text.replace(/\s+/g, "").toLowerCase();

  const rangeOf = (node) => {
    const range = document.createRange();
    range.selectNodeContents(node);
    return range;
  };
  const hasSize = (node) =>
    [...rangeOf(node).getClientRects()].some(({ width, height }) => width > 0 && height > 0);
  const FAR = 5000;
  const isFar = (node) => {
    const { right, bottom } = rangeOf(node).getBoundingClientRect();
    return right < -FAR || bottom < -FAR;
  };
  // Whether the element cuts off what is in it, and has no room. That of the document's own two is cut
  // off by the window.
  const isShut = (element, style) => {
    if (style.display === "contents") return false;
    if (element === document.documentElement || element === document.body) return false;
    const { width, height } = element.getBoundingClientRect();
    return (width < 1 && style.overflowX !== "visible") || (height < 1 && style.overflowY !== "visible");
  };
  const isTransparent = (node) => {
    for (let around = elements.parentOf(node); around; around = elements.parentOf(around)) {
      if (around.nodeType !== 1) continue;
      if (getComputedStyle(around).opacity === "0") return true;
      if (around.matches(":modal, :popover-open")) return false; // above all that is around it
    }
    return false;
  };
  // What has a place of its own is cut off by no element that does not hold that place.
  const isCutOff = (node) => {
    for (let around = elements.parentOf(node); around; around = extents.holder(around))
      if (around.nodeType === 1 && isShut(around, getComputedStyle(around))) return true;
    return false;
  };
  const isDrawn = (node) => {
    const around = node.parentElement;
    // Browsers tell of no place in a drop-down.
    if (!MARK.test(node.data) || around?.closest("select")) return true;
    if (around && getComputedStyle(around).visibility !== "visible") return false;
    return hasSize(node) && (!reading.isUnseen(node) || isFar(node)) && !isTransparent(node) && !isCutOff(node);
  };

  // Whether what is said in `part` is drawn in one of its places, too.
  const isSeen = (part, wanted) => {
    const nodes = [];
    const ends = [];
    let said = "";
    const walker = document.createTreeWalker(part, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
      const more = bare(walker.currentNode.data);
      if (!more) continue;
      nodes.push(walker.currentNode);
      ends.push((said += more).length);
    }
    const sought = bare(wanted);
    let [at, first] = [said.indexOf(sought), 0];
    if (at < 0) return true; // a style wrote it otherwise, as capitals do with some letters
    for (let places = 0; sought && at >= 0 && places < MOST; places += 1) {
      while (ends[first] <= at) first += 1;
      let last = first;
      while (ends[last] < at + sought.length) last += 1;
      if (nodes.slice(first, last + 1).every(isDrawn)) return true;
      at = said.indexOf(sought, at + 1);
    }
    return !sought;
  };
  const shows = (root, wanted) => {
    const parts = root === document ? [document.body || document.documentElement] : root.children;
    for (const part of parts) {
      if (part && plain(part.innerText || "").includes(wanted) && isSeen(part, wanted)) return true;
    }
    return [...root.querySelectorAll(LABELLED)].some(
      (element) =>
        [element.value, element.placeholder, element.ariaLabel].some((text) =>
          plain(typeof text === "string" ? text : "").includes(wanted),
        ) && element.checkVisibility({ visibilityProperty: true }),
    );
  };
  // Whether the text is to be seen anywhere, whatever its case and line breaks.
  const has = (text) => {
    let found = false;
    reading.measured(() => {
      found = elements.roots().some((root) => shows(root, plain(text)));
    });
    return found;
  };
  return { has };
})();

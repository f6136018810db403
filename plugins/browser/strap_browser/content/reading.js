// The visible text of a page or an element, with the little Markdown that keeps its structure.
const reading = (() => {
  const SKIPPED = new Set([
    "script",
    "style",
    "noscript",
    "template",
    "head",
    "title",
    "desc",
    "metadata",
    "iframe",
    "frame",
    "datalist",
    ...outline.NOT_DRAWN,
  ]);
  const isSkipped = (element) => SKIPPED.has(element.localName) || uses.isDrawn(element);
  const HEADING = /^h[1-6]$/;
  // A line break between words.
  const BROKEN = /\S[^\S\n]*\n\s*\S/;
  // A price of before is not the price.
  const STRUCK = /^(del|s)$/;
  const MARKED = /^(h[1-6]|li|pre|del|s)$/;
  const BOXES = new Set(["img", "input", "textarea"]);
  const PARAGRAPH = /^(p|h[1-6]|ul|ol|table|pre|blockquote|section|article|figure|dl)$/;
  const LIST = /^[uo]l$/;

  // The extent of the document while its text is read.
  let extent = null;
  const measured = (work) => {
    extent = new extents.Extent();
    try {
      work();
    } finally {
      extent = null;
    }
  };
  // As deep as a browser reads HTML and some more: what scripts nest deeper is read as one text.
  const DEEPEST = 700;
  let depth = 0;
  const TEXT = 200;
  const SIBLINGS = 100;
  const isForEyes = (element) => element.getAttribute("aria-hidden") === "true";
  // Whether it goes round a second time, as pages copy the slides of a carousel: what is the same comes
  // before it, from the one on that is for all.
  const isCopy = (element) => {
    const beside = [...(element.parentNode?.children || [])];
    if (beside.length > SIBLINGS) return false;
    const start = Math.max(0, beside.findIndex((one) => !isForEyes(one)));
    const round = [...beside.slice(start), ...beside.slice(0, start)];
    const { textContent: text } = element;
    return round.slice(0, round.indexOf(element)).some((one) => one.textContent === text);
  };
  // What is for eyes alone is an ornament, or there twice, unless somebody can act in it or it is a
  // text: what is behind a dialog is kept from screen readers as a whole, and some pages forget it so.
  const isDecoration = (element) => {
    if (!isForEyes(element)) return false;
    const isOrnament = element.textContent.length < TEXT && !element.querySelector(elements.CONTROL);
    return isOrnament || isCopy(element);
  };
  // Whether there is something to see in it. Where it is `visibility: hidden` itself, only parts of it
  // can be: `isHidden` tells.
  const isShown = (element) => {
    if (!element.checkVisibility({ opacityProperty: true, contentVisibilityAuto: false })) {
      return getComputedStyle(element).display === "contents" && elements.isInBox(element);
    }
    if (isDecoration(element)) return false;
    const style = getComputedStyle(element);
    // What keeps its content back may be drawn itself, as a box.
    if (style.contentVisibility === "hidden" && style.display !== "inline") return false;
    return !elements.isVeiled(element, style, element.getBoundingClientRect());
  };
  // What is seen out of an element that is not shown itself.
  const escaped = (element) =>
    element.checkVisibility() && !isDecoration(element) ? [...elements.escaped(element)] : [];
  // Whether it is off, or what is around it where it has no box of its own: what is in it may be seen.
  const isOff = (element) => {
    for (let node = element; node; node = elements.parentOf(node)) {
      const rect = node.nodeType === 1 && node.getBoundingClientRect();
      if (rect && rect.width > 0) return (extent || new extents.Extent()).isOff(node, rect);
    }
    return false;
  };
  const isHidden = (element) => getComputedStyle(element).visibility !== "visible";
  // Whether a text is too small to be seen, or off.
  const isUnseen = (text) => {
    if (!/\S/.test(text.data)) return false;
    const around = text.assignedSlot || text.parentElement || text.parentNode?.host;
    return !!around && (elements.isTiny(around) || isOff(around));
  };
  const clean = (text) => text.replace(/[\u0001-\u0004]/g, "");
  const words = (text) => clean(text).replace(/[ \t\r\n\f]+/g, " ");
  // Whether the line breaks in a text, of which it has some between words, are those of the page.
  const breaksLines = (text) => {
    if (!BROKEN.test(text.data)) return false;
    const around = text.assignedSlot || text.parentElement;
    return !!around && getComputedStyle(around).whiteSpaceCollapse !== "collapse";
  };
  const childrenOf = (node) => {
    // What is directly in one that is closed are texts, which nobody can ask whether they are shown.
    if (elements.isFolded(node)) return elements.summaries(node);
    if (node.shadowRoot) return node.shadowRoot.childNodes;
    if (node.localName === "slot" && node.assignedNodes().length) return node.assignedNodes();
    return node.childNodes;
  };
  const isBlock = (element) =>
    !/^(inline|contents)/.test(getComputedStyle(element).display) || element.localName === "br";

  // Between pieces of text stand marks: where a block begins or ends, and where a paragraph does.
  // Spaces and line breaks that count are marked too, until all others are collapsed.
  const LINE = "\u0001",
    GAP = "\u0002",
    SPACE = "\u0003",
    BREAK = "\u0004";
  const exact = (text) => clean(text).replace(/\n/g, BREAK).replace(/[ \u00a0]/g, SPACE);
  const fenced = (text, out) => {
    if (/\S/.test(text)) out.push("```", BREAK, exact(text.replace(/^\n+/, "").trimEnd()), BREAK, "```");
  };
  const editor = (node, out) => {
    const text = code.text(node).trimEnd();
    out.push(LINE);
    if (code.isTerminal(node)) out.push(exact(text));
    else fenced(text, out);
    out.push(LINE);
  };
  const collect = (node, out, context) => {
    if (node.nodeType === 3) {
      if (isUnseen(node)) return;
      if (context.hidden) out.push(" ");
      else if (context.pre) out.push(exact(node.data));
      else if (breaksLines(node)) out.push(node.data.split("\n").map(words).join("\n"));
      else out.push(words(node.data));
      return;
    }
    if (node.nodeType !== 1 && node.nodeType !== 11 && node.nodeType !== 9) return;
    if (node.nodeType !== 1) {
      for (const child of childrenOf(node)) collect(child, out, context);
      return;
    }
    const tag = node.localName;
    if (isSkipped(node)) return;
    if (!isShown(node)) {
      for (const seen of escaped(node)) collect(seen, out, { ...context, hidden: isHidden(seen) });
      return;
    }
    const hidden = isHidden(node);
    if (hidden) return inside(node, out, { ...context, hidden });
    if (context.hidden) context = { ...context, hidden };
    if (tag === "select") return isOff(node) ? undefined : options(node, out);
    if (tag === "br") {
      // One that is all of a block makes this a line, as any other text would.
      out.push(context.pre ? (node.parentNode.childNodes.length > 1 ? BREAK : SPACE) : "\n");
      return;
    }
    if (BOXES.has(tag) && isOff(node)) return;
    if (tag === "img") {
      if (node.alt) out.push(`[${words(node.alt)}]`);
      return;
    }
    if (tag === "input" || tag === "textarea") {
      const value = elements.drawnValue(node);
      if (value) out.push(...(value.includes("\n") ? [LINE, exact(value.trimEnd()), LINE] : [` ${words(value)} `]));
      return;
    }
    if (code.fieldIn(node)) return editor(node, out);
    element(node, tag, out, context);
  };
  const inside = (node, out, context) => {
    if (depth > DEEPEST) return void out.push(words(node.textContent));
    depth += 1;
    for (const child of childrenOf(node)) collect(child, out, context);
    depth -= 1;
  };
  // What a drop-down shows is what is chosen, and a list box shows all.
  const isList = (select) => select.size > 1 || select.multiple;
  const optionsOf = (select) =>
    isList(select)
      ? [...select.options].filter((option) => option.checkVisibility({ visibilityProperty: true }))
      : [...select.selectedOptions];
  const options = (select, out) => {
    const gap = isList(select) ? LINE : " ";
    for (const option of optionsOf(select)) out.push(gap, words(option.label), gap);
  };
  const keeping = (node, style, context) => (lines.isKept(node, style) ? { ...context, pre: true } : context);
  const element = (node, tag, out, context) => {
    if (tag === "a" && node.hasAttribute("href")) return link(node, out, context);
    if (tag === "tr") return row(node, out, context);
    const style = getComputedStyle(node);
    if (context.pre && lines.isNumber(node, style)) return;
    const deeper = LIST.test(tag) ? { ...context, list: context.list + 1 } : keeping(node, style, context);
    const block = isBlock(node) || tag === "li";
    const gap = PARAGRAPH.test(tag) && !(context.list && LIST.test(tag)) ? GAP : LINE;
    // Of what is off there are marks only where something in it is seen.
    const seen = MARKED.test(tag) && isOff(node) ? [] : null;
    if (seen) {
      inside(node, seen, deeper);
      if (!seen.some((piece) => /\S/.test(clean(piece)))) return;
    }
    if (block) out.push(gap);
    // Controls side by side are apart, whatever their markup has between them.
    if (!block && tag === "button") out.push(" ");
    if (HEADING.test(tag)) out.push("#".repeat(+tag[1]) + " ");
    if (tag === "li")
      out.push(
        SPACE.repeat(2 * Math.max(0, context.list - 1)) +
          `${context.numbers.of(node) || "-"} `,
      );
    if (STRUCK.test(tag)) out.push("~~");
    const pieces = seen || [];
    if (!seen) inside(node, pieces, deeper);
    if (tag === "pre" && !context.pre) fenced(join(pieces), out);
    else for (const piece of pieces) out.push(piece);
    if (STRUCK.test(tag)) out.push("~~");
    if (!block && tag === "button") out.push(" ");
    if (block) out.push(gap);
  };
  const link = (node, out, context) => {
    const text = [];
    inside(node, text, context);
    const label = join(text);
    const href = node.getAttribute("href");
    if (!label || label.includes("\n") || /^(#|javascript:)/.test(href)) {
      out.push(...text);
      return;
    }
    out.push(`[${label}](${href.length > 200 ? href.slice(0, 200) + "…" : href})`);
  };
  const row = (node, out, context) => {
    const cells = [...node.cells].filter(isShown).map((cell) => {
      const text = [];
      inside(cell, text, { ...keeping(cell, getComputedStyle(cell), context), hidden: isHidden(cell) });
      return join(text).replace(/\n+/g, " ");
    });
    if (!cells.some(Boolean)) return;
    out.push(LINE, `| ${cells.map(exact).join(" | ")} |`, LINE);
    if (node.cells.length && [...node.cells].every((cell) => cell.localName === "th"))
      out.push(`|${" --- |".repeat(cells.length)}`, LINE);
  };
  const join = (pieces) =>
    pieces
      .join("")
      .replace(/ *[\u0001\u0002][\u0001\u0002 ]*/g, (marks) =>
        marks.includes(GAP) ? "\n\n" : "\n",
      )
      .replace(/ *\n */g, "\n")
      .replace(/\n{3,}/g, "\n\n")
      .replace(/ {2,}/g, " ")
      .trim()
      .replaceAll(BREAK, "\n")
      .replaceAll(SPACE, " ")
      .replace(/ +$/gm, "");

  const text = (root) => {
    const start = root.nodeType === 9 ? elements.top() : root;
    if (!start) return "";
    const out = [];
    const around = start.nodeType === 1 && code.editorOf(start);
    if (around) return code.text(around).trimEnd();
    const field = start.nodeType === 1 && start.matches("input, textarea");
    if (field) return elements.isMasked(start) ? "" : start.value;
    if (start.localName === "select")
      return [...start.selectedOptions].map((option) => words(option.label).trim()).join("\n");
    depth = 0;
    const context = { list: 0, numbers: new numbers.Numbers() };
    measured(() => {
      if (start.localName === "tr") row(start, out, context);
      else collect(start, out, { ...context, pre: !!start.closest && !!start.closest("pre") });
    });
    return join(out);
  };
  return { childrenOf, escaped, isBlock, isHidden, isOff, isShown, isSkipped, isUnseen, measured, optionsOf, text };
})();

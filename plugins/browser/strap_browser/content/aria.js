// What elements are to assistive technology: roles and states, as in WAI-ARIA 1.3, its
// extensions DPUB-ARIA 1.1 and Graphics-ARIA 1.0, and HTML-AAM 1.0.
const aria = (() => {
  const words = (text) => new Set(text.split(" "));
  const CORE = words(
    "alert alertdialog application article banner blockquote button caption cell checkbox code " +
      "columnheader combobox comment complementary contentinfo definition deletion dialog " +
      "directory document emphasis feed figure form generic grid gridcell group heading image img " +
      "insertion link list listbox listitem log main mark marquee math menu menubar menuitem " +
      "menuitemcheckbox menuitemradio meter navigation none note option paragraph presentation " +
      "progressbar radio radiogroup region row rowgroup rowheader scrollbar search searchbox " +
      "sectionfooter sectionheader separator slider spinbutton status strong subscript suggestion " +
      "superscript switch tab table tablist tabpanel term textbox time timer toolbar tooltip tree " +
      "treegrid treeitem",
  );
  // Of DPUB-ARIA and Graphics-ARIA, with the role of the core that each is shown as, if any.
  const EXTENSIONS = Object.assign(
    Object.fromEntries(
      (
        "abstract acknowledgments afterword appendix bibliography chapter colophon conclusion " +
        "credit credits dedication endnotes epigraph epilogue errata example footnote foreword " +
        "glossary index introduction notice pagebreak pagefooter pageheader pagelist part preface " +
        "prologue pullquote qna subtitle tip toc"
      )
        .split(" ")
        .map((name) => [`doc-${name}`, ""]),
    ),
    Object.fromEntries(
      ["backlink", "biblioref", "glossref", "noteref"].map((name) => [`doc-${name}`, "link"]),
    ),
    { "doc-cover": "img", "graphics-document": "", "graphics-object": "", "graphics-symbol": "img" },
  );
  const SYNONYMS = { directory: "list", image: "img" };
  // What a role has to stand in; generic elements between the two do not count.
  const TABLES = ["grid", "table", "treegrid"];
  const MENUS = ["group", "menu", "menubar"];
  const ROWS = ["row", "rowgroup", ...TABLES];
  const CONTEXTS = {
    columnheader: ROWS,
    gridcell: ROWS,
    listitem: ["directory", "list"],
    menuitem: MENUS,
    menuitemcheckbox: MENUS,
    menuitemradio: MENUS,
    option: ["group", "listbox"],
    row: ["rowgroup", ...TABLES],
    rowgroup: TABLES,
    rowheader: ROWS,
    tab: ["tablist"],
    treeitem: ["group", "tree", "treeitem"],
  };
  // Out of its context too, what can be acted on is shown as what its author calls it.
  const ACTED = words("menuitem menuitemcheckbox menuitemradio option tab treeitem");
  const NAMELESS = words("form region");
  const INPUTS = {
    button: "button",
    checkbox: "checkbox",
    file: "button",
    image: "button",
    number: "spinbutton",
    radio: "radio",
    range: "slider",
    reset: "button",
    submit: "button",
  };
  const LISTED = words("email search tel text url");
  const SECTIONS =
    "article, aside, main, nav, section, [role=article], [role=complementary], [role=main], " +
    "[role=navigation], [role=region]";
  const isNamed = (element) => !!(names.authored(element) || names.title(element));
  const link = (element) =>
    element.hasAttribute("href") || element.hasAttribute("xlink:href") ? "link" : "generic";
  const within = (element, selector) => !!element.parentElement?.closest(selector);
  const landmark = (role) => (element) => (within(element, SECTIONS) ? "generic" : role);
  const PARTS = ["article", "aside", "nav", "section"].map((tag) => `${tag}:not([role=main])`).join();
  const aside = (element) =>
    within(element, PARTS) && !isNamed(element) ? "generic" : "complementary";
  const named = (role) => (element) => (isNamed(element) ? role : "generic");
  const entry = ({ type, list }) => {
    if (list && LISTED.has(type)) return "combobox";
    return type === "search" ? "searchbox" : "textbox";
  };
  const holdsData = (cell) => cell?.localName === "td" && /\S/.test(cell.textContent);
  const header = (element) => {
    const scope = element.getAttribute("scope") || "";
    if (/^row/i.test(scope)) return "rowheader";
    const { previousElementSibling: before, nextElementSibling: after } = element;
    if (/^col/i.test(scope)) return "columnheader";
    if (!before && !after && element.closest("table")?.rows.length === 1) return "generic";
    return holdsData(before) || holdsData(after) ? "rowheader" : "columnheader";
  };
  const isGrid = (table) => /^\s*(tree)?grid\b/i.test(table?.getAttribute("role") || "");
  const item = (element) => (isIn(element, CONTEXTS.listitem) ? "listitem" : "generic");
  // Whether the options stand in a list that opens, of several too where the browser draws that.
  const isDropDown = ({ multiple, size, options }) =>
    multiple
      ? size === 1 && options.length > 0 && ![...options].some((one) => one.checkVisibility())
      : size <= 1;
  // What the browser draws as a button that asks for a permission, where it knows of it.
  const ASKING = words("geolocation usermedia");
  const asks = (element) =>
    ASKING.has(element.localName) && !(element instanceof HTMLUnknownElement);
  const asking = (element) => (asks(element) ? "button" : "generic");
  const TAGS = {
    a: link,
    address: "group",
    area: link,
    article: "article",
    aside,
    blockquote: "blockquote",
    button: "button",
    caption: "caption",
    code: "code",
    datalist: "listbox",
    dd: "definition",
    del: "deletion",
    details: "group",
    dfn: "term",
    dialog: "dialog",
    dir: "list",
    dt: "term",
    em: "emphasis",
    fieldset: "group",
    figure: "figure",
    footer: landmark("contentinfo"),
    form: named("form"),
    geolocation: asking,
    h1: "heading",
    h2: "heading",
    h3: "heading",
    h4: "heading",
    h5: "heading",
    h6: "heading",
    header: landmark("banner"),
    hgroup: "group",
    hr: "separator",
    html: "document",
    img: (element) =>
      element.alt || !element.hasAttribute("alt") || isMeaningful(element)
        ? "img"
        : "presentation",
    input: (element) => INPUTS[element.type] || entry(element),
    ins: "insertion",
    li: item,
    main: "main",
    mark: "mark",
    math: "math",
    menu: "list",
    meter: "meter",
    nav: "navigation",
    ol: "list",
    optgroup: "group",
    option: "option",
    output: "status",
    p: "paragraph",
    progress: "progressbar",
    s: "deletion",
    search: "search",
    section: named("region"),
    select: (element) => (isDropDown(element) ? "combobox" : "listbox"),
    strong: "strong",
    sub: "subscript",
    sup: "superscript",
    svg: "img",
    table: "table",
    tbody: "rowgroup",
    td: (element) => (isGrid(element.closest("table")) ? "gridcell" : "cell"),
    textarea: "textbox",
    tfoot: "rowgroup",
    th: header,
    thead: "rowgroup",
    time: "time",
    tr: "row",
    ul: "list",
    usermedia: asking,
  };
  const WHOLES = new Map([["li", "menu, ol, ul"]]);
  for (const tag of ["dd", "dt"]) WHOLES.set(tag, "dl");
  for (const tag of "caption tbody td tfoot th thead tr".split(" ")) WHOLES.set(tag, "table");
  const PLAIN = /^\s*(none|presentation)\b/i;
  const GLOBAL = (
    "atomic busy controls current describedby description details dropeffect flowto grabbed " +
    "keyshortcuts label labelledby live owns relevant roledescription"
  )
    .split(" ")
    .map((name) => `aria-${name}`);

  // A document that can be edited as a whole is so from its body on.
  const isEditor = (element) =>
    element.isContentEditable &&
    (element === document.body || !element.parentElement?.isContentEditable);
  // Parts of a drawing that are called something, as in SVG-AAM 1.0.
  const SHAPES = words("circle ellipse image line path polygon polyline rect use");
  const isCalled = (part) =>
    isNamed(part) || [...part.children].some((child) => child.localName === "title" && child.textContent.trim());
  const drawn = (part) =>
    isCalled(part) ? (part.localName === "g" ? "group" : SHAPES.has(part.localName) && "img") : "";
  const native = (element) => {
    const { localName } = element;
    const part = () => (element instanceof SVGElement && drawn(element)) || "generic";
    const role = Object.hasOwn(TAGS, localName) ? TAGS[localName] : part();
    const found = typeof role === "function" ? role(element) : role;
    return found === "generic" && isEditor(element) ? "textbox" : found;
  };
  // A list or table that is none to assistive technology has no items or cells either.
  const isPartOfNothing = (element) => {
    const whole = WHOLES.get(element.localName);
    return !!whole && PLAIN.test(element.closest(whole)?.getAttribute("role") || "");
  };
  // What takes the focus or says something of itself is more than decoration, whatever its role.
  const FOCUSABLE =
    "a[href], button, details > summary, iframe, input, select, textarea, [contenteditable], [tabindex]";
  const isMeaningful = (element) =>
    (element.matches(FOCUSABLE) && !element.matches(":disabled")) ||
    GLOBAL.some((name) => element.hasAttribute(name) && (name !== "aria-label" || names.label(element)));
  const known = (token) => CORE.has(token) || Object.hasOwn(EXTENSIONS, token);
  const tokens = (element) =>
    element
      .getAttribute("role")
      ?.toLowerCase()
      .split(/[ \t\n\f\r]+/)
      .filter(known) || [];

  const encloses = (element) => {
    const [given] = element.hasAttribute("role") ? tokens(element) : [];
    if (given) return given;
    const role = TAGS[element.localName];
    return typeof role === "string" ? role : element.localName === "select" ? "listbox" : "";
  };
  const standsIn = (element, wholes) => {
    for (let node = elements.parentOf(element); node; node = elements.parentOf(node)) {
      const role = node.nodeType === 1 ? encloses(node) : "";
      if (role && role !== "generic" && role !== "none" && role !== "presentation")
        return wholes.includes(role);
    }
    return false;
  };
  const isIn = (element, wholes) => {
    if (standsIn(element, wholes)) return true;
    const owner =
      element.id && element.getRootNode().querySelector?.(`[aria-owns~="${CSS.escape(element.id)}"]`);
    return !!owner && wholes.includes(encloses(owner));
  };
  // Whether a role can be that of the element, and as which it is `shown`.
  const fits = (element, role, shown) => {
    if (NAMELESS.has(role)) return isNamed(element);
    const wholes = !(shown && ACTED.has(role)) && CONTEXTS[role];
    return !wholes || isIn(element, wholes);
  };
  // The role that it has by its own script.
  const own = (element) => {
    const role = internals.get(element, "role");
    return known(role) && (SYNONYMS[role] || role);
  };
  const given = (element, shown) => {
    const role = tokens(element).find((token) => fits(element, token, shown));
    if (shown && Object.hasOwn(EXTENSIONS, role)) return EXTENSIONS[role];
    return SYNONYMS[role] || role;
  };
  // The role that the standards give an element; with `shown` the one that a snapshot tells.
  const roleOf = (element, shown = false) => {
    const role = element.hasAttribute("role") && given(element, shown);
    if (role && role !== "none" && role !== "presentation") return role;
    if (role && !isMeaningful(element)) return "none";
    const found = own(element) || native(element);
    return found !== "textbox" && isPartOfNothing(element) ? "none" : found;
  };

  const said = (element, name) => element.getAttribute(name) ?? internals.get(element, name);
  const is = (element, name) => said(element, name)?.trim().toLowerCase() === "true";
  // What an attribute refers to: by ids, or by the elements that a script gave its property.
  const PROPERTIES = {
    "aria-activedescendant": "ariaActiveDescendantElement",
    "aria-describedby": "ariaDescribedByElements",
    "aria-labelledby": "ariaLabelledByElements",
  };
  const referred = (element, name) => {
    const ids = element.getAttribute(name);
    if (ids) {
      const root = element.getRootNode();
      return ids.split(/\s+/).map((id) => id && root.getElementById?.(id)).filter(Boolean);
    }
    // The fields of a form hide what it has of the same name.
    if (ids === null || element instanceof HTMLFormElement) return [];
    return [element[PROPERTIES[name]]].flat().filter(Boolean);
  };
  // What the author says that an element owns: what is pressed owns no rows, though what turns the
  // pages of a table says so.
  const PRESSED = new Set(["button", "link"]);
  const IN_TABLES = "table, tbody, tr, [role=grid], [role=table], [role=treegrid], [role=rowgroup], [role=row]";
  const owned = (element) => {
    const found = referred(element, "aria-owns");
    if (!found.length || !PRESSED.has(roleOf(element))) return found;
    return found.filter((one) => !one.matches(IN_TABLES));
  };
  return { asks, is, isDropDown, owned, referred, roleOf, said };
})();

// What elements are to assistive technology: roles and states, as in WAI-ARIA 1.2 and HTML-AAM 1.0.
const aria = (() => {
  const words = (text) => new Set(text.split(" "));
  const ROLES = words(
    "alert alertdialog application article banner blockquote button caption cell checkbox code " +
      "columnheader combobox complementary contentinfo definition deletion dialog directory " +
      "document emphasis feed figure form generic grid gridcell group heading img insertion link " +
      "list listbox listitem log main mark marquee math menu menubar menuitem menuitemcheckbox " +
      "menuitemradio meter navigation none note option paragraph presentation progressbar radio " +
      "radiogroup region row rowgroup rowheader scrollbar search searchbox separator slider " +
      "spinbutton status strong subscript superscript switch tab table tablist tabpanel term " +
      "textbox time timer toolbar tooltip tree treegrid treeitem",
  );
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
  const SECTIONS = "article, aside, main, nav, section";
  const isNamed = (element) =>
    element.hasAttribute("aria-label") || element.hasAttribute("aria-labelledby");
  const link = (element) => (element.hasAttribute("href") ? "link" : "generic");
  const landmark = (role) => (element) => (element.closest(SECTIONS) ? "generic" : role);
  const named = (role) => (element) => (isNamed(element) ? role : "generic");
  const entry = (type) => (type === "search" ? "searchbox" : "textbox");
  const header = (element) => {
    const scope = element.getAttribute("scope") || "";
    if (/^row/i.test(scope)) return "rowheader";
    if (/^col/i.test(scope) || element.closest("thead")) return "columnheader";
    return element.parentElement?.querySelector(":scope > td") ? "rowheader" : "columnheader";
  };
  const TAGS = {
    a: link,
    area: link,
    article: "article",
    aside: "complementary",
    blockquote: "blockquote",
    button: "button",
    caption: "caption",
    code: "code",
    dd: "definition",
    del: "deletion",
    details: "group",
    dfn: "term",
    dialog: "dialog",
    dt: "term",
    em: "emphasis",
    fieldset: "group",
    figure: "figure",
    footer: landmark("contentinfo"),
    form: named("form"),
    h1: "heading",
    h2: "heading",
    h3: "heading",
    h4: "heading",
    h5: "heading",
    h6: "heading",
    header: landmark("banner"),
    hr: "separator",
    img: (element) =>
      element.alt || !element.hasAttribute("alt") || element.title ? "img" : "presentation",
    input: ({ type, list }) => INPUTS[type] || (list ? "combobox" : entry(type)),
    ins: "insertion",
    li: "listitem",
    main: "main",
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
    search: "search",
    section: named("region"),
    select: ({ multiple, size }) => (multiple || size > 1 ? "listbox" : "combobox"),
    strong: "strong",
    sub: "subscript",
    sup: "superscript",
    svg: "img",
    table: "table",
    tbody: "rowgroup",
    td: "cell",
    textarea: "textbox",
    tfoot: "rowgroup",
    th: header,
    thead: "rowgroup",
    time: "time",
    tr: "row",
    ul: "list",
  };
  const TABLE = "caption, tbody, td, tfoot, th, thead, tr";
  const WHOLES = [
    ["li", "menu, ol, ul"],
    ["dd, dt", "dl"],
    [TABLE, "table"],
  ];
  const PLAIN = /^\s*(none|presentation)\b/i;
  const GLOBAL = ["aria-describedby", "aria-label", "aria-labelledby", "aria-live", "aria-owns"];

  // A document that can be edited as a whole is so from its body on.
  const isEditor = (element) =>
    element.isContentEditable &&
    (element === document.body || !element.parentElement?.isContentEditable);
  const native = (element) => {
    const role = Object.hasOwn(TAGS, element.localName) ? TAGS[element.localName] : "generic";
    const found = typeof role === "function" ? role(element) : role;
    return found === "generic" && isEditor(element) ? "textbox" : found;
  };
  // A list or table that is none to assistive technology has no items or cells either.
  const isPartOfNothing = (element) => {
    const [, whole] = WHOLES.find(([parts]) => element.matches(parts)) || [];
    return !!whole && PLAIN.test(element.closest(whole)?.getAttribute("role") || "");
  };
  // What takes the focus or says something of itself is more than decoration, whatever its role.
  const FOCUSABLE = "a[href], button, input, select, textarea, [tabindex]";
  const isMeaningful = (element) =>
    element.matches(FOCUSABLE) || GLOBAL.some((name) => element.hasAttribute(name));
  const given = (element) => {
    const names = element.getAttribute("role");
    return names && names.toLowerCase().split(/\s+/).find((name) => ROLES.has(name));
  };
  const roleOf = (element) => {
    const role = given(element);
    if (role && role !== "none" && role !== "presentation") return role;
    if (role && !isMeaningful(element)) return "none";
    const found = native(element);
    return found !== "generic" && isPartOfNothing(element) ? "none" : found;
  };

  const is = (element, name) => element.getAttribute(name)?.trim().toLowerCase() === "true";
  const tristate = (word, native, attribute) => {
    const value = native ?? attribute?.trim().toLowerCase();
    if (value === "mixed") return `${word}=mixed`;
    return value === true || value === "true" ? word : "";
  };
  const CHECKED = words("checkbox menuitemcheckbox menuitemradio option radio switch treeitem");
  const SELECTED = words("columnheader gridcell option row rowheader tab treeitem");
  const DISABLED = words(
    "button checkbox combobox gridcell group link listbox menuitem menuitemcheckbox menuitemradio " +
      "option radio radiogroup row searchbox slider spinbutton switch tab textbox treeitem",
  );
  const EXPANDED = words(
    "button checkbox combobox gridcell link listbox menuitem row switch tab treeitem generic",
  );
  const INVALID = words(
    "checkbox combobox gridcell listbox radiogroup searchbox slider spinbutton switch textbox tree",
  );
  const isTicked = (element) => element.type === "checkbox" || element.type === "radio";
  const checked = (element) => {
    const own = element.localName === "input" && isTicked(element);
    const state = own ? (element.indeterminate ? "mixed" : element.checked) : null;
    return tristate("checked", state, element.getAttribute("aria-checked"));
  };
  const selected = (element) =>
    element.localName === "option" ? element.selected : is(element, "aria-selected");
  const invalid = (element) => {
    const value = element.getAttribute("aria-invalid")?.trim().toLowerCase();
    if (!value || value === "false") return "";
    return value === "grammar" || value === "spelling" ? `invalid=${value}` : "invalid";
  };
  const level = (element) => {
    const own = /^h([1-6])$/.exec(element.localName)?.[1] || 0;
    return Number(element.getAttribute("aria-level")) || own;
  };
  // The states of an element in words.
  const states = (element, role) =>
    [
      CHECKED.has(role) && checked(element),
      DISABLED.has(role) && elements.isDisabled(element) && "disabled",
      EXPANDED.has(role) && is(element, "aria-expanded") && "expanded",
      INVALID.has(role) && invalid(element),
      role === "heading" && level(element) && `level=${level(element)}`,
      role === "button" && tristate("pressed", null, element.getAttribute("aria-pressed")),
      SELECTED.has(role) && selected(element) && "selected",
    ].filter(Boolean);
  return { is, roleOf, states };
})();

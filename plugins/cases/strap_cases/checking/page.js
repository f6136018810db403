// What a check asks of a page: called with what it looks for, answers with what is there.
(given) => {
  const roots = [];
  const gather = (root) => {
    roots.push(root);
    for (const element of root.querySelectorAll("*")) {
      if (element.shadowRoot) gather(element.shadowRoot);
      if (element.localName === "iframe" || element.localName === "frame") {
        try {
          if (element.contentDocument) gather(element.contentDocument);
        } catch {} // of another origin
      }
    }
  };
  gather(document);
  const all = (selector) => roots.flatMap((root) => [...root.querySelectorAll(selector)]);
  // A field that is transparent itself is often drawn by what is beside it.
  const FIELDS = "input, select, textarea";
  const isClear = (element) => !element || element.checkVisibility({ opacityProperty: true });
  const shown = (element) =>
    element.checkVisibility({ visibilityProperty: true }) &&
    isClear(element.matches(FIELDS) ? (element.parentElement ?? element.getRootNode().host) : element);
  const squeezed = (text) => (text ?? "").replace(/\s+/g, " ").trim();
  const textOf = (element) => squeezed(element.innerText ?? element.textContent);

  const roles = {
    alert: "", article: "article", banner: "body > header", blockquote: "blockquote",
    button: "button, input[type=button], input[type=submit], input[type=reset], input[type=image], summary",
    cell: "td", checkbox: "input[type=checkbox]", code: "code", columnheader: "th:not([scope=row])",
    combobox: "select:not([multiple]):not([size]), input[list]", complementary: "aside",
    contentinfo: "body > footer", dialog: "dialog[open]", figure: "figure", form: "form",
    group: "fieldset, details, optgroup", heading: "h1, h2, h3, h4, h5, h6",
    img: "img:not([alt='']), svg[aria-label]", link: "a[href], area[href]", list: "ul, ol, menu",
    listbox: "select[multiple], select[size], datalist", listitem: "li", main: "main", math: "math",
    meter: "meter", navigation: "nav", option: "option", paragraph: "p", progressbar: "progress",
    radio: "input[type=radio]", region: "section[aria-label], section[aria-labelledby]", row: "tr",
    rowgroup: "tbody, thead, tfoot", rowheader: "th[scope=row]", search: "search",
    searchbox: "input[type=search]:not([list])", separator: "hr", slider: "input[type=range]",
    spinbutton: "input[type=number]", status: "output", table: "table", term: "dfn, dt",
    textbox: "textarea, input:not([type]):not([list]), input[type=text]:not([list]), input[type=email]:not([list]), " +
      "input[type=tel]:not([list]), input[type=url]:not([list]), [contenteditable=''], [contenteditable=true]",
  };
  const ofRole = (role) => {
    const own = all(`[role~="${role}"]`).filter((e) => e.getAttribute("role").trim().split(/\s+/)[0] === role);
    const implied = roles[role] ? all(roles[role]).filter((e) => !e.getAttribute("role")) : [];
    return [...new Set([...own, ...implied])].filter((e) => shown(e) || e.localName === "option");
  };
  const nameOf = (element) => {
    const of = (id) => element.getRootNode().getElementById?.(id);
    const labelledby = (element.getAttribute("aria-labelledby") ?? "").split(/\s+/).map(of).filter(Boolean);
    const label = element.getAttribute("aria-label");
    if (labelledby.length) return squeezed(labelledby.map((e) => e.textContent).join(" "));
    if (squeezed(label)) return squeezed(label);
    if (element.labels?.length) {
      const own = [...element.labels].map((each) => {
        const copy = each.cloneNode(true);
        for (const field of copy.querySelectorAll(FIELDS)) field.remove();
        return copy.textContent;
      });
      return squeezed(own.join(" "));
    }
    if (["button", "submit", "reset"].includes(element.type) && element.localName === "input") {
      return squeezed(element.value || { submit: "Submit", reset: "Reset" }[element.type]);
    }
    if (element.alt) return squeezed(element.alt);
    const legend = element.querySelector(":scope > legend, :scope > caption, :scope > figcaption");
    if (legend) return textOf(legend);
    const field = /^(input|select|textarea)$/.test(element.localName);
    const pictures = [...element.querySelectorAll("img[alt], svg[aria-label]")];
    const inside = pictures.map((e) => e.alt ?? e.getAttribute("aria-label")).join(" ");
    const text = field ? "" : squeezed(`${textOf(element)} ${inside}`);
    return text || squeezed(element.title || element.placeholder);
  };
  // What a call brings is bounded: of a list that was cut nobody knows what is not in it.
  const ROOM = 150000;
  const sizeOf = (each) => JSON.stringify(each).length + 1;
  const bounded = (elements, tell) => {
    const entries = [];
    let room = ROOM;
    for (const element of elements) {
      let each = tell(element);
      const cut = sizeOf(each) > room;
      if (cut && (typeof each !== "string" || entries.length)) return { entries, cut };
      if (cut) each = each.slice(0, ROOM);
      while (sizeOf(each) > room) each = each.slice(0, Math.floor(each.length / 2));
      entries.push(each);
      if (cut) return { entries, cut };
      room -= sizeOf(each);
    }
    return { entries, cut: false };
  };
  const states = {
    checked: (e) => e.checked === true || e.getAttribute("aria-checked") === "true",
    disabled: (e) => e.matches(":disabled") || e.getAttribute("aria-disabled") === "true",
    expanded: (e) => e.getAttribute("aria-expanded") === "true" || e.parentElement?.matches("details[open]"),
  };
  const stateful = (e) => Object.keys(states).filter((state) => states[state](e)).join(" ");

  // What a field shows as dots is told by nobody.
  const DOTS = "•".repeat(8);
  const isMasked = (e) =>
    !!e.value && (e.type === "password" || /disc|circle|square/.test(getComputedStyle(e).webkitTextSecurity));

  switch (given.ask) {
    case "where":
      return { url: location.href, title: document.title };
    case "status":
      return { status: performance.getEntriesByType("navigation")[0]?.responseStatus ?? 0 };
    case "lines": {
      const lines = (document.body?.innerText ?? "").split("\n").map((line) => squeezed(line).slice(0, 500));
      return bounded(lines.filter(Boolean), (line) => line);
    }
    case "values":
      return bounded(all(given.selector), (e) => (isMasked(e) ? DOTS : String(e.value ?? e.textContent)));
    case "count":
      return { count: all(given.selector).length };
    case "role":
      return bounded(ofRole(given.role), (e) => ({ name: nameOf(e), states: stateful(e) }));
  }
}

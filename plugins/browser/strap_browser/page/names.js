// The names of elements, as in Accessible Name and Description Computation 1.2 and HTML-AAM 1.0.
const names = (() => {
  const FROM_CONTENT = new Set(
    (
      "button cell checkbox columnheader gridcell heading link menuitem menuitemcheckbox " +
      "menuitemradio option radio row rowheader switch tab tooltip treeitem"
    ).split(" "),
  );
  // Of these the content is shown anyway: it is no name as well.
  const UNNAMED = new Set(
    (
      "caption code definition deletion emphasis generic insertion mark none paragraph " +
      "presentation strong subscript superscript term time"
    ).split(" "),
  );
  const MOST = 500;
  const BUTTONS = { submit: "Submit", reset: "Reset", image: "Submit" };
  const ICONS = /[\uE000-\uF8FF]|[\u{F0000}-\u{10FFFD}]/gu;
  const clean = (text) => text.replace(/\s+/g, " ").trim();

  // The nodes in an element as they are drawn, with shadow roots and slots.
  const { get: childNodes } = Object.getOwnPropertyDescriptor(Node.prototype, "childNodes");
  const inside = (element) => {
    if (element instanceof HTMLFormElement) return childNodes.call(element);
    if (element.shadowRoot) return element.shadowRoot.childNodes;
    const assigned = element.localName === "slot" ? element.assignedNodes() : [];
    return assigned.length ? assigned : element.childNodes;
  };
  // What a style sheet writes before or after the content; the signs of an icon font say nothing.
  const drawn = (element, pseudo) => {
    const { content, display } = getComputedStyle(element, pseudo);
    if (content === "none" || content === "normal" || display === "none") return "";
    const [, written, , instead] =
      /^"((?:[^"\\]|\\.)*)"( \/ "((?:[^"\\]|\\.)*)")?$/.exec(content) || [];
    const text = (instead ?? written ?? "").replace(/\\(.)/g, "$1").replace(ICONS, "");
    return text && display !== "inline" ? ` ${text} ` : text;
  };
  const isShown = (element) =>
    !aria.is(element, "aria-hidden") &&
    (element.checkVisibility({ visibilityProperty: true }) ||
      getComputedStyle(element).display === "contents");

  const byId = (element, attribute) => {
    const ids = (element.getAttribute(attribute) || "").split(/\s+/).filter(Boolean);
    return ids.map((id) => element.getRootNode().getElementById?.(id)).filter(Boolean);
  };
  const label = (element) => clean(element.getAttribute("aria-label") || "");
  const title = (element) => clean(element.getAttribute("title") || "");

  // A name may contain what fields hold; without that it lasts while they are filled in.
  let [valued, lasting] = [false, false];
  const held = (value) => {
    valued = true;
    return lasting ? "" : value;
  };
  // What the text of an element is, as part of a name.
  const spoken = (element, seen, hidden) => {
    if (label(element)) return label(element);
    const { localName } = element;
    if (localName === "img" || localName === "area") return element.alt || title(element);
    if (localName === "svg") return pictured(element) || title(element);
    if (localName === "br") return " ";
    if (localName === "input" || localName === "textarea") return held(entered(element));
    if (localName === "select")
      return held([...element.selectedOptions].map((option) => option.label).join(" "));
    return content(element, seen, hidden) || title(element);
  };
  const pictured = (element) => {
    const found = [...element.children].find((child) => child.localName === "title");
    return found ? found.textContent : "";
  };
  const entered = ({ type, value }) => {
    if (type === "submit" || type === "reset") return value || BUTTONS[type];
    return /^(checkbox|file|hidden|image|password|radio)$/.test(type) ? "" : value;
  };
  const content = (element, seen, hidden = false) => {
    if (seen.size > MOST) return element.innerText || "";
    let text = drawn(element, "::before");
    for (const node of inside(element)) {
      if (node.nodeType === 3) text += node.data;
      if (node.nodeType !== 1 || seen.has(node) || !(hidden || isShown(node))) continue;
      seen.add(node);
      const part = spoken(node, seen, hidden);
      text += getComputedStyle(node).display === "inline" ? part : ` ${part} `;
    }
    return text + drawn(element, "::after");
  };
  // Where a hidden element is what names another one, its hidden text is the name.
  const referred = (found, element) => {
    const seen = new Set([element, found]);
    return found === element ? label(found) : spoken(found, seen, !isShown(found));
  };
  const joined = (found, element) => clean(found.map((one) => referred(one, element)).join(" "));
  const partOf = (element, tag) => {
    const part = [...element.children].find(({ localName }) => localName === tag);
    return part ? content(part, new Set([part])) : "";
  };
  const ofInput = (element) => {
    const { type, value } = element;
    if (type === "image") return element.alt || title(element) || BUTTONS.image;
    if (type === "button" || type in BUTTONS) return value || title(element) || BUTTONS[type] || "";
    if (type === "file") return "Choose File";
    return title(element) || prompted(element);
  };
  const prompted = (element) =>
    element.getAttribute("placeholder") || element.getAttribute("aria-placeholder") || "";
  const NATIVE = {
    area: (element) => element.alt,
    fieldset: (element) => partOf(element, "legend"),
    figure: (element) => partOf(element, "figcaption"),
    img: (element) => element.alt,
    input: ofInput,
    optgroup: (element) => element.label,
    svg: pictured,
    table: (element) => partOf(element, "caption") || element.getAttribute("summary") || "",
    textarea: (element) => title(element) || prompted(element),
  };
  const own = (element) => {
    const { labels, localName } = element;
    const labelled = labels instanceof NodeList ? joined([...labels], element) : "";
    return labelled || (Object.hasOwn(NATIVE, localName) ? NATIVE[localName](element) : "");
  };
  // The name of an element in that role; `short`: without the names that the content would give.
  const nameOf = (element, role, short) => {
    if (UNNAMED.has(role)) return "";
    const by = joined(byId(element, "aria-labelledby"), element);
    if (by || label(element)) return by || label(element);
    const fromContent = !short && FROM_CONTENT.has(role);
    const found = clean(own(element)) || (fromContent && clean(content(element, new Set([element]))));
    return found || title(element) || (role === "textbox" ? clean(prompted(element)) : "");
  };
  // The name, and as `kept` the name without what fields hold.
  const named = (element, role, short) => {
    valued = false;
    const name = nameOf(element, role, short);
    if (!valued) return { name, kept: name };
    lasting = true;
    const kept = nameOf(element, role, short);
    lasting = false;
    return { name, kept };
  };
  return { clean, drawn, inside, label, named };
})();

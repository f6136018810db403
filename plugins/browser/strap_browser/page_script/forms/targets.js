// Where a form sends what is in its fields.

// A field may be called as a property of its form, which it then hides.
const attribute = (element, name) => Element.prototype.getAttribute.call(element, name);
// As an image may be called as a property of its document.
const { get: baseOf } = Object.getOwnPropertyDescriptor(Node.prototype, "baseURI");
const originOf = (address) => {
  try {
    const { origin, protocol } = new URL(address ?? "", baseOf.call(document));
    return /^https?:$/.test(protocol) ? origin : "";
  } catch {
    return "";
  }
};
// The first origin that is none of these, by the form's `action` or a button's `formaction`; else "".
export const foreignTarget = (field, origins) => {
  const { form } = field;
  if (!form) return "";
  const buttons = [...field.getRootNode().querySelectorAll("[formaction]")].filter(
    (each) => each.form === form,
  );
  const addresses = [
    attribute(form, "action"),
    ...buttons.map((each) => attribute(each, "formaction")),
  ];
  return (
    addresses
      .filter(Boolean)
      .map(originOf)
      .find((origin) => origin && !origins.includes(origin)) || ""
  );
};

// Refs: an element keeps its number; its version tells whether it is called otherwise.
const refs = (() => {
  const FRAMES = new Set(["frame", "iframe"]);
  const MOST = 50000;
  const id = crypto.getRandomValues(new Uint32Array(2)).join("-");
  const known = new WeakMap();
  const found = new Map();
  let last = 0;
  const remember = (element, own) => {
    known.set(element, own);
    found.set(own.number, new WeakRef(element));
    if (found.size > MOST) found.delete(found.keys().next().value);
    return own;
  };
  const note = (own, role, kept) => {
    if (own.role && (own.role !== role || own.kept !== kept)) own.version += 1;
    return Object.assign(own, { role, kept });
  };
  const refOf = (element, { role, kept, brief }) => {
    const own = known.get(element) || remember(element, { number: ++last, version: 0 });
    // A short name says nothing of a longer one: the page calls it as before.
    if (own.brief !== brief && own.role === role) own.kept = kept;
    own.brief = brief;
    return note(own, role, kept);
  };
  // What an element is called: an editor of code is not always named by its field.
  const called = (element, role, brief) => {
    const editor = role === "textbox" && code.editorOf(element);
    const field = uses.behind(element);
    const named = field && names.authored(field) ? field : element;
    const meant = editor ? code.namedBy(editor, element) : named;
    const { name, kept } = names.named(meant, role, brief);
    return { role, brief, name, kept };
  };
  const roleOf = (element) => {
    if (FRAMES.has(element.localName)) return "iframe";
    const field = uses.behind(element);
    const role = aria.roleOf(field || element, true);
    return role === "generic" && uses.DRAWN.has(element.localName) ? element.localName : role;
  };
  // What an element that was shown is called now, and the version of that.
  const now = (element) => {
    const own = known.get(element);
    if (!own?.role) return { version: own ? own.version : 0 };
    const { role, name, kept } = called(element, roleOf(element), own.brief);
    return { role, name, version: note(own, role, kept).version };
  };
  // What an element is called now, whether or not it was ever shown.
  const tell = (element) => {
    const brief = known.get(element)?.brief;
    const role = roleOf(element);
    const { name, kept } = called(element, role, brief);
    const { version } = refOf(element, { role, kept, brief });
    return { ref: refer(element), role, name, version };
  };
  // A ref for an element that may not have been shown yet: the outline completes it.
  const numberOf = (element) =>
    remember(element, known.get(element) || { number: ++last, version: 0 }).number;
  const versionOf = (element) => known.get(element)?.version || undefined;
  const refer = (element) => `${id}.${numberOf(element)}`;
  // The element of a ref, null if it is gone, or was another document's.
  const find = (ref) => {
    const [of, number] = ref.split(".");
    const element = of === id && found.get(Number(number))?.deref();
    return element && element.isConnected ? element : null;
  };

  return { called, find, FRAMES, id: () => id, now, numberOf, refer, refOf, roleOf, tell, versionOf };
})();

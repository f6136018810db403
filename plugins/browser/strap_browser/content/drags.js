// For browsers that hand what is dragged to the desktop, out of all reach (see firefox/commands/drags.py):
// the page is told of a drag in the events of one, which are not trusted, with one `DataTransfer`.
(on) => {
  const name = Symbol.for("drags");
  if (globalThis[name]) return globalThis[name].watch(on);
  let watching = on, muted = false, drag = null;
  const tell = (type, target, at = {}) => {
    const shown = { bubbles: true, cancelable: type !== "dragleave" && type !== "dragend" };
    const data = { dataTransfer: drag.data, composed: true, ...at };
    return target.dispatchEvent(new DragEvent(type, { ...shown, ...data }));
  };
  const given = (source) => {
    const data = new DataTransfer(),
      link = source.closest("a[href]"),
      chosen = String(getSelection());
    if (link) data.setData("text/uri-list", link.href);
    if (link || chosen) data.setData("text/plain", link ? link.href : chosen);
    return data;
  };
  const start = (event) => {
    if (!watching || !event.isTrusted) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    const [met] = event.composedPath();
    const source = met.nodeType === 1 ? met : met.parentElement;
    drag = { source, data: given(source), over: null, taken: false };
    const { clientX, clientY, screenX, screenY } = event;
    if (!tell("dragstart", source, { clientX, clientY, screenX, screenY })) drag = null;
  };
  const mute = (event) => {
    if (!muted || !event.isTrusted) return;
    event.preventDefault();
    event.stopImmediatePropagation();
  };
  const at = (x, y) => {
    let found = document.elementFromPoint(x, y);
    while (found?.shadowRoot) {
      const inner = found.shadowRoot.elementFromPoint(x, y);
      if (!inner || inner === found) break;
      found = inner;
    }
    return found;
  };
  addEventListener("dragstart", start, true);
  for (const type of ["pointerup", "mouseup", "click"]) addEventListener(type, mute, true);
  globalThis[name] = {
    watch: (on) => {
      watching = on;
      muted = false;
    },
    has: () => !!drag,
    move: (x, y) => {
      if (!drag) return;
      const place = { clientX: x, clientY: y }, target = at(x, y), { over } = drag;
      tell("drag", drag.source, place);
      if (target !== over) {
        if (target) tell("dragenter", target, place);
        if (over) tell("dragleave", over, place);
        drag.over = target;
      }
      drag.taken = !!target && !tell("dragover", target, place);
    },
    end: (x, y, drop) => {
      if (!drag) return;
      const place = { clientX: x, clientY: y }, { over, taken } = drag;
      muted = true;
      if (over) tell(drop && taken ? "drop" : "dragleave", over, place);
      tell("dragend", drag.source, place);
      drag = null;
    },
  };
};

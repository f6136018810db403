// For browsers that hand what is dragged to the desktop, out of all reach (firefox/commands/drags.py):
// the page is told of a drag in the events of one, which are not trusted, with one `DataTransfer`.
const NAME = Symbol.for("drags");
const tell = (drag, type, target, at = {}) => {
  const shown = { bubbles: true, cancelable: type !== "dragleave" && type !== "dragend" };
  const data = { dataTransfer: drag.data, composed: true, ...at };
  return target.dispatchEvent(new DragEvent(type, { ...shown, ...data }));
};
const dataOf = (source) => {
  const data = new DataTransfer();
  const [link, chosen] = [source.closest("a[href]"), String(getSelection())];
  if (link) data.setData("text/uri-list", link.href);
  if (link || chosen) data.setData("text/plain", link ? link.href : chosen);
  return data;
};
const elementAt = (x, y) => {
  let found = document.elementFromPoint(x, y);
  while (found?.shadowRoot) {
    const inner = found.shadowRoot.elementFromPoint(x, y);
    if (!inner || inner === found) break;
    found = inner;
  }
  return found;
};
const stop = (event) => {
  event.preventDefault();
  event.stopImmediatePropagation();
};
class Drags {
  watching = false;
  muted = false;
  drag = null;

  constructor() {
    addEventListener("dragstart", (event) => this.start(event), true);
    const mute = (event) => {
      if (this.muted && event.isTrusted) stop(event);
    };
    for (const type of ["pointerup", "mouseup", "click"]) addEventListener(type, mute, true);
  }
  watch(on) {
    this.watching = on;
    this.muted = false;
  }
  start(event) {
    if (!this.watching || !event.isTrusted) return;
    stop(event);
    const [met] = event.composedPath();
    const source = met.nodeType === 1 ? met : met.parentElement;
    this.drag = { source, data: dataOf(source), over: null, taken: false };
    const { clientX, clientY, screenX, screenY } = event;
    if (!tell(this.drag, "dragstart", source, { clientX, clientY, screenX, screenY }))
      this.drag = null;
  }
  has() {
    return !!this.drag;
  }
  move(x, y) {
    const { drag } = this;
    if (!drag) return;
    const [place, target, over] = [{ clientX: x, clientY: y }, elementAt(x, y), drag.over];
    tell(drag, "drag", drag.source, place);
    if (target !== over) {
      if (target) tell(drag, "dragenter", target, place);
      if (over) tell(drag, "dragleave", over, place);
      drag.over = target;
    }
    drag.taken = !!target && !tell(drag, "dragover", target, place);
  }
  end(x, y, drop) {
    const { drag } = this;
    if (!drag) return;
    const place = { clientX: x, clientY: y };
    this.muted = true;
    if (drag.over) tell(drag, drop && drag.taken ? "drop" : "dragleave", drag.over, place);
    tell(drag, "dragend", drag.source, place);
    this.drag = null;
  }
}
export const watch = (on) => {
  globalThis[NAME] ||= new Drags();
  globalThis[NAME].watch(on);
};

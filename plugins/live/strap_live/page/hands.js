// The holder's mouse and keyboard: what happens over the picture happens in the page.

import { holding, notice, send } from "./control.js";
import { $, element } from "./dom.js";
import { placeOf } from "./screen.js";

const canvas = $("canvas");
const keys = $("keys");
const PASTE = new Set(["v", "V"]);
const COPY = new Set(["c", "C", "x", "X"]);

function mods(event) {
  return (
    (event.altKey ? 1 : 0) |
    (event.ctrlKey ? 2 : 0) |
    (event.metaKey ? 4 : 0) |
    (event.shiftKey ? 8 : 0)
  );
}

function mouse(event, kind, more = {}) {
  if (!holding()) return;
  event.preventDefault();
  const { button, buttons } = event;
  const where = placeOf(event.clientX, event.clientY);
  const told = { kind, ...where, buttons, mods: mods(event), ...more };
  send({ type: "mouse", button: Math.max(0, button ?? 0), ...told });
}

const SLOP = 10; // pixels that a tap may move
let swipe = null;

canvas.addEventListener("pointermove", (event) => {
  if (event.pointerType === "touch") swiped(event);
  else mouse(event, "move");
});
canvas.addEventListener("pointerdown", (event) => {
  if (!holding()) return;
  canvas.setPointerCapture(event.pointerId);
  $("menu").hidden = true;
  keys.focus();
  if (event.pointerType !== "touch") mouse(event, "down", { clicks: clicksOf(event) });
  else if (event.isPrimary) swipe = { first: event, x: event.clientX, y: event.clientY };
});
canvas.addEventListener("pointerup", (event) => {
  if (event.pointerType !== "touch") mouse(event, "up", { clicks: last.count });
  else if (event.isPrimary) tapped();
});

/** A swipe turns the wheel where the finger went down. */
function swiped({ isPrimary, clientX, clientY }) {
  if (!swipe || !isPrimary) return;
  const { first, x, y } = swipe;
  swipe.scrolls ||= Math.hypot(clientX - first.clientX, clientY - first.clientY) > SLOP;
  if (!swipe.scrolls) return;
  const [from, to] = [placeOf(x, y), placeOf(clientX, clientY)];
  Object.assign(swipe, { x: clientX, y: clientY });
  mouse(first, "wheel", { buttons: 0, dx: from.x - to.x, dy: from.y - to.y });
}

function tapped() {
  const { first, scrolls } = swipe;
  if (scrolls) return;
  const clicks = clicksOf(first);
  for (const kind of ["move", "down", "up"]) {
    mouse(first, kind, { clicks, buttons: Number(kind === "down") });
  }
}

canvas.addEventListener("contextmenu", (event) => holding() && event.preventDefault());
canvas.addEventListener(
  "wheel",
  (event) => mouse(event, "wheel", { dx: event.deltaX, dy: event.deltaY }),
  { passive: false },
);

const last = { at: 0, x: 0, y: 0, count: 1 };

/** Which click of a row it is: two within half a second at one place are a double click. */
function clicksOf(event) {
  const near = Math.hypot(event.clientX - last.x, event.clientY - last.y) < 5;
  const again = near && event.timeStamp - last.at < 500;
  last.count = again ? Math.min(3, last.count + 1) : 1;
  Object.assign(last, { at: event.timeStamp, x: event.clientX, y: event.clientY });
  return last.count;
}

function key(event, kind) {
  if (!holding() || event.isComposing || event.keyCode === 229 || event.key === "F6") return;
  if (kind === "down" && (event.ctrlKey || event.metaKey) && PASTE.has(event.key)) return;
  event.preventDefault();
  if (kind === "down" && (event.ctrlKey || event.metaKey) && COPY.has(event.key)) copy();
  const { code, key: name, keyCode, repeat } = event;
  send({ type: "key", kind, key: name, code, number: keyCode & 255, mods: mods(event), repeat });
}

addEventListener("keydown", (event) => {
  if (event.key !== "F6" || !holding()) return;
  event.preventDefault(); // all other keys go to the page: this one leads out of it, and back
  (document.activeElement === keys ? $("give") : keys).focus();
});
keys.addEventListener("keydown", (event) => key(event, "down"));
keys.addEventListener("keyup", (event) => key(event, "up"));
keys.addEventListener("paste", (event) => {
  event.preventDefault();
  type(event.clipboardData.getData("text/plain"));
});
keys.addEventListener("compositionend", (event) => {
  type(event.data);
  keys.value = "";
});
keys.addEventListener("input", (event) => {
  // A phone's keyboard tells no keys, only what came of them.
  if (event.isComposing) return;
  type(keys.value);
  keys.value = "";
});

/** Show the options of a list of the page: no picture shows it open; it is where it was pressed. */
export function showMenu(told) {
  const menu = $("menu");
  const items = told.options.map((option, index) => {
    const made = element("button", { role: "option", text: option.text });
    made.setAttribute("aria-selected", String(option.on));
    made.disabled = option.off;
    made.addEventListener("click", () => {
      menu.hidden = true;
      send({ type: "choose", index });
      $("keys").focus();
    });
    return made;
  });
  menu.replaceChildren(...items);
  menu.hidden = false;
  const around = $("screen").getBoundingClientRect();
  const within = (at, most) => `${Math.max(0, Math.min(at, most))}px`;
  menu.style.left = within(last.x - around.left, around.width - menu.offsetWidth);
  menu.style.top = within(last.y - around.top, around.height - menu.offsetHeight);
  (items.find((each) => each.ariaSelected === "true") ?? items[0])?.focus();
}

$("menu").addEventListener("keydown", (event) => {
  const by = { ArrowUp: -1, ArrowDown: 1 }[event.key];
  const items = [...$("menu").querySelectorAll("button:enabled")];
  if (by) items[items.indexOf(document.activeElement) + by]?.focus();
  if (by || event.key === "Escape") event.preventDefault();
  if (event.key !== "Escape") return;
  $("menu").hidden = true;
  keys.focus();
});

function copy() {
  send({ type: "copy" });
}

/** Put what was selected in the page where this machine's clipboard is, or show it. */
export async function onCopied(text) {
  if (!text) {
    notice("Nothing is selected.");
    return;
  }
  try {
    await navigator.clipboard.writeText(text);
    notice("Copied.");
  } catch {
    $("copied").hidden = false;
    $("copied-text").value = text;
    $("copied-text").select();
  }
}

$("copy").addEventListener("click", copy);
$("copied-close").addEventListener("click", () => {
  $("copied").hidden = true;
  $("copied-text").value = "";
});

function type(text) {
  if (text && holding()) send({ type: "text", text: text.slice(0, 10_000) });
}

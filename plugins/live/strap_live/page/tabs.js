// The pages of a place as tabs: whoever has control opens, closes and turns to them.

import { holding, send } from "./control.js";
import { $, element } from "./dom.js";

const STEPS = { ArrowLeft: -1, ArrowRight: 1 };
const list = $("tabs");
let look = null;
let pages = [];
let shown = "";
let drawn = "";

/** Call `show(page)` for a page that is looked at and nothing more. */
export function onLook(show) {
  look = show;
}

/** Show the pages of a place, and which of them is seen. */
export function showTabs(told) {
  pages = told.pages;
  shown = told.shown;
  $("pages").hidden = pages.length < 2 && !holding();
  $("tab-new").hidden = $("tab-close").hidden = !holding();
  $("tab-close").disabled = pages.length < 2;
  const now = JSON.stringify([pages, shown]);
  if (now === drawn) return;
  drawn = now;
  const focused = list.contains(document.activeElement);
  list.replaceChildren(...pages.map(tab));
  const selected = list.querySelector("[aria-selected=true]");
  selected?.scrollIntoView({ block: "nearest" });
  if (focused) selected?.focus();
}

function tab(page) {
  const on = page.id === shown;
  const made = element("button", {
    className: "tab",
    role: "tab",
    tabindex: on ? 0 : -1,
    "aria-selected": String(on),
    text: page.title || page.url || page.id,
  });
  made.addEventListener("click", () => choose(page));
  return made;
}

function choose(page) {
  if (holding()) send({ type: "page", op: "select", page: page.id });
  else look(page);
}

function close() {
  send({ type: "page", op: "close", page: shown });
}

list.addEventListener("keydown", (event) => {
  if (event.key === "Delete" && holding()) close();
  const at = pages.findIndex((page) => page.id === shown) + STEPS[event.key];
  if (pages[at]) choose(pages[at]);
});
$("tab-new").addEventListener("click", () => {
  send({ type: "page", op: "new" });
  $("url").focus();
  $("url").select();
});
$("tab-close").addEventListener("click", close);

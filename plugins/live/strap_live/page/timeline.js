// What happened, the newest at the end, which stays in sight unless somebody scrolls up.

import { $, element, mark, spell } from "./dom.js";

const MOST = 500;
const BETWEEN = { call: " — ", step: ": " }; // what stands between a heading and what came of it
const FOREIGN = ["console", "network", "page", "dialog", "download"]; // headed by their kind
const NEAR = 40; // pixels from the end that count as being there
let follows = true; // whether the newest stays in sight
const list = $("timeline");
let last = 0;

export const lastEntry = () => last;

export function reset() {
  last = 0;
  follows = true;
  list.replaceChildren();
}

export function add(entry) {
  if (entry.n <= last) return;
  last = entry.n;
  if (entry.kind === "step") {
    for (const act of list.querySelectorAll("[data-kind=act]")) act.remove(); // it tells them
  }
  list.append(row(entry));
  if (list.childElementCount > MOST) list.firstElementChild.remove();
  follow();
}

function follow() {
  if (follows) list.scrollTop = list.scrollHeight;
}

export function addBefore(entries) {
  const height = list.scrollHeight;
  list.prepend(...entries.map(row));
  list.scrollTop += list.scrollHeight - height;
}

/** Mark the entries of a step, and bring them into sight. */
export function showStep(step) {
  let first = null;
  for (const made of list.children) {
    const on = made.dataset.step === String(step) && made.dataset.kind === "step";
    mark(made, "data-on", on);
    if (on) first ??= made;
  }
  first?.scrollIntoView({ block: "nearest" });
}

function row(entry) {
  const made = element("li", { className: "entry", "data-kind": entry.kind });
  mark(made, "data-bad", entry.bad);
  if (entry.step !== undefined) made.dataset.step = entry.step;
  made.dataset.at = entry.at;
  const at = new Date(entry.at * 1000);
  const between = BETWEEN[entry.kind];
  const { kind, text: said } = entry;
  const [what, ...rest] = FOREIGN.includes(kind) ? [kind, said] : said.split(between);
  made.append(
    element("time", { text: at.toLocaleTimeString([], { hour12: false }) }),
    element("span", { className: "kind", text: what }),
    element("span", { className: "ms", text: entry.ms === undefined ? "" : spell(entry.ms) }),
  );
  const text = rest.join(between);
  if (text) made.append(element("span", { className: "text", text }));
  if (entry.acts?.length) made.append(actions(entry.acts));
  if (entry.took) made.append(element("span", { className: "took", text: entry.took }));
  return made;
}

/** What the agent did in a step, in words, each with what came of it. */
function actions(acts) {
  const made = element("ol", { className: "acts" });
  for (const act of acts) {
    const item = element("li");
    mark(item, "data-bad", act.bad);
    item.append(element("b", { text: act.text }));
    if (act.outcome) item.append(element("span", { className: "came", text: ` ${act.outcome}` }));
    made.append(item);
  }
  return made;
}

/** Call back with the time of an entry that somebody presses. */
export function onPick(pick) {
  list.addEventListener("click", (event) => {
    const at = Number(event.target.closest(".entry")?.dataset.at);
    if (at) pick(at);
  });
}

list.addEventListener("scroll", () => {
  follows = list.scrollHeight - list.scrollTop - list.clientHeight < NEAR;
});
new ResizeObserver(follow).observe(list); // a banner above it takes its room
$("errors").addEventListener("change", (event) => {
  mark(list, "data-errors", event.target.checked);
});

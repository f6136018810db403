// What happened, the newest at the end, which stays in sight unless somebody scrolls up.

import { $, element, mark, spell } from "./dom.js";

const MOST = 500;
const NEAR = 40; // pixels from the end that count as being there
const list = $("timeline");
let last = 0;

/** The number of the last entry that is here. */
export const lastEntry = () => last;

/** Forget everything: another place is shown. */
export function reset() {
  last = 0;
  list.replaceChildren();
}

/** Show one entry. */
export function add(entry) {
  if (entry.n <= last) return;
  last = entry.n;
  const atEnd = list.scrollHeight - list.scrollTop - list.clientHeight < NEAR;
  list.append(row(entry));
  if (list.childElementCount > MOST) list.firstElementChild.remove();
  if (atEnd) list.scrollTop = list.scrollHeight;
}

function row(entry) {
  const made = element("li", { className: "entry", "data-kind": entry.kind });
  mark(made, "data-bad", entry.bad);
  const at = new Date(entry.at * 1000);
  const [what, ...rest] = entry.text.split(" — ");
  const isCall = entry.kind === "call";
  made.append(
    element("time", { text: at.toLocaleTimeString([], { hour12: false }) }),
    element("span", { className: "kind", text: isCall ? what : entry.kind }),
    element("span", { className: "ms", text: entry.ms === undefined ? "" : spell(entry.ms) }),
  );
  const text = isCall ? rest.join(" — ") : entry.text;
  if (text) made.append(element("span", { className: "text", text }));
  return made;
}

$("errors").addEventListener("change", (event) => {
  mark(list, "data-errors", event.target.checked);
});

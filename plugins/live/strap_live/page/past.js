// Looking back: the runs that are kept, and one of them, picture by picture.

import { $, element, mark } from "./dom.js";
import { draw, drawSmall, showMarks } from "./screen.js";
import { add, addBefore, onPick, reset, showStep } from "./timeline.js";

const KEPT = 40; // pictures that are not asked for again
const TYPING = 300; // milliseconds until what is typed is looked for
const now = { run: null, shown: -1, wanted: 0, start: 0, entries: 0 };
const pictures = new Map();
const waiting = new Map();
let connection = null;
let go = null;
let places = [];
let number = 0;
let typing = 0;

/** Use this connection; `how.open(id)` shows a run, `how.live(place)` one that goes on. */
export function begin(made, how) {
  connection = made;
  go = how;
}

export function list() {
  connection.send({ type: "runs", limit: 20 });
}

export function open(id) {
  now.run = { id };
  now.shown = -1;
  document.body.dataset.mode = "past";
  $("back-look").hidden = true;
  $("empty").textContent = "No picture is kept of it.";
  $("state").textContent = "…";
  connection.send({ type: "run", id });
  askEvents();
}

export function close() {
  now.run = null;
  pictures.clear();
  delete document.body.dataset.mode;
  for (const id of ["scrub", "outcome", "filters", "before", "back-live"]) $(id).hidden = true;
}

export function onRuns(told) {
  if (!told.before) $("runs").replaceChildren();
  $("runs").append(...told.runs.map(line));
  $("past").hidden = $("runs").childElementCount === 0;
  $("older").hidden = !told.more;
  $("older").dataset.before = told.runs.at(-1)?.started ?? "";
}

function line(run) {
  const item = element("li");
  const made = element("button", { className: "run" });
  const picture = element("canvas", { className: "run-picture", "aria-hidden": "true" });
  const about = element("span", { className: "about" });
  const facts = [spellTime(run.started), lasted(run), `${run.steps} steps`, run.url];
  about.append(
    element("strong", { text: run.task }),
    element("small", { text: facts.filter(Boolean).join(" · ") }),
  );
  const status = element("span", { className: "chip status", "data-status": run.status });
  status.textContent = run.status;
  made.append(picture, about, status);
  made.addEventListener("click", () => go.open(run.id));
  item.append(made);
  if (run.shot) ask(run.id, run.shot, (told) => drawSmall(picture, told));
  return item;
}

function ask(id, file, use) {
  number += 1;
  waiting.set(number, use);
  connection.send({ type: "shot", id, file, n: number });
  return number;
}

export function onPicture(picture) {
  waiting.get(picture.seq)?.(picture);
  waiting.delete(picture.seq);
}

export function onRun(told) {
  if (told.id !== now.run?.id) return;
  now.run = told;
  $("title").textContent = `Run: ${told.task}`;
  $("state").textContent = told.status === "running" ? "It goes on" : told.status;
  $("state").dataset.state = told.status;
  $("address").textContent = told.url;
  $("scrub").hidden = told.shots.length === 0;
  $("filters").hidden = false;
  showOutcome(told);
  going(places);
  const last = told.shots.at(-1);
  $("time").max = last ? Math.max(1, Math.round((last.at - origin()) * 1000)) : 1;
  $("ticks").replaceChildren(...told.shots.map(tick));
  if (last) show(told.shots.length - 1);
}

const origin = () => now.run.shots[0].at;

function tick(shot) {
  const made = element("i", { "data-kind": shot.sample ? "sample" : "step" });
  made.style.left = `${((shot.at - origin()) * 100_000) / $("time").max}%`;
  return made;
}

function showOutcome(run) {
  const box = $("outcome");
  const answer = run.answer;
  box.replaceChildren();
  const facts = [spellTime(run.started), lasted(run), `${run.steps} steps`, run.model, run.reason];
  box.append(element("p", { className: "facts", text: facts.filter(Boolean).join(" · ") }));
  if (answer?.result) box.append(element("pre", { text: answer.result }));
  if (answer?.summary) box.append(element("p", { text: answer.summary }));
  for (const text of answer?.warnings ?? []) box.append(element("p", { className: "warn", text }));
  for (const text of answer?.errors ?? []) box.append(element("p", { className: "bad", text }));
  if (answer?.usage?.input_tokens) {
    const { input_tokens: read, output_tokens: said, model_calls: calls } = answer.usage;
    const text = `${calls} calls of the model · ${read} tokens in, ${said} out`;
    box.append(element("p", { className: "facts", text }));
  }
  box.hidden = false;
}

/** Show the so-manieth picture, with what was done there. */
function show(at) {
  const shot = now.run.shots[at];
  if (!shot || at === now.shown) return;
  now.shown = at;
  const time = shot.at - origin();
  $("time").value = Math.round(time * 1000);
  const label = shot.sample ? "during step" : "step";
  $("when").textContent = `${time.toFixed(1)} s · ${label} ${shot.step}`;
  $("time").setAttribute("aria-valuetext", $("when").textContent);
  $("address").textContent = shot.url || now.run.url;
  $("stats").textContent = shot.marks.map((act, n) => `${n + 1}. ${act.text}`).join("   ");
  for (const [index, made] of [...$("ticks").children].entries()) {
    mark(made, "data-on", index === at);
  }
  showStep(shot.step);
  const known = pictures.get(shot.file);
  if (known) put(known, shot, at);
  else ask(now.run.id, shot.file, (told) => put(keep(shot.file, told), shot, at));
}

function keep(file, picture) {
  pictures.set(file, picture);
  if (pictures.size > KEPT) pictures.delete(pictures.keys().next().value);
  return picture;
}

function put(picture, shot, at) {
  if (at !== now.shown) return; // the slider is elsewhere by now
  draw(picture, () => showMarks(shot.marks));
}

/** The picture that was there at a time, in seconds since 1970. */
function shotAt(at) {
  const later = now.run.shots.findIndex((shot) => shot.at > at + 0.0005);
  return later < 0 ? now.run.shots.length - 1 : Math.max(0, later - 1);
}

function askEvents(start = 0) {
  now.start = start;
  const kinds = [...$("filters").querySelectorAll("input:checked")].map((each) => each.value);
  const text = $("search").value.trim();
  if (start === 0) reset();
  if (kinds.length === 0) return;
  const bad = $("errors").checked;
  connection.send({ type: "events", id: now.run.id, kinds, bad, text, start });
}

/** Show a page of events: the newest, or those before what is here. */
export function onEvents(told) {
  if (told.id !== now.run?.id || told.start !== now.start) return;
  if (told.start > 0) addBefore(told.events);
  else for (const [at, entry] of told.events.entries()) add({ ...entry, n: at + 1 });
  now.entries = told.start + told.events.length;
  $("before").hidden = !told.more;
  if (now.shown >= 0) showStep(now.run.shots[now.shown].step);
}

/** Take note of what goes on: the run that is shown may be watched, if it does. */
export function going(told) {
  places = told;
  const place = now.run && places.find((each) => each.run === now.run.id && each.state !== "over");
  $("back-live").hidden = !place;
  $("back-live").dataset.place = place?.id ?? "";
}

function spellTime(at) {
  return new Date(at * 1000).toLocaleString([], { dateStyle: "medium", timeStyle: "short" });
}

function lasted(run) {
  return run.ended ? `${(run.ended - run.started).toFixed(1)} s` : "goes on";
}

$("older").addEventListener("click", () => {
  connection.send({ type: "runs", limit: 20, before: Number($("older").dataset.before) });
});
$("before").addEventListener("click", () => askEvents(now.entries));
$("back-live").addEventListener("click", () => go.live($("back-live").dataset.place));
$("time").addEventListener("input", (event) => {
  show(shotAt(origin() + event.target.value / 1000));
});
$("time").addEventListener("keydown", (event) => {
  const by = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1 }[event.key];
  if (!by) return;
  event.preventDefault(); // a picture further, not a millisecond
  show(now.shown + by);
});
$("earlier").addEventListener("click", () => show(now.shown - 1));
$("later").addEventListener("click", () => show(now.shown + 1));
onPick((at) => now.run?.shots?.length && show(shotAt(at)));
$("filters").addEventListener("change", () => askEvents());
$("filters").addEventListener("submit", (event) => event.preventDefault());
$("errors").addEventListener("change", () => now.run && askEvents());
$("search").addEventListener("input", () => {
  clearTimeout(typing);
  typing = setTimeout(askEvents, TYPING);
});

// Pause, take control, hand back: buttons beside the picture, which no page can draw over.

import { $, mark, spell } from "./dom.js";
import { onAnswer, showQuestion } from "./question.js";

const BEAT = 5000; // milliseconds between two signs that the holder is there
const SAID = {
  pausing: "Waiting for the agent…",
  paused: "Paused",
  held: "You have control",
  stopped: "Stopped",
  over: "Nothing is open",
};
const PRIVACY = {
  you: [
    "Private: nobody else sees this picture, and nothing is kept. The agent waits.",
    "Everybody who watches sees this picture. Nothing is kept. The agent waits.",
  ],
  other: [
    "Somebody has control: the picture is private.",
    "Somebody has control, and lets you see.",
  ],
};
const LEAVE = " F6 leads out of it.";
const desk = matchMedia("(pointer: fine)"); // where there is a keyboard that covers nothing
const ORDERS = ["pause", "resume", "take", "give", "stop"];
const NOTICED = 8000; // milliseconds: two sentences are read by then
let noticed = 0;
let connection = null;
let now = { epoch: 0 };
let mayControl = false;
let shownDialog = "";

export function begin(made) {
  connection = made;
}

export function allow(role) {
  mayControl = role === "control";
}

/** The state of the place that is shown. */
export const current = () => now;

/** Whether what is pressed and typed here goes to the page. */
export const holding = () => now.holder === "you" && now.state === "held";

/** Show the state of a place, and what can be ordered. */
export function update(told) {
  const held = holding();
  now = told;
  const asks = told.ask && !told.holder;
  const other = told.holder === "other";
  $("state").textContent = other ? "Somebody else has control" : wordsFor(told, asks);
  $("state").dataset.state = told.acting && told.state === "agent" ? "acting" : told.state;
  showStep();
  const mine = told.holder === "you";
  const can = {
    pause: told.state === "agent",
    resume: ["paused", "stopped"].includes(told.state),
    take: (["agent", "paused", "stopped"].includes(told.state) && !asks) || other,
    give: mine,
    stop: ["agent", "pausing", "paused"].includes(told.state) && !mine,
  };
  for (const id of ORDERS) $(id).hidden = !(mayControl && can[id]);
  mark(document.body, "data-held", holding());
  showPrivacy(told);
  for (const id of ["goto", "share", "copy"]) $(id).hidden = !holding();
  $("share").ariaPressed = told.shared;
  $("address").hidden = holding();
  $("hangs").hidden = !(told.hangs && holding());
  showEnding(told.ends);
  turnKeys(held);
  showAsk(told.ask);
  showQuestion(told.confirm, mayControl);
  showDialog(told.dialog);
}

function wordsFor(told, asks) {
  if (told.state === "over" && told.run) return "The run has ended";
  if (told.state !== "agent") return SAID[told.state];
  if (told.acting) return told.confirm ? "The agent waits for your yes" : "The agent acts";
  if (asks) return "The agent waits for you";
  return told.step ? "The agent is at work" : "The agent is idle";
}

function showPrivacy(told) {
  $("private").hidden = !told.holder;
  const says = PRIVACY[told.holder]?.[Number(told.shared)];
  $("private").textContent = holding() && desk.matches ? says + LEAVE : says;
}

/** Lead the keyboard to the page, and back; not on a phone, where it would cover the page. */
function turnKeys(held) {
  $("keys").disabled = !holding();
  if (held === holding() || !desk.matches) return;
  if (holding()) $("keys").focus();
  else if (document.activeElement === document.body) $("take").focus();
}

/** Show which step of a run goes on, and for how long its model has been thinking. */
function showStep() {
  const since = now.thinking;
  const thinks = since ? `, thinking ${spell(Math.max(0, Date.now() - since * 1000))}` : "";
  $("step").textContent = now.step && now.state === "agent" ? `step ${now.step}${thinks}` : "";
}

/** No place is shown any more, so nothing can be ordered. */
export function leave() {
  update({ state: "agent", epoch: 0, id: null });
  for (const id of ORDERS) $(id).hidden = true;
  $("state").textContent = "";
}

/** Say that a hold is about to end by itself, to whoever can keep it. */
function showEnding(ends) {
  $("ending").hidden = !ends || !mayControl || now.holder === "other";
  const left = Math.max(0, Math.round(ends - Date.now() / 1000));
  $("ending-text").textContent = `The agent goes on in ${left} s.`;
}

function showAsk(ask) {
  $("ask").hidden = !ask || Boolean(now.holder);
  $("ask-take").hidden = $("ask-no").hidden = !mayControl;
  $("ask-text").textContent = ask?.text ?? "";
  $("ask-words").hidden = !(ask?.words && mayControl);
}

function showDialog(dialog) {
  $("dialog").hidden = !dialog || !holding();
  $("dialog-text").textContent = dialog?.text ?? "";
  $("dialog-value").hidden = dialog?.kind !== "prompt";
  $("dialog-no").hidden = dialog?.kind === "alert";
  const shown = JSON.stringify(dialog);
  if (shown === shownDialog) return;
  shownDialog = shown;
  $("dialog-value").value = dialog?.default ?? "";
  if (!holding() || !desk.matches) return;
  const meant = dialog?.kind === "prompt" ? "dialog-value" : "dialog";
  $(dialog ? meant : "keys").focus(); // no key goes to a page that waits for an answer
}

/** Say for a while why something was not done. */
export function notice(text) {
  $("notice").textContent = text;
  $("notice").hidden = !text;
  clearTimeout(noticed);
  noticed = setTimeout(notice, NOTICED, "");
}

/** Send what a hand did, for the state that is seen. */
export function send(message) {
  connection.send({ epoch: now.epoch, ...message });
}

function order(type) {
  if (document.body.hasAttribute("data-lost")) notice("Not connected: that was not done.");
  connection.send({ type, place: now.id, epoch: now.epoch });
}

onAnswer((number, yes) => {
  connection.send({ type: "answer", place: now.id, number, yes });
});
for (const id of ORDERS) $(id).addEventListener("click", () => order(id));
$("keep").addEventListener("click", () => order("keep"));
$("halt").addEventListener("click", () => send({ type: "go", to: "stop" }));
$("hangs-reload").addEventListener("click", () => send({ type: "go", to: "reload" }));
$("ask-take").addEventListener("click", () => order("take"));
$("ask-no").addEventListener("click", () => {
  connection.send({ type: "decline", place: now.id, reason: "" });
});
$("ask-words").addEventListener("submit", (event) => {
  event.preventDefault();
  connection.send({ type: "reply", place: now.id, text: $("ask-answer").value });
  $("ask-answer").value = "";
});
$("dialog").addEventListener("submit", (event) => {
  event.preventDefault();
  const value = $("dialog-value");
  send({ type: "dialog", accept: true, ...(value.hidden ? {} : { text: value.value }) });
});
$("dialog-no").addEventListener("click", () => send({ type: "dialog", accept: false }));
for (const to of ["back", "forward", "reload"]) {
  $(`go-${to}`).addEventListener("click", () => send({ type: "go", to }));
}
$("goto").addEventListener("submit", (event) => {
  event.preventDefault();
  send({ type: "go", to: "url", url: $("url").value });
  $("keys").focus();
});
$("share").addEventListener("click", () => send({ type: "share", on: !now.shared }));
addEventListener("beforeunload", (event) => {
  if (holding()) event.preventDefault();
});
setInterval(() => {
  if (now.holder === "you") connection.send({ type: "beat" });
}, BEAT);
setInterval(() => now.thinking && showStep(), 100);
setInterval(() => now.ends && showEnding(now.ends), 1000);

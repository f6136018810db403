// A yes or no to what the agent is about to do: beside the picture, where no page can draw.

import { $, element } from "./dom.js";

const WAIT = 600; // milliseconds in which a new question takes no answer: a click may have been meant for the one before
const buttons = [$("confirm-yes"), $("confirm-no")];
const pageTitle = document.title;
let open = null;

/** Show the question that is open, or none; `may` tells whether it can be answered here. */
export function showQuestion(question, may) {
  $("confirm").hidden = !question;
  document.title = question ? `Yes or no? · ${pageTitle}` : pageTitle;
  if (question && question.number !== open?.number) begin(question, may);
  open = question;
}

function begin(question, may) {
  const title = question.wish || `May the agent do ${question.action}?`;
  $("confirm-title").textContent = title;
  $("confirm-yes").textContent = question.wish ? "Yes, send it" : "Yes, do it";
  $("confirm-parts").replaceChildren(...question.parts.flatMap(part));
  for (const button of buttons) {
    button.hidden = !may;
    button.disabled = true;
  }
  $("confirm").focus();
  setTimeout(() => {
    for (const button of buttons) button.disabled = false;
  }, WAIT);
  open = question;
  tick();
}

function part([name, lines]) {
  return [element("dt", { text: name }), element("dd", { text: lines.join("\n") })];
}

/** Call `answer` with the number of the question and whether the answer is yes. */
export function onAnswer(answer) {
  buttons.forEach((button, at) => {
    button.addEventListener("click", () => open && answer(open.number, at === 0));
  });
}

function tick() {
  if (!open) return;
  const left = Math.max(0, Math.round(open.until - Date.now() / 1000));
  $("confirm-left").textContent = `${left} s left; without an answer it is a no`;
}

setInterval(tick, 1000);

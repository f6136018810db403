// A captcha that is shown and not solved yet, by its frames, its fields and its pictures.

import { shadowRoots } from "./tree.js";
import { isSeen } from "./visibility.js";

const LEAST = 24; // pixels of a side: smaller frames only measure
const WIDGETS = ".g-recaptcha, .h-captcha, .cf-turnstile, .frc-captcha, altcha-widget";
const NAMED = ["img[src*=captcha i]", "img[alt*=captcha i]", "input[name*=captcha i]"];
const SHOWN = `iframe, ${WIDGETS}, ${NAMED.join(", ")}`;
const ANSWERS = "[name$=captcha-response], [name=cf-turnstile-response], input[name*=captcha i]";
const SIGN = /captcha|turnstile|challenge-platform|arkoselabs|geetest/i;
const UNSEEN = /[?&#]size=invisible|frame=checkbox-invisible/; // it asks only those whom it suspects
const KINDS = {
  hCaptcha: /h-?captcha/i,
  reCAPTCHA: /recaptcha/i,
  Turnstile: /turnstile|challenge-p/i,
};
const FIELD = "input:not([type]), input[type=text], input[type=number], input[type=tel]";
const NEAR = 3; // elements outwards from a picture, in which a field is for its text
const wordsOf = ({ localName, src, className }) =>
  localName === "iframe" ? src : `captcha ${src || ""} ${className}`;
// A picture that nobody is to type off is one in an article about captchas.
const isAsked = (picture) => {
  let near = picture;
  for (let steps = 0; near.parentElement && steps < NEAR; steps++) near = near.parentElement;
  return !!(picture.closest("form") || near).querySelector(FIELD);
};
const isLarge = (element) => {
  const { width, height } = element.getBoundingClientRect();
  return width >= LEAST && height >= LEAST / 2;
};
// Its name, "" if there is none.
export const captcha = () => {
  const roots = shadowRoots();
  const all = (selector) => roots.flatMap((root) => [...root.querySelectorAll(selector)]);
  const found = all(SHOWN).find((one) => {
    const words = wordsOf(one);
    const asks = SIGN.test(words) && !UNSEEN.test(words) && one.dataset.size !== "invisible";
    if (one.localName === "img" && !isAsked(one)) return false;
    return asks && one.type !== "hidden" && isLarge(one) && isSeen(one);
  });
  if (!found || all(ANSWERS).some(({ value }) => value)) return "";
  return Object.keys(KINDS).find((kind) => KINDS[kind].test(wordsOf(found))) || "of its own";
};

// Motion of elements.

import { CONTROL, closest, within } from "./tree.js";

// As in keyframes, where `offset` is no property.
const MOVES =
  /^(transform|translate|scale|rotate|offset[A-Z]|cssOffset|inset|margin|width|height|top|left|right|bottom)/;
const SHOWS = /^(opacity|visibility|display|overlay|content|clip|max|min|grid|flex|block|inline)/;
const MOTION_MS = 600;
const FRAME_MS = 20;
const changesAny = (effect, properties) =>
  effect.getKeyframes().some((frame) => Object.keys(frame).some((key) => properties.test(key)));
// Whether it begins to show something, or is about to.
const SOON_MS = 500;
export const changesOpacity = ({ playState, currentTime, timeline, effect }) => {
  if (playState !== "running" || timeline !== document.timeline || !effect) return false;
  const { delay, iterations } = effect.getComputedTiming();
  const soon = iterations !== Infinity && delay - (currentTime || 0) <= SOON_MS;
  return soon && changesAny(effect, /^opacity$/);
};
export const isMoving = (element) =>
  document.getAnimations().some(({ playState, effect }) => {
    if (playState !== "running" || !effect || !within(element, effect.target)) return false;
    return changesAny(effect, MOVES);
  });
// Whether what moves is but a control itself, or a part without text of one or of `element`: the
// ripple of a button tells nothing, nor does a button that the mouse left.
const isOwn = (target, element) =>
  target === element ||
  target.matches(CONTROL) ||
  (!target.textContent.trim() && (within(target, element) || !!closest(target, CONTROL)));
// Milliseconds until what began to change its look since then, elsewhere or anywhere, has done so.
export const motion = (element, since, roots, anywhere) => {
  if (document.hidden) return 0;
  const left = ({ playState, startTime, currentTime, playbackRate, timeline, effect }) => {
    if (playState !== "running" || timeline !== document.timeline || !effect?.target) return 0;
    if (startTime !== null && startTime < since - FRAME_MS) return 0;
    const ms = (effect.getComputedTiming().endTime - currentTime) / Math.abs(playbackRate);
    if (!(ms <= MOTION_MS) || (!anywhere && isOwn(effect.target, element))) return 0;
    return changesAny(effect, SHOWS) || changesAny(effect, MOVES) ? Math.max(ms, 1) : 0;
  };
  return Math.max(0, ...roots.flatMap((root) => root.getAnimations()).map(left));
};
export const isBusy = () => {
  const ends = ({ playState, effect }) =>
    playState === "running" && !!effect && effect.getComputedTiming().iterations !== Infinity;
  return document.readyState !== "complete" || document.getAnimations().some(ends);
};

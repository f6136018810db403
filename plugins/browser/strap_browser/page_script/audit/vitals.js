// How quickly the page came, as the browser measured it (web.dev/vitals), and links that lead nowhere.

import { tellRef } from "../accessibility/refs.js";
import { describeElement } from "../dom/tree.js";

const WAIT_MS = 100; // what was buffered comes in a task of its own
const MOST_LINKS = 20;
const LINK_MS = 5000;
const AT_ONCE = 4;
const entries = (type) =>
  new Promise((done) => {
    const found = [];
    try {
      /** @type {any} Event Timing (W3C) adds the threshold, in ms */
      const asked = { type, buffered: true, durationThreshold: 16 };
      new PerformanceObserver((list) => found.push(...list.getEntries())).observe(asked);
    } catch {
      done(found);
    }
    setTimeout(() => done(found), WAIT_MS);
  });
const about = (element) =>
  element?.nodeType === 1 ? { ...tellRef(element), tag: describeElement(element) } : {};
// Shifts count in windows of at most five seconds, with less than one between two.
const shiftOf = (shifts) => {
  /** @type {{ value: number, element?: any }} */
  let most = { value: 0 };
  let [sum, first, last] = [0, 0, 0];
  for (const { startTime, value, hadRecentInput, sources } of shifts) {
    if (hadRecentInput) continue;
    if (startTime - last > 1000 || startTime - first > 5000) [sum, first] = [0, startTime];
    [sum, last] = [sum + value, startTime];
    if (sum > most.value) most = { value: sum, element: sources?.[0]?.node };
  }
  return most;
};
export const vitals = async () => {
  const [paints, shifts, events] = await Promise.all(
    ["largest-contentful-paint", "layout-shift", "event"].map(entries),
  );
  /** @type {any[]} */
  const [navigation] = performance.getEntriesByType("navigation");
  const paint = paints.at(-1);
  const slow = events.filter(({ interactionId }) => interactionId);
  const event = slow.sort((one, other) => other.duration - one.duration)[0];
  const shift = shiftOf(shifts);
  /** @type {any[]} */
  const resources = performance.getEntriesByType("resource");
  const blocking = resources
    .filter(({ renderBlockingStatus }) => renderBlockingStatus === "blocking")
    .map(({ name, duration }) => ({ name, ms: Math.round(duration) }));
  return {
    ttfb: Math.round(navigation?.responseStart || 0),
    lcp: Math.round(paint?.startTime || 0),
    lcpAt: about(paint?.element),
    cls: Math.round(shift.value * 1000) / 1000,
    clsAt: about(shift.element),
    inp: Math.round(event?.duration || 0),
    inpAt: about(event?.target),
    blocking,
  };
};
const statusOf = async (url) => {
  try {
    const signal = AbortSignal.timeout(LINK_MS);
    return (await fetch(url, { method: "HEAD", credentials: "omit", signal })).status;
  } catch {
    return 0;
  }
};
// The first links within the site that are not there, asked for without cookies.
export const missing = async () => {
  const known = new Map();
  /** @type {NodeListOf<HTMLAnchorElement>} */
  const links = document.querySelectorAll("a[href]");
  for (const link of links) {
    const url = link.href.split("#")[0];
    const isHere = link.origin === location.origin && url !== location.href.split("#")[0];
    if (isHere && !known.has(url) && known.size < MOST_LINKS) known.set(url, link);
  }
  const waiting = [...known];
  const found = [];
  const work = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const status = await statusOf(next[0]);
      if (status === 404 || status === 410) found.push({ status, url: next[0], ...about(next[1]) });
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return found;
};

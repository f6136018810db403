// Which elements scroll smoothly, and whether one may be on its way.

export const root = () => document.scrollingElement || document.documentElement;
export const scrolls = (element, sideways) => {
  if (!element) return false; // a document that is empty
  const style = getComputedStyle(element);
  const spare = sideways
    ? element.scrollWidth - element.clientWidth
    : element.scrollHeight - element.clientHeight;
  const overflow = sideways ? style.overflowX : style.overflowY;
  if (element === root()) return spare > 1 && !/hidden|clip/.test(overflow);
  return spare > 1 && /auto|scroll|overlay/.test(overflow);
};
// The parts of the page, as it was last looked at, that are made to be scrolled smoothly.
const MOST = 50;
let smooth = [];
// What can be scrolled, or cuts off what is in it, of the page that is looked at; null between looks.
let scrollers = null;
export const takeScrollers = () => {
  const found = scrollers || [];
  scrollers = null;
  return found;
};
export const forgetGlides = () => {
  scrollers = [];
  smooth = smooth.filter((one) => one.isConnected && hasGlided(one));
};
export const noteSmooth = (element, style) => {
  if (style.overflowX === "visible") return; // most; each question of a style takes its time
  scrollers?.push(element);
  if (style.scrollBehavior !== "auto" || style.scrollSnapType !== "none") keepSmooth(element);
};
export const keepSmooth = (element) => {
  if (element !== root() && smooth.length < MOST && !smooth.includes(element)) smooth.push(element);
};
export const mayGlide = () =>
  smooth.some((one) => one.isConnected && (scrolls(one, true) || scrolls(one, false)));
export const APART_MS = 100;
// When each scroller moved last, whatever made it, and how long after the time before; in how many
// steps since it rested, and whether it rests: what is scrolled at once does so after each step.
export const times = new WeakMap();
export const hasGlided = (scroller) => times.get(scroller)?.gap < APART_MS;

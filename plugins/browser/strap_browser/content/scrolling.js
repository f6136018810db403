// Scrolling: what can be scrolled, how far it is, and bringing elements into view.
const scrolling = (() => {
  const STEP = 0.85;
  const DIRECTIONS = { up: [0, -1], down: [0, 1], left: [-1, 0], right: [1, 0] };
  const ENDS = { top: -1, bottom: 1 };
  const FAR = 1e7;

  const root = () => document.scrollingElement || document.documentElement;
  const scrolls = (element, sideways) => {
    if (!element) return false; // a document that is empty
    const style = getComputedStyle(element);
    const spare = sideways
      ? element.scrollWidth - element.clientWidth
      : element.scrollHeight - element.clientHeight;
    const overflow = sideways ? style.overflowX : style.overflowY;
    if (element === root()) return spare > 1 && !/hidden|clip/.test(overflow);
    return spare > 1 && /auto|scroll|overlay/.test(overflow);
  };
  const around = (element, sideways) => {
    for (let node = element; node; node = elements.parentOf(node)) {
      if (node.nodeType === 1 && scrolls(node, sideways)) return node;
    }
    return null;
  };
  const area = ({ clientWidth, clientHeight }) => clientWidth * clientHeight;
  const largest = (above, sideways) =>
    [...above.querySelectorAll("*")]
      .slice(0, elements.LARGE)
      .filter((element) => area(element) > 1000 && scrolls(element, sideways))
      .sort((a, b) => area(b) - area(a))[0];
  // What scrolls for the caller: the element, what it is in or what is in it; without an element
  // the page, or where that does not scroll, what is in the middle of it or the largest part.
  const scrollerOf = (element, sideways) => {
    if (!element) {
      if (scrolls(root(), sideways)) return root();
      const middle = elements.at(innerWidth / 2, innerHeight / 2);
      return around(middle, sideways) || largest(document, sideways);
    }
    const own = scrolls(element, sideways) ? element : largest(element, sideways);
    return own || around(element, sideways) || (scrolls(root(), sideways) ? root() : null);
  };
  const distance = (scroller, { to, dx = 0, dy = 0 }) => {
    if (ENDS[to]) return [0, ENDS[to] * FAR];
    if (!DIRECTIONS[to]) return [dx, dy];
    const [x, y] = DIRECTIONS[to];
    return [
      x * (dx || scroller.clientWidth * STEP),
      y * (dy || scroller.clientHeight * STEP),
    ];
  };
  const tell = (scroller, before, name) => ({
    name,
    moved: Math.abs(scroller.scrollLeft - before[0]) + Math.abs(scroller.scrollTop - before[1]),
    left: Math.round(scroller.scrollLeft),
    top: Math.round(scroller.scrollTop),
    right: Math.max(0, scroller.scrollWidth - scroller.clientWidth),
    bottom: Math.max(0, scroller.scrollHeight - scroller.clientHeight),
  });
  const scroll = (element, asked) => {
    const sideways = asked.to ? /left|right/.test(asked.to) : !asked.dy;
    const scroller = scrollerOf(element, sideways);
    const box = element && element.getBoundingClientRect();
    const middle = box
      ? [box.left + box.width / 2, box.top + box.height / 2]
      : [innerWidth / 2, innerHeight / 2];
    if (!scroller) {
      const [x, y] = distance({ clientWidth: innerWidth, clientHeight: innerHeight }, asked);
      return { none: true, middle, by: [x, y], framed: window !== top };
    }
    const before = [scroller.scrollLeft, scroller.scrollTop];
    const [left, top_] = distance(scroller, asked);
    scroller.scrollBy({ left, top: top_, behavior: "instant" });
    return tell(scroller, before, scroller === root() ? "" : elements.describe(scroller));
  };
  const show = (element) => {
    const before = [root().scrollLeft, root().scrollTop];
    element.scrollIntoView({ block: "center", inline: "nearest", behavior: "instant" });
    return { ...tell(root(), before, ""), shown: elements.isShown(element) };
  };
  return { scroll, show };
})();

// How far what is drawn can be brought into sight by scrolling, the document and what scrolls in it.
const extents = (() => {
  const FAR = 5000;
  // How far the whole document can still be moved to the right, down and to the left. One that is
  // written from right to left begins left of the window.
  const ofDocument = () => {
    const { clientWidth, scrollWidth } = document.scrollingElement || document.documentElement;
    const { direction } = getComputedStyle(document.body || document.documentElement);
    const start = direction === "rtl" ? clientWidth - scrollWidth : 0;
    return [scrollX - start, scrollY, start + scrollWidth + FAR - scrollX];
  };
  // Which begins at its other end, or may.
  const isTurned = ({ direction, flexDirection, writingMode }) =>
    direction === "rtl" || flexDirection.endsWith("-reverse") || writingMode !== "horizontal-tb";
  // The same with how far what is in the element can be moved within it.
  const within = (element, room) => {
    if (element.nodeType !== 1 || element === document.scrollingElement) return room;
    const style = getComputedStyle(element);
    if (!/auto|scroll|hidden/.test(style.overflow)) return room;
    const [right, down, left] = room;
    const wide = element.scrollWidth - element.clientWidth;
    const high = element.scrollHeight - element.clientHeight;
    if (isTurned(style)) return [right + wide, down + high, left + wide];
    return [right + element.scrollLeft, down + element.scrollTop, left + wide];
  };

  // The extent of the document as it is now, for as long as it stays so.
  class Extent {
    rooms = new Map();
    page = ofDocument();
    // How far what is in the node can be moved.
    around(node) {
      const unknown = [];
      for (; node && !this.rooms.has(node); node = elements.parentOf(node)) unknown.push(node);
      let room = node ? this.rooms.get(node) : this.page;
      for (const inner of unknown.reverse()) {
        room = within(inner, room);
        this.rooms.set(inner, room);
      }
      return room;
    }
    // Whether the element, which has that box, is drawn where nobody can scroll. What is in it may be
    // elsewhere, as the slides of a carousel are.
    isOff(element, { width, right, bottom, left }) {
      const beyond = (room) => right + room[0] < 0 || bottom + room[1] < 0 || left > room[2];
      return width > 0 && beyond(this.page) && beyond(this.around(elements.parentOf(element)));
    }
  }
  return { Extent };
})();

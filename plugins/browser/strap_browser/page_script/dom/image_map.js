// The areas of image maps, which have no boxes of their own: they are places on a picture.

import { isFirefox } from "./quirks.js";

const nameOf = (image) => image.getAttribute("usemap")?.replace(/^#/, "");
// The areas of a picture.
export const areasOf = (image) => {
  const name = image.localName === "img" && nameOf(image);
  const map = name && image.getRootNode().querySelector?.(`map[name=${CSS.escape(name)}]`);
  return map ? [...map.querySelectorAll("area")] : [];
};
// The picture that an area is on, null for all other elements.
export const imageOf = (element) => {
  const map = element.localName === "area" && element.closest("map");
  const images = map ? [...element.getRootNode().querySelectorAll("img[usemap]")] : [];
  return images.find((image) => nameOf(image) === map.name) || null;
};
const numbersOf = ({ coords }) => coords.split(/[\s,;]+/).map(Number);
const bounds = (area, { offsetWidth, offsetHeight }) => {
  const numbers = numbersOf(area);
  const [x, y, radius] = numbers;
  if (area.shape === "default" || numbers.length < 3) return [0, 0, offsetWidth, offsetHeight];
  if (/^circ/.test(area.shape)) return [x - radius, y - radius, x + radius, y + radius];
  const [across, down] = [0, 1].map((rest) => numbers.filter((_, at) => at % 2 === rest));
  return [Math.min(...across), Math.min(...down), Math.max(...across), Math.max(...down)];
};
// Where areas count from on the screen, and how large what they count is there: Firefox counts from
// the content of the picture, Chromium from its border.
const scaleOf = (image) => {
  const { left, top, width, height } = image.getBoundingClientRect();
  const [across, down] = [width / image.offsetWidth || 1, height / image.offsetHeight || 1];
  if (!isFirefox) return [left, top, across, down];
  const { paddingLeft, paddingTop } = getComputedStyle(image);
  const [before, above] = [
    image.clientLeft + parseFloat(paddingLeft),
    image.clientTop + parseFloat(paddingTop),
  ];
  return [left + before * across, top + above * down, across, down];
};
// The box around an area, as it is drawn.
export const areaBox = (area, image) => {
  const [left, top, across, down] = scaleOf(image);
  const [from, above, to, below] = bounds(area, image);
  const size = [(to - from) * across, (below - above) * down];
  return new DOMRect(left + from * across, top + above * down, ...size);
};
const isIn = (area, image, x, y) => {
  const [left, top, right, bottom] = bounds(area, image);
  if (x < left || x >= right || y < top || y >= bottom) return false;
  if (/^circ/.test(area.shape))
    return Math.hypot(x - (left + right) / 2, y - (top + bottom) / 2) < (right - left) / 2;
  if (!/^poly/.test(area.shape)) return true;
  // By the even-odd rule (HTML, 4.8.14.4).
  const numbers = numbersOf(area);
  let inside = false;
  for (let at = 0; at + 1 < numbers.length; at += 2) {
    const [fromX, fromY] = numbers.slice(at);
    const [toX, toY] = at + 3 < numbers.length ? numbers.slice(at + 2) : numbers;
    if (fromY > y !== toY > y && x < fromX + ((toX - fromX) * (y - fromY)) / (toY - fromY))
      inside = !inside;
  }
  return inside;
};
// The area at a place on a picture, for browsers that name the picture there (Firefox).
export const areaAt = (image, x, y) => {
  const [left, top, across, down] = scaleOf(image);
  return areasOf(image).find((area) => isIn(area, image, (x - left) / across, (y - top) / down));
};

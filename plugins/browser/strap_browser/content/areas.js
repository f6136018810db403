// The areas of image maps, which have no boxes of their own: they are places on a picture.
const areas = (() => {
  const nameOf = (image) => image.getAttribute("usemap")?.replace(/^#/, "");
  // The areas of a picture.
  const of = (image) => {
    const name = image.localName === "img" && nameOf(image);
    const map = name && image.getRootNode().querySelector?.(`map[name=${CSS.escape(name)}]`);
    return map ? [...map.querySelectorAll("area")] : [];
  };
  // The picture that an area is on, null for all other elements.
  const imageOf = (element) => {
    const map = element.localName === "area" && element.closest("map");
    const images = map ? [...element.getRootNode().querySelectorAll("img[usemap]")] : [];
    return images.find((image) => nameOf(image) === map.name) || null;
  };
  const bounds = ({ shape, coords }, { offsetWidth, offsetHeight }) => {
    const numbers = coords.split(/[\s,;]+/).map(Number);
    const [x, y, radius] = numbers;
    if (shape === "default" || numbers.length < 3) return [0, 0, offsetWidth, offsetHeight];
    if (/^circ/.test(shape)) return [x - radius, y - radius, x + radius, y + radius];
    const [across, down] = [0, 1].map((rest) => numbers.filter((_, at) => at % 2 === rest));
    return [Math.min(...across), Math.min(...down), Math.max(...across), Math.max(...down)];
  };
  // The box around an area, as it is drawn: Chromium counts from the border of the picture.
  const boxOf = (area, image) => {
    const { left, top, width, height } = image.getBoundingClientRect();
    const [across, down] = [width / image.offsetWidth || 1, height / image.offsetHeight || 1];
    const [from, above, to, below] = bounds(area, image);
    const size = [(to - from) * across, (below - above) * down];
    return new DOMRect(left + from * across, top + above * down, ...size);
  };
  return { boxOf, imageOf, of };
})();

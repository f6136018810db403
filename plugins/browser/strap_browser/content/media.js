// What is drawn or played, and has no text: canvases, videos, sounds, pictures, files.
const media = (() => {
  const MOST = 3000;  // elements that are looked at
  const LEAST = 8;  // CSS pixels: nothing is recognised in what is smaller
  const FILE = /^application\/pdf$/i;
  const PICTURE = /\b(url|image-set)\(/;
  const ofImage = ({ complete, naturalWidth }) =>
    naturalWidth ? "picture" : `picture that ${complete ? "did not load" : "is not there yet"}`;
  const KINDS = {
    audio: () => "sound",
    canvas: () => "canvas",
    embed: ({ type }) => (FILE.test(type) ? "PDF" : ""),
    img: ofImage,
    object: ({ type }) => (FILE.test(type) ? "PDF" : ""),
    svg: () => "picture",
    video: () => "video",
  };
  const isInside = ({ parentElement: around }) => !!around?.closest("svg, .xterm");
  const kindOf = (element) => {
    if (isInside(element)) return "";
    const field = code.fieldIn(element);
    if (field) return code.isTerminal(element) ? "terminal" : "";
    if (Object.hasOwn(KINDS, element.localName)) return KINDS[element.localName](element);
    return PICTURE.test(getComputedStyle(element).backgroundImage) ? "picture" : "";
  };
  const told = (element) => {
    const what = kindOf(element);
    const { width, height } = element.getBoundingClientRect();
    if (what === "sound") return { what, url: element.currentSrc || element.src };
    if (!what || Math.min(width, height) < LEAST || !elements.isClear(element) || reading.isOff(element)) return null;
    return { what, width: Math.round(width), height: Math.round(height) };
  };
  // Those in an element, or in the document.
  const of = (start) => {
    const roots = start.nodeType === 9 ? elements.roots() : [start];
    const found = roots.flatMap((root) => [...(root.nodeType === 1 ? [root] : []), ...root.querySelectorAll("*")]);
    return found.slice(0, MOST).map(told).filter(Boolean);
  };
  return { of };
})();

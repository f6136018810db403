// The picture of the page, and where the agent's mouse is on it.

import { $, element, mark } from "./dom.js";

const canvas = $("canvas");
const SMALL = 320; // pixels
const AIMED = 2000; // milliseconds
const pointer = $("pointer");
let aiming = 0;
let size = { width: 1280, height: 720 };
let takenAt = 0; // when the picture was taken that is drawn, in milliseconds since 1970
let place = null; // of the agent's mouse
let seen = null; // the page that is shown
let cleared = 0;
let marks = [];

/** Draw a picture, then call `drawn`: with true where it is on the screen. */
export async function draw(picture, drawn) {
  const known = cleared;
  try {
    const image = await createImageBitmap(picture.blob);
    if (known !== cleared) return;
    canvas.width = image.width;
    canvas.height = image.height;
    canvas.getContext("2d").drawImage(image, 0, 0);
    size = { width: picture.width || image.width, height: picture.height || image.height };
    takenAt = picture.at;
    image.close();
    mark($("screen"), "data-empty", false);
    arrange();
  } finally {
    drawn(known === cleared);
  }
}

export async function drawSmall(target, picture) {
  const how = { resizeWidth: SMALL, resizeQuality: "high" };
  const image = await createImageBitmap(picture.blob, how);
  target.width = image.width;
  target.height = image.height;
  target.getContext("2d").drawImage(image, 0, 0);
  image.close();
}

export function clear() {
  cleared += 1;
  $("stats").textContent = "";
  mark($("screen"), "data-empty", true);
  place = null;
  showMarks([]);
}

/** Put a frame around the elements of actions; `box` is in parts of the picture. */
export function showMarks(acts) {
  clearTimeout(aiming);
  marks = acts.flatMap((act, at) => (act.box ? [{ ...act, number: at + 1 }] : []));
  $("marks").replaceChildren(
    ...marks.map((act) => element("span", { className: "mark", text: act.number })),
  );
  arrange();
}

/** Put pointer and marks where they are on the picture as large as it is shown now. */
function arrange() {
  movePointer();
  const shown = shownAt();
  for (const [at, { box }] of marks.entries()) {
    const [left, top, width, height] = box;
    Object.assign($("marks").children[at].style, {
      left: `${shown.left + left * shown.width}px`,
      top: `${shown.top + top * shown.height}px`,
      width: `${width * shown.width}px`,
      height: `${height * shown.height}px`,
    });
  }
}

/** Show where the agent's mouse is, in CSS pixels of its page. */
export function point(at) {
  place = at;
  movePointer();
}

/** Take note of which page is shown. */
export function see(page) {
  seen = page;
  movePointer();
}

/** Frame the element that the agent acts on, for a while; `box` is in CSS pixels of the page. */
export function aim(box) {
  const [left, top, width, height] = box ?? [];
  const { width: across, height: down } = size;
  const parts = [left / across, top / down, width / across, height / down];
  showMarks(box ? [{ box: parts }] : []);
  aiming = setTimeout(showMarks, AIMED, []);
}

/** Where the picture is within the frame around it. */
function shownAt() {
  const { left, top, width, height } = canvas.getBoundingClientRect();
  const screen = $("screen");
  const around = screen.getBoundingClientRect();
  const inner = { left: around.left + screen.clientLeft, top: around.top + screen.clientTop };
  return { left: left - inner.left, top: top - inner.top, width, height };
}

function movePointer() {
  mark(pointer, "hidden", place?.page !== seen);
  if (!place) return;
  const shown = shownAt();
  const x = shown.left + (place.x / size.width) * shown.width;
  const y = shown.top + (place.y / size.height) * shown.height;
  pointer.style.transform = `translate(${x}px, ${y}px)`;
}

new ResizeObserver(arrange).observe($("screen"));

/** Where on the page a place of this window is, in its CSS pixels, how large the page is, and when. */
export function placeOf(clientX, clientY) {
  const shown = canvas.getBoundingClientRect();
  const x = ((clientX - shown.left) / shown.width) * size.width;
  const y = ((clientY - shown.top) / shown.height) * size.height;
  return { x, y, ...size, at: takenAt };
}

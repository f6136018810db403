// The picture of the page, and where the agent's mouse is on it.

import { $, mark } from "./dom.js";

const canvas = $("canvas");
const pointer = $("pointer");
let size = { width: 1280, height: 720 };
let place = null;

/** Draw a picture; `drawn` is called when it is on the screen. */
export async function draw(picture, drawn) {
  try {
    const image = await createImageBitmap(picture.blob);
    canvas.width = image.width;
    canvas.height = image.height;
    canvas.getContext("2d").drawImage(image, 0, 0);
    image.close();
    size = { width: picture.width, height: picture.height };
    mark($("screen"), "data-empty", false);
    movePointer();
  } finally {
    drawn();
  }
}

/** Draw a small picture on a card. */
export async function drawSmall(target, picture) {
  const image = await createImageBitmap(picture.blob);
  target.width = image.width;
  target.height = image.height;
  target.getContext("2d").drawImage(image, 0, 0);
  image.close();
}

/** Forget the picture: another page is to come. */
export function clear() {
  mark($("screen"), "data-empty", true);
  place = null;
  mark(pointer, "hidden", true);
}

/** Show where the agent's mouse is, in CSS pixels of the page. */
export function point(x, y) {
  place = { x, y };
  movePointer();
}

function movePointer() {
  if (!place) return;
  const shown = canvas.getBoundingClientRect();
  const around = $("screen").getBoundingClientRect();
  const x = shown.left - around.left + (place.x / size.width) * shown.width;
  const y = shown.top - around.top + (place.y / size.height) * shown.height;
  pointer.style.transform = `translate(${x}px, ${y}px)`;
  mark(pointer, "hidden", false);
}

addEventListener("resize", movePointer);

/** Where on the page a place of this window is, in its CSS pixels, and how large the page is. */
export function placeOf(clientX, clientY) {
  const shown = canvas.getBoundingClientRect();
  const x = ((clientX - shown.left) / shown.width) * size.width;
  const y = ((clientY - shown.top) / shown.height) * size.height;
  return { x, y, ...size };
}

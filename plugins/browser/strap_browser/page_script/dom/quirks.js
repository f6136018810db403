// What browsers do differently.

// Firefox does some things otherwise, of which nothing else tells.
export const isFirefox = "mozInnerScreenX" in globalThis;

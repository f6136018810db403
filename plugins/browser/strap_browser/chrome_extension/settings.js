/** The pairing and the state of the connection, where the worker and the options page find them. */

import { DEFAULT_PORT } from "./protocol.js";

/** Read the pairing; without one the secret is empty. */
export async function readPairing(chrome) {
  return chrome.storage.local.get({ secret: "", port: DEFAULT_PORT });
}

/** The secret that a text holds, or an empty text where it is none. */
export function secretIn(text) {
  const word = text.trim();
  return /^[A-Za-z0-9_-]{43}=?$/.test(word) ? word : "";
}

/** The port that a text holds, or 0. */
export function portIn(text) {
  const port = /^\d{1,5}$/.test(text.trim()) ? Number(text) : 0;
  return port <= 65535 ? port : 0;
}

/** The mutual proof that both sides know the pairing secret, which itself is never sent. */

import { CODES, PROTOCOL, Refusal } from "./protocol.js";

const ALGORITHM = { name: "HMAC", hash: "SHA-256" };
const encoder = new TextEncoder();

/** The extension's part in one handshake. */
export class Handshake {
  #secret;
  #greeting;
  #nonce = hex(crypto.getRandomValues(new Uint8Array(16)));
  #proven = false;

  /** `greeting` holds the extension's version and the browser's. */
  constructor(secret, greeting) {
    this.#secret = secret;
    this.#greeting = greeting;
  }

  /** Whether the relay has shown that it knows the secret. */
  get proven() {
    return this.#proven;
  }

  /** The first frame. */
  hello() {
    return { type: "hello", protocol: PROTOCOL, nonce: this.#nonce, ...this.#greeting };
  }

  /** The answer to the relay's challenge; throws a `Refusal` if the relay is not ours. */
  async answer({ protocol, nonce, proof }) {
    const stranger = new Refusal(CODES.failed, "The relay does not know the pairing secret");
    if (protocol !== PROTOCOL || typeof nonce !== "string" || typeof proof !== "string") {
      throw stranger;
    }
    const key = await importKey(this.#secret);
    if (!(await verifies(key, proof, `relay:${this.#nonce}:${nonce}`))) {
      throw stranger;
    }
    this.#proven = true;
    const signed = await crypto.subtle.sign(
      "HMAC",
      key,
      encoder.encode(`extension:${this.#nonce}:${nonce}`),
    );
    return { type: "proof", proof: hex(new Uint8Array(signed)) };
  }
}

function importKey(secret) {
  return crypto.subtle.importKey("raw", encoder.encode(secret), ALGORITHM, false, [
    "sign",
    "verify",
  ]);
}

async function verifies(key, proof, text) {
  const bytes =
    /^[0-9a-f]{64}$/.test(proof) &&
    Uint8Array.from(proof.match(/../g), (pair) => Number.parseInt(pair, 16));
  return bytes !== false && crypto.subtle.verify("HMAC", key, bytes, encoder.encode(text));
}

function hex(bytes) {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

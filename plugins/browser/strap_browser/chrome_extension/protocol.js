/** The words that the extension and strap's relay share: addresses, error codes, URL schemes. */

export const PROTOCOL = 1;
export const DEFAULT_PORT = 27895;

/** Why the relay closes the connection. */
export const CLOSED = { refused: 4401, replaced: 4409 };

export const CODES = {
  failed: -32000,
  notGranted: -32001,
  notAttached: -32002,
  cannotAttach: -32003,
  scheme: -32004,
  unknown: -32601,
};

/** A request that is answered with an error of this code. */
export class Refusal extends Error {
  constructor(code, message) {
    super(message);
    this.code = code;
  }
}

/** The address at which the relay expects the extension. */
export function endpoint(port) {
  return `ws://127.0.0.1:${port}/relay/extension`;
}

/** The `{code, message}` of an error; `chrome.debugger` hides it as JSON in the message. */
export function unpacked(error) {
  const message = String(error?.message ?? error);
  if (error instanceof Refusal) {
    return { code: error.code, message };
  }
  try {
    const inner = JSON.parse(message);
    if (Number.isInteger(inner?.code) && typeof inner.message === "string") {
      const text =
        typeof inner.data === "string" ? `${inner.message}: ${inner.data}` : inner.message;
      return { code: inner.code, message: text };
    }
  } catch {
    // Not every message is JSON.
  }
  const code = message.startsWith("Debugger is not attached") ? CODES.notAttached : CODES.failed;
  return { code, message };
}

const SCHEMES = new Set(["http:", "https:", "data:", "blob:"]);

/** Whether a granted tab may be sent to this address. */
export function mayOpen(url) {
  const parsed = typeof url === "string" && URL.canParse(url) ? new URL(url) : null;
  if (parsed === null) {
    return false;
  }
  return (
    SCHEMES.has(parsed.protocol) || (parsed.protocol === "about:" && parsed.pathname === "blank")
  );
}

/** Throw a `Refusal` where `mayOpen` says no. */
export function checkAddress(url) {
  if (!mayOpen(url)) {
    throw new Refusal(
      CODES.scheme,
      "strap opens http, https, about:blank, data and blob addresses only",
    );
  }
}

/** The one connection to strap's relay: handshake, waiting, connecting again. */

import { Handshake } from "./handshake.js";
import { CLOSED, endpoint } from "./protocol.js";

/**
 * Milliseconds to wait before each further attempt: at first another process may take over, and
 * whoever starts strap later shall not wait for Chrome.
 */
const DELAYS = [250, 500, 1000, 1000, 2000, 5000];
const REFUSED_DELAY = 30000;
const HANDSHAKE_LIMIT = 10000;

/**
 * `state` is one of: "unpaired" (no secret), "waiting" (nobody answers yet), "connected", "refused"
 * (whoever answers has another secret), "replaced" (another Chrome took the place).
 */
export class Connection {
  #open;
  #timers;
  #greeting;
  #listener;
  #settings = { secret: "", port: 0 };
  #state = "";
  #socket = null;
  #timer;
  #failures = 0;

  /**
   * `open(url)` makes a WebSocket; `listener` has `changed(state)`, `welcomed()`, `received(frame)`
   * and `lost()`.
   */
  constructor({ open, timers, greeting, listener }) {
    this.#open = open;
    this.#timers = timers;
    this.#greeting = greeting;
    this.#listener = listener;
  }

  get state() {
    return this.#state;
  }

  /** Use this pairing from now on. */
  configure({ secret, port }) {
    this.#settings = { secret, port };
    this.#drop();
    this.connect();
  }

  /** Stay away, as another Chrome has the relay, until `connect` is called. */
  stayAway({ secret, port }) {
    this.#settings = { secret, port };
    this.#become("replaced");
  }

  /** Connect now, unless that is so or under way. */
  connect() {
    if (this.#socket !== null) {
      return;
    }
    this.#timers.clearTimeout(this.#timer);
    if (!this.#settings.secret) {
      this.#become("unpaired");
      return;
    }
    this.#dial();
  }

  /** Connect if the reason not to be connected may have passed. */
  retry() {
    if (this.#state !== "replaced") {
      this.connect();
    }
  }

  /** Send a frame; without a connection it has no receiver, and is dropped. */
  send(frame) {
    if (this.#state === "connected") {
      this.#socket.send(JSON.stringify(frame));
    }
  }

  #dial() {
    const socket = this.#open(endpoint(this.#settings.port));
    const handshake = new Handshake(this.#settings.secret, this.#greeting);
    this.#socket = socket;
    if (this.#state !== "refused") {
      this.#become("waiting");
    }
    const current = (act) => (event) => socket === this.#socket && act(event);
    socket.onopen = current(() => socket.send(JSON.stringify(handshake.hello())));
    socket.onmessage = current(({ data }) => this.#receive(handshake, data));
    socket.onclose = current(({ code }) => this.#end(code));
    this.#timer = this.#timers.setTimeout(
      current(() => this.#end()),
      HANDSHAKE_LIMIT,
    );
  }

  #receive(handshake, data) {
    const frame = parsed(data);
    if (frame === null) {
      this.#end();
    } else if (this.#state === "connected") {
      this.#listener.received(frame);
    } else if (frame.type === "challenge") {
      this.#prove(this.#socket, handshake, frame);
    } else if (frame.type === "welcome" && handshake.proven) {
      this.#welcome();
    } else {
      this.#end();
    }
  }

  async #prove(socket, handshake, challenge) {
    try {
      const proof = await handshake.answer(challenge);
      if (socket === this.#socket) {
        socket.send(JSON.stringify(proof));
      }
    } catch {
      if (socket === this.#socket) {
        this.#end(CLOSED.refused);
      }
    }
  }

  #welcome() {
    this.#timers.clearTimeout(this.#timer);
    this.#failures = 0;
    this.#become("connected");
    this.#listener.welcomed();
  }

  #end(code) {
    this.#drop();
    if (code === CLOSED.replaced) {
      this.#become("replaced");
      return;
    }
    const refused = code === CLOSED.refused;
    const delay = refused ? REFUSED_DELAY : (DELAYS[this.#failures] ?? DELAYS.at(-1));
    this.#failures += 1;
    this.#become(refused ? "refused" : "waiting");
    this.#timer = this.#timers.setTimeout(() => this.connect(), delay);
  }

  #drop() {
    const socket = this.#socket;
    this.#socket = null;
    this.#timers.clearTimeout(this.#timer);
    socket?.close();
    if (this.#state === "connected") {
      this.#become("waiting");
      this.#listener.lost();
    }
  }

  #become(state) {
    if (state !== this.#state) {
      this.#state = state;
      this.#listener.changed(state);
    }
  }
}

function parsed(data) {
  try {
    const frame = JSON.parse(data);
    return typeof frame === "object" && !Array.isArray(frame) ? frame : null;
  } catch {
    return null;
  }
}

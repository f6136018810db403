// The connection: a ticket that works once, then a key that this tab keeps to come back.

const HEADER = 20;
const KEY = "strap-live-key";
export const OPEN = "strap-live-open"; // what a page that is loaded anew shows again
const RETRY = 700; // milliseconds until another attempt
const PATIENCE = 10_000; // milliseconds for which strap may be away
const REFUSED = { "another user": "foreign", "all views closed": "closed" };
const FINAL = new Set([4400, 4401, 4408, 4429]);

/** Take the ticket out of the address bar at once: it is a secret until it is used. */
function takeTicket() {
  const ticket = location.hash.slice(1);
  if (ticket) {
    history.replaceState(null, "", location.pathname);
    sessionStorage.removeItem(OPEN); // a new link shows what it is for
  }
  return ticket;
}

export function unpack(data) {
  const view = new DataView(data);
  return {
    kind: view.getUint8(0),
    still: Boolean(view.getUint8(1) & 1),
    place: view.getUint16(2),
    seq: view.getUint32(4),
    width: view.getUint16(8),
    height: view.getUint16(10),
    at: view.getFloat64(12),
    blob: new Blob([new Uint8Array(data, HEADER)], { type: "image/jpeg" }),
  };
}

/** Tells `on.message`, `on.picture`, `on.state` of what comes. */
export class Connection {
  constructor(on) {
    this.on = on;
    this.ticket = takeTicket();
    this.lost = 0;
    this.connect();
  }

  send(message) {
    if (this.socket.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(message));
  }

  connect() {
    this.socket = new WebSocket(`${location.origin.replace("http", "ws")}/socket`);
    this.socket.binaryType = "arraybuffer";
    this.socket.onopen = () => this.greet();
    this.socket.onmessage = (event) => this.take(event.data);
    this.socket.onclose = (event) => this.ended(event);
  }

  greet() {
    const key = sessionStorage.getItem(KEY);
    const who = this.ticket ? { ticket: this.ticket } : { key };
    if (!this.ticket && !key) {
      this.socket.close();
      this.on.state("stranger");
      return;
    }
    this.send({ type: "hello", v: 1, ...who });
  }

  take(data) {
    if (typeof data !== "string") {
      this.on.picture(unpack(data));
      return;
    }
    const message = JSON.parse(data);
    if (message.type === "welcome") {
      sessionStorage.setItem(KEY, message.key);
      this.ticket = "";
      this.lost = 0;
      this.on.state("open");
    }
    this.on.message(message);
  }

  ended(event) {
    if (FINAL.has(event.code)) {
      if (event.code === 4401) sessionStorage.removeItem(KEY);
      this.on.state(event.code === 4401 ? (REFUSED[event.reason] ?? "stranger") : "cut");
      return;
    }
    if (!this.ticket && !sessionStorage.getItem(KEY)) return;
    this.lost ||= Date.now();
    if (Date.now() - this.lost > PATIENCE) {
      this.on.state("gone");
      return;
    }
    this.on.state("lost");
    setTimeout(() => this.connect(), RETRY);
  }
}

/** The relay's requests, each on a shared tab only. */

import { CODES, checkAddress, Refusal, unpacked } from "./protocol.js";

export class Requests {
  #chrome;
  #sharing;
  #debuggees;
  #send;
  #handlers = {
    attach: ({ tabId }) => this.#debuggees.attach(this.#shared(tabId)),
    detach: ({ tabId }) => this.#debuggees.detach(this.#shared(tabId)),
    close: ({ tabId }) => this.#chrome.tabs.remove(this.#shared(tabId)),
    activate: ({ tabId }) => this.#activate(this.#shared(tabId)),
    create: ({ url }) => this.#create(url),
  };

  constructor({ chrome, sharing, debuggees, send }) {
    this.#chrome = chrome;
    this.#sharing = sharing;
    this.#debuggees = debuggees;
    this.#send = send;
  }

  /** Carry out one request and answer it. */
  received(frame) {
    const { id, type } = frame;
    if (type === "ping") {
      this.#send({ type: "pong" });
    } else if (Number.isInteger(id)) {
      try {
        this.#start(frame, (answer) => this.#send({ id, ...answer }));
      } catch (error) {
        this.#send({ id, error: unpacked(error) });
      }
    }
  }

  #start(frame, answered) {
    if (frame.type === "command") {
      this.#command(frame, answered);
    } else if (Object.hasOwn(this.#handlers, frame.type)) {
      this.#handlers[frame.type](frame).then(
        (result = {}) => answered({ result }),
        (error) => answered({ error: unpacked(error) }),
      );
    } else {
      throw new Refusal(CODES.unknown, `Unknown request ${JSON.stringify(frame.type)}`);
    }
  }

  #shared(tabId) {
    if (!this.#sharing.has(tabId)) {
      throw new Refusal(CODES.notGranted, `Tab ${JSON.stringify(tabId)} is not granted`);
    }
    return tabId;
  }

  #command(request, answered) {
    this.#shared(request.tabId);
    if (request.method === "Page.navigate") {
      checkAddress(request.params?.url);
    }
    this.#debuggees.command(request, answered);
  }

  async #activate(tabId) {
    await this.#chrome.tabs.update(tabId, { active: true });
  }

  async #create(url) {
    checkAddress(url);
    return { tab: await this.#sharing.open(url) };
  }
}

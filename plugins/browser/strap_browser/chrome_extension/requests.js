/** The relay's requests, each on a shared tab only. */

import { CODES, checkAddress, Refusal, unpacked } from "./protocol.js";

export class Requests {
  #chrome;
  #sharing;
  #debuggees;
  #send;
  #handlers = {
    command: (request) => this.#command(request),
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

  /**
   * Carry out one request. Its answer is sent in the very step in which Chrome gives it, so that
   * answers and events keep their order.
   */
  received(frame) {
    if (frame.type === "ping") {
      this.#send({ type: "pong" });
      return;
    }
    if (!Number.isInteger(frame.id)) {
      return;
    }
    this.#start(frame).then(
      (result) => this.#send({ id: frame.id, result: result ?? {} }),
      (error) => this.#send({ id: frame.id, error: unpacked(error) }),
    );
  }

  #start(frame) {
    try {
      if (!Object.hasOwn(this.#handlers, frame.type)) {
        throw new Refusal(CODES.unknown, `Unknown request ${JSON.stringify(frame.type)}`);
      }
      return this.#handlers[frame.type](frame);
    } catch (error) {
      return Promise.reject(error);
    }
  }

  #shared(tabId) {
    if (!this.#sharing.has(tabId)) {
      throw new Refusal(CODES.notGranted, `Tab ${JSON.stringify(tabId)} is not granted`);
    }
    return tabId;
  }

  #command({ tabId, sessionId, method, params }) {
    this.#shared(tabId);
    if (method === "Page.navigate") {
      checkAddress(params?.url);
    }
    return this.#debuggees.command(tabId, sessionId, method, params);
  }

  async #activate(tabId) {
    await this.#chrome.tabs.update(tabId, { active: true });
  }

  async #create(url) {
    checkAddress(url);
    return { tab: await this.#sharing.open(url) };
  }
}

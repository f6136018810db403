/** Chrome, a WebSocket and a clock, as far as the parts under test know them. */

/** A clock that stands still until it is told to go on. */
export class Clock {
  #waiting = new Map();
  #now = 0;
  #last = 0;

  setTimeout = (act, delay) => {
    this.#last += 1;
    this.#waiting.set(this.#last, { act, at: this.#now + delay });
    return this.#last;
  };

  clearTimeout = (timer) => {
    this.#waiting.delete(timer);
  };

  /** Let time pass, and whatever is due happen. */
  async pass(milliseconds) {
    this.#now += milliseconds;
    for (const [timer, { act, at }] of this.#waiting) {
      if (at <= this.#now) {
        this.#waiting.delete(timer);
        act();
      }
    }
    await quiet();
  }
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

/** Resolves when everything that needs no clock and no other thread has happened. */
export async function quiet() {
  for (let count = 0; count < 20; count += 1) {
    await turn();
  }
}

/** Resolves when a condition is true; WebCrypto works in other threads. */
export async function until(condition) {
  const end = Date.now() + 10_000;
  while (!condition()) {
    if (Date.now() > end) {
      throw new Error(`It never became true: ${condition}`);
    }
    await turn();
  }
}

/** One side of a WebSocket whose other side is the test. */
export class Socket {
  sent = [];
  closed = false;

  constructor(url) {
    this.url = url;
  }

  send(text) {
    this.sent.push(JSON.parse(text));
  }

  close() {
    this.closed = true;
  }

  receive(frame) {
    this.onmessage({ data: typeof frame === "string" ? frame : JSON.stringify(frame) });
  }
}

/** A part of `chrome.storage`. */
export class Area {
  constructor(values = {}) {
    this.values = values;
  }

  async get(wanted) {
    const defaults = typeof wanted === "string" ? {} : wanted;
    const keys = typeof wanted === "string" ? [wanted] : Object.keys(wanted);
    const found = keys.filter((key) => key in this.values).map((key) => [key, this.values[key]]);
    return { ...defaults, ...Object.fromEntries(found) };
  }

  async set(values) {
    Object.assign(this.values, structuredClone(values));
  }
}

/** `chrome.debugger`, which writes down what is asked of it. */
export class Debugger {
  calls = [];
  attached = new Set();
  refused = new Set();
  answers = {};

  async attach({ tabId }) {
    this.calls.push(`attach ${tabId}`);
    await turn();
    if (this.refused.has(tabId)) {
      throw new Error("Cannot access a chrome:// URL");
    }
    if (this.attached.has(tabId)) {
      throw new Error(`Another debugger is already attached to the tab with id: ${tabId}.`);
    }
    this.attached.add(tabId);
  }

  async detach({ tabId }) {
    this.calls.push(`detach ${tabId}`);
    await turn();
    if (!this.attached.delete(tabId)) {
      throw new Error(`Debugger is not attached to the tab with id: ${tabId}.`);
    }
  }

  /** `chrome.runtime.lastError` while a callback runs. */
  lastError = undefined;

  /** The tabs that somebody looks at. */
  looked = [];

  sendCommand(target, method, params, answered) {
    if (method === "Page.startScreencast") {
      this.looked.push(target.tabId);
      return Promise.resolve({});
    }
    this.calls.push([target, method, params]);
    const answer = this.answers[method];
    setImmediate(() => {
      this.lastError = answer instanceof Error ? answer : undefined;
      answered(this.lastError ? undefined : answer);
      this.lastError = undefined;
    });
  }

  async getTargets() {
    return [1, 2, 3, 4].map((tabId) => ({ tabId, type: "page", id: `target${tabId}` }));
  }
}

/** The parts of `chrome` that sharing uses, with three tabs in one window. */
export class Chrome {
  tabs = new Tabs();
  tabGroups = new TabGroups(this.tabs);
  action = new Action();
  debugger = new Debugger();
  runtime = this.debugger;
  windows = { getAll: async () => [{ id: 7 }] };
}

class Tabs {
  groups = [];
  known = new Map(
    [1, 2, 3].map((id) => [
      id,
      { id, windowId: 7, groupId: -1, title: `T${id}`, url: `http://t${id}/`, active: id === 1 },
    ]),
  );

  async get(id) {
    if (!this.known.has(id)) {
      throw new Error(`No tab with id: ${id}.`);
    }
    return { ...this.known.get(id) };
  }

  async query(wanted) {
    const fits = (tab) => Object.entries(wanted).every(([key, value]) => tab[key] === value);
    return [...this.known.values()].filter(fits);
  }

  async create({ url, active }) {
    const id = this.known.size + 1;
    const tab = { id, windowId: 7, groupId: -1, title: "", url: "", pendingUrl: url, active };
    this.known.set(id, tab);
    return tab;
  }

  async remove(id) {
    this.known.delete(id);
  }

  async update(id, change) {
    Object.assign(this.known.get(id), change);
  }

  async group({ tabIds, groupId = 100 + this.groups.length, createProperties }) {
    await turn();
    if (createProperties) {
      this.groups.push({ id: groupId, title: "", ...createProperties });
    }
    for (const id of tabIds) {
      this.known.get(id).groupId = groupId;
    }
    return groupId;
  }

  async ungroup(ids) {
    for (const id of ids) {
      this.known.get(id).groupId = -1;
    }
  }
}

class TabGroups {
  constructor(tabs) {
    this.known = tabs.groups;
  }

  async query({ title, windowId }) {
    const here = (group) => windowId === undefined || group.windowId === windowId;
    return this.known.filter((group) => group.title === title && here(group));
  }

  async update(id, change) {
    Object.assign(
      this.known.find((group) => group.id === id),
      change,
    );
  }
}

class Action {
  badges = new Map();

  async setBadgeText({ tabId, text }) {
    this.badges.set(tabId, text);
  }

  async setBadgeBackgroundColor() {}

  async setTitle() {}
}

/** The debugger of each tab: attached at the relay's wish, one step at a time, and again when lost. */

import { CODES, Refusal, unpacked } from "./protocol.js";

const VERSION = "1.3";
/** Milliseconds between losing a tab's debugger and the first attempt to have it back. */
const COOL_DOWN = 500;

/**
 * What keeps a tab drawing that is not in front: without anybody who looks, Chrome draws pages with
 * frames of other sites twice a second there, and a click waits for that. Frames are not asked for.
 * A client's cast takes its place while there is one: a tab has one.
 */
const LOOK = { format: "jpeg", quality: 1, maxWidth: 1, maxHeight: 1, everyNthFrame: 1000 };
const LOOKED = "Page.screencastFrame";
const START = "Page.startScreencast";
const STOP = "Page.stopScreencast";

class Tab {
  /** Whether the relay wants it attached. */
  wanted = false;
  attached = false;
  /** Whether a client looks. */
  cast = false;
  /** The last of the steps that wait for each other. */
  last = Promise.resolve();
  timer = undefined;
}

export class Debuggees {
  #api;
  #runtime;
  #emit;
  #timers;
  #tabs = new Map();

  /** `emit(frame)` receives "attached", "detached" and "event". */
  constructor({ chrome, emit, timers }) {
    this.#api = chrome.debugger;
    this.#runtime = chrome.runtime;
    this.#emit = emit;
    this.#timers = timers;
  }

  /** Attach, unless that is so; resolves to `{targetId}`. */
  attach(tabId) {
    const tab = this.#tab(tabId);
    tab.wanted = true;
    return this.#then(tab, async () => {
      await this.#attach(tabId, tab);
      return { targetId: await targetOf(this.#api, tabId) };
    });
  }

  /** Detach, unless that is so. */
  detach(tabId) {
    const tab = this.#tabs.get(tabId);
    if (tab === undefined) {
      return Promise.resolve();
    }
    tab.wanted = false;
    this.#timers.clearTimeout(tab.timer);
    tab.timer = undefined;
    return this.#then(tab, () => this.#detach(tabId, tab));
  }

  /** Detach all tabs. */
  async detachAll() {
    await Promise.all([...this.#tabs.keys()].map((tabId) => this.detach(tabId)));
  }

  /** Detach what an earlier worker left attached. */
  async sweep(tabIds) {
    await Promise.all(tabIds.map((tabId) => this.#api.detach({ tabId }).catch(() => {})));
  }

  /**
   * Send a command at once, whatever others are under way: a dialog holds up one command, and only
   * another one ends it. `answered` receives `{result}` or `{error}`. It is a callback because
   * events overtake the answers that Chrome gives as promises.
   */
  command({ tabId, sessionId, method, params = {} }, answered) {
    const tab = this.#tabs.get(tabId);
    if (!tab?.attached) {
      throw new Refusal(CODES.notAttached, `Tab ${tabId} is not attached`);
    }
    const target = sessionId === undefined ? { tabId } : { tabId, sessionId };
    const casts = method === START || method === STOP;
    if (casts) {
      tab.cast = method === START;
      this.#api.sendCommand(target, STOP).catch(() => {});
    }
    const [name, given] = casts ? [START, tab.cast ? params : LOOK] : [method, params];
    this.#api.sendCommand(target, name, given, (result = {}) => {
      const error = this.#runtime.lastError;
      answered(error ? { error: unpacked(error) } : { result });
    });
  }

  /** Pass on an event of the protocol. */
  event({ tabId, sessionId }, method, params = {}) {
    const tab = this.#tabs.get(tabId);
    if (tab?.attached && (method !== LOOKED || tab.cast)) {
      this.#emit({ type: "event", tabId, ...(sessionId && { sessionId }), method, params });
    }
  }

  /** Chrome took the debugger away, as it does on its own pages. */
  lost(tabId, reason) {
    const tab = this.#tabs.get(tabId);
    if (tab?.attached) {
      tab.attached = false;
      this.#emit({ type: "detached", tabId, reason });
      this.moved(tabId);
    }
  }

  /** The tab shows another page: it may be possible to attach again. */
  moved(tabId) {
    const tab = this.#tabs.get(tabId);
    if (tab?.wanted && !tab.attached && tab.timer === undefined) {
      tab.timer = this.#timers.setTimeout(() => this.#again(tabId, tab), COOL_DOWN);
    }
  }

  /** The tab is closed, or not ours any more. */
  async forget(tabId) {
    await this.detach(tabId);
    if (!this.#tabs.get(tabId)?.wanted) {
      this.#tabs.delete(tabId);
    }
  }

  #tab(tabId) {
    if (!this.#tabs.has(tabId)) {
      this.#tabs.set(tabId, new Tab());
    }
    return this.#tabs.get(tabId);
  }

  #then(tab, step) {
    const result = tab.last.then(step);
    tab.last = result.catch(() => {});
    return result;
  }

  async #attach(tabId, tab) {
    if (tab.attached || !tab.wanted) {
      return false;
    }
    try {
      await this.#api.attach({ tabId }, VERSION);
    } catch (error) {
      throw new Refusal(
        CODES.cannotAttach,
        `Chrome does not let this page be debugged: ${error.message}`,
      );
    }
    tab.attached = true;
    tab.cast = false;
    this.#api.sendCommand({ tabId }, START, LOOK).catch(() => {});
    return true;
  }

  async #detach(tabId, tab) {
    if (tab.attached) {
      tab.attached = false;
      await this.#api.detach({ tabId }).catch(() => {}); // the tab may just have gone
    }
  }

  #again(tabId, tab) {
    tab.timer = undefined;
    return this.#then(tab, async () => {
      if (await this.#attach(tabId, tab)) {
        this.#emit({ type: "attached", tabId });
      }
    }).catch(() => {}); // still a page of Chrome's own: the next move tries again
  }
}

/** The id that the DevTools protocol has for a tab. */
export async function targetOf(api, tabId) {
  const targets = await api.getTargets();
  return targets.find((target) => target.tabId === tabId && target.type === "page")?.id;
}

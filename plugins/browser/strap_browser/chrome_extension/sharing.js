/** Which tabs are shared, and what the relay is told of them. */

import { targetOf } from "./debuggee.js";

export class Sharing {
  #chrome;
  #grants;
  #debuggees;
  #marks;
  #send;
  #state = "unpaired";
  /** Whether the relay has the list of tabs, so that news of single ones mean something to it. */
  #listed = false;
  #changing = new Set();
  /** What the relay was last told of each tab. */
  #told = new Map();
  /** Which tab's page opened a tab; Chrome's own `openerTabId` may be a mere neighbour. */
  #openers = new Map();
  #news = Promise.resolve();

  constructor({ chrome, grants, debuggees, marks, send }) {
    this.#chrome = chrome;
    this.#grants = grants;
    this.#debuggees = debuggees;
    this.#marks = marks;
    this.#send = send;
  }

  has(tabId) {
    return this.#grants.has(tabId);
  }

  /** The click on the toolbar button. */
  toggle(tabId) {
    return this.has(tabId) ? this.revoke(tabId, "user") : this.grant(tabId);
  }

  /** Share a tab and tell the relay. */
  async grant(tabId) {
    if (!this.has(tabId)) {
      const saved = this.#add(tabId);
      this.#tell(async () => ({ type: "granted", tab: await this.describe(tabId) }));
      await saved;
    }
  }

  /** Open a tab that is shared from the start; resolves to its description. */
  async open(url) {
    const tabId = await openTab(this.#chrome, url);
    await this.#add(tabId);
    return this.describe(tabId);
  }

  /** A page of one tab opened another: what a shared tab opens is shared. */
  async opened({ sourceTabId, tabId }) {
    if (this.has(sourceTabId)) {
      this.#openers.set(tabId, sourceTabId);
      await this.grant(tabId);
    }
  }

  /** End the sharing of a tab; the reason is "user", "closed", "debugger" or "replaced". */
  async revoke(tabId, reason) {
    if (!this.has(tabId)) {
      return;
    }
    const saved = this.#grants.delete(tabId);
    this.#openers.delete(tabId);
    this.#tell(() => {
      this.#told.delete(tabId);
      return { type: "revoked", tabId, reason };
    });
    this.#marks.show(tabId, false, this.#state);
    this.#marks.leave(tabId);
    await Promise.all([saved, this.#debuggees.forget(tabId)]);
  }

  /** Something about a tab changed: its address, title or place. */
  changed(tabId) {
    if (!this.has(tabId)) {
      return;
    }
    this.#marks.show(tabId, true, this.#state);
    this.#debuggees.moved(tabId);
    if (!this.#changing.has(tabId)) {
      this.#changing.add(tabId);
      this.#tell(async () => {
        this.#changing.delete(tabId);
        return this.has(tabId) ? this.#change(tabId) : null;
      });
    }
  }

  /** Another tab of a window is in front. */
  async activated(windowId) {
    for (const { id } of await this.#chrome.tabs.query({ windowId })) {
      this.changed(id);
    }
  }

  /** The relay is there: give it all tabs. */
  welcomed() {
    this.#tell(async () => {
      const tabs = await Promise.allSettled(
        this.#grants.list().map((tabId) => this.describe(tabId)),
      );
      this.#listed = true;
      return { type: "tabs", tabs: tabs.flatMap(({ value }) => value ?? []) };
    });
  }

  /** The relay is gone, and with it all interest in debugging. */
  lost() {
    this.#listed = false;
    this.#told.clear();
    return this.#debuggees.detachAll();
  }

  /** Show another state of the connection on all shared tabs. */
  show(state) {
    this.#state = state;
    for (const tabId of this.#grants.list()) {
      this.#marks.show(tabId, true, state);
    }
  }

  /** Chrome restored its windows: what looks shared there is not. */
  tidy() {
    return this.#marks.tidy(this.#grants);
  }

  /** What the relay is told of a tab, now; rejects if the tab is gone. */
  async describe(tabId) {
    const [tab, targetId] = await Promise.all([
      this.#chrome.tabs.get(tabId),
      targetOf(this.#chrome.debugger, tabId),
    ]);
    const opener = this.#openers.get(tabId);
    const described = {
      tabId,
      targetId,
      title: tab.title ?? "",
      url: tab.url || tab.pendingUrl || "",
      active: tab.active,
      ...(this.has(opener) && { openerTabId: opener }),
    };
    this.#told.set(tabId, JSON.stringify(described));
    return described;
  }

  #add(tabId) {
    const saved = this.#grants.add(tabId);
    this.#marks.show(tabId, true, this.#state);
    this.#marks.join(tabId);
    return saved;
  }

  /** The news of a tab that Chrome reports a change of; null if the relay knows all of it. */
  async #change(tabId) {
    const before = this.#told.get(tabId);
    const tab = await this.describe(tabId);
    return this.#told.get(tabId) === before ? null : { type: "changed", tab };
  }

  /** Tell the relay what `make` returns, in the order of the calls. */
  #tell(make) {
    this.#news = this.#news
      .then(make)
      .then((frame) => frame && this.#listed && this.#send(frame))
      .catch(() => {}); // the tab is gone: that is told by itself
  }
}

/** Open a tab in the background, or a window where there is none. */
async function openTab(chrome, url) {
  const [window] = await chrome.windows.getAll({ windowTypes: ["normal"] });
  if (window === undefined) {
    const { tabs } = await chrome.windows.create({ url, focused: false });
    return tabs[0].id;
  }
  return (await chrome.tabs.create({ url, active: false })).id;
}

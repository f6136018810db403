/** The tabs that the user granted, kept for as long as the browser runs. */

const KEY = "granted";

export class Grants {
  #area;
  #ids = new Set();

  /** `area` is `chrome.storage.session`: it outlives the worker, not the browser. */
  constructor(area) {
    this.#area = area;
  }

  /** Read what an earlier worker wrote; `open` are the ids of the tabs there are. */
  async load(open) {
    const { [KEY]: stored = [] } = await this.#area.get(KEY);
    this.#ids = new Set(stored.filter((id) => open.includes(id)));
  }

  has(tabId) {
    return this.#ids.has(tabId);
  }

  list() {
    return [...this.#ids];
  }

  /** Resolves when the grant is written. */
  add(tabId) {
    this.#ids.add(tabId);
    return this.#save();
  }

  /** Resolves when the grant is gone from the store too. */
  delete(tabId) {
    this.#ids.delete(tabId);
    return this.#save();
  }

  #save() {
    return this.#area.set({ [KEY]: this.list() });
  }
}

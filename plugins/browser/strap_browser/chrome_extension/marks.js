/** What the user sees of a grant: the badge of the toolbar button, its tooltip, the tab group. */

const GROUP = "strap";
const COLOUR = "blue";
/** `chrome.tabGroups.TAB_GROUP_ID_NONE` */
const NO_GROUP = -1;
const CONNECTED = { text: "on", color: "#1a56db" };
const APART = { text: "…", color: "#6b7280" };

/** Badge and tooltip of a tab. */
export function look(granted, state) {
  if (!granted) {
    return { text: "", color: APART.color, title: "strap: let it use this tab" };
  }
  if (state === "connected") {
    return { ...CONNECTED, title: "strap may use this tab. Click to stop that." };
  }
  const why = state === "refused" ? "its secret fits: see the options" : "it is connected";
  return { ...APART, title: `strap may use this tab once ${why}. Click to stop that.` };
}

export class Marks {
  #chrome;
  #last = Promise.resolve();

  constructor(chrome) {
    this.#chrome = chrome;
  }

  /** Show the badge of a tab; Chrome forgets it whenever the tab goes to another page. */
  async show(tabId, granted, state) {
    const { text, color, title } = look(granted, state);
    const { action } = this.#chrome;
    await settled(
      action.setBadgeText({ tabId, text }),
      action.setBadgeBackgroundColor({ tabId, color }),
      action.setTitle({ tabId, title }),
    );
  }

  /**
   * Put a tab into the window's group; windows of pop-ups have none. A tab that the user pinned, or
   * put into a group of their own, stays where it is.
   */
  join(tabId) {
    return this.#then(async () => {
      const { tabs, tabGroups } = this.#chrome;
      const { windowId, groupId: present, pinned } = await tabs.get(tabId);
      if (pinned || present !== NO_GROUP) {
        return;
      }
      const [group] = await tabGroups.query({ title: GROUP, windowId });
      if (group) {
        await tabs.group({ tabIds: [tabId], groupId: group.id });
        return;
      }
      const groupId = await tabs.group({ tabIds: [tabId], createProperties: { windowId } });
      await tabGroups.update(groupId, { title: GROUP, color: COLOUR });
    });
  }

  /** Take a tab out of the group. */
  leave(tabId) {
    return this.#then(async () => {
      if (await this.#grouped(tabId)) {
        await this.#chrome.tabs.ungroup([tabId]);
      }
    });
  }

  /** Take the tabs out of the group that Chrome restored in it without a grant. */
  tidy(granted) {
    return this.#then(async () => {
      const { tabs, tabGroups } = this.#chrome;
      for (const { id: groupId } of await tabGroups.query({ title: GROUP })) {
        const strangers = (await tabs.query({ groupId }))
          .map((tab) => tab.id)
          .filter((id) => !granted.has(id));
        if (strangers.length > 0) {
          await tabs.ungroup(strangers);
        }
      }
    });
  }

  async #grouped(tabId) {
    const { groupId } = await this.#chrome.tabs.get(tabId);
    const groups = await this.#chrome.tabGroups.query({ title: GROUP });
    return groups.some((group) => group.id === groupId);
  }

  /** One at a time, else two tabs make two groups. Marks follow the grant and never stop it. */
  #then(step) {
    this.#last = this.#last.then(step).catch(() => {});
    return this.#last;
  }
}

async function settled(...promises) {
  await Promise.allSettled(promises); // a tab may close meanwhile
}

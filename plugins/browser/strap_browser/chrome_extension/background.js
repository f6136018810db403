/** The service worker: it binds Chrome's events to the parts, each of which Chrome may wake it for. */

import { Connection } from "./connection.js";
import { Debuggees } from "./debuggee.js";
import { Grants } from "./grants.js";
import { Marks } from "./marks.js";
import { Requests } from "./requests.js";
import { readPairing } from "./settings.js";
import { Sharing } from "./sharing.js";

const ALARM = "connect";
const ALARM_MINUTES = 0.5;

const timers = {
  setTimeout: (act, delay) => setTimeout(act, delay),
  clearTimeout: (timer) => clearTimeout(timer),
};
const greeting = {
  version: chrome.runtime.getManifest().version,
  browser: "",
  userAgent: navigator.userAgent,
};
const send = (frame) => connection.send(frame);
const grants = new Grants(chrome.storage.session);
const debuggees = new Debuggees({ chrome, emit: send, timers });
const sharing = new Sharing({ chrome, grants, debuggees, marks: new Marks(chrome), send });
const requests = new Requests({ chrome, sharing, debuggees, send });
const connection = new Connection({
  open: (url) => new WebSocket(url),
  timers,
  greeting,
  listener: {
    changed: (state) => {
      chrome.storage.session.set({ state });
      sharing.show(state);
    },
    welcomed: () => sharing.welcomed(),
    received: (frame) => requests.received(frame),
    lost: () => sharing.lost(),
  },
});

/** Resolves when what an earlier worker left behind is taken over. */
const ready = start();

async function start() {
  const [open, pairing, { state }, browser] = await Promise.all([
    chrome.tabs.query({}),
    readPairing(chrome),
    chrome.storage.session.get("state"),
    browserName(),
  ]);
  greeting.browser = browser;
  await grants.load(open.map((tab) => tab.id));
  await debuggees.sweep(grants.list());
  if (state === "replaced") {
    connection.stayAway(pairing);
  } else {
    connection.configure(pairing);
  }
}

/** Listen to an event of Chrome's, and act when the worker is ready for it. */
function on(event, act) {
  event.addListener((...details) => {
    ready.then(() => act(...details));
  });
}

on(chrome.action.onClicked, (tab) => {
  connection.connect();
  return connection.state === "unpaired"
    ? chrome.runtime.openOptionsPage()
    : sharing.toggle(tab.id);
});
on(chrome.alarms.onAlarm, () => connection.retry());
on(chrome.runtime.onStartup, () => sharing.tidy());
on(chrome.runtime.onInstalled, ({ reason }) => {
  sharing.tidy();
  if (reason === "install" && connection.state === "unpaired") {
    chrome.runtime.openOptionsPage();
  }
});
on(chrome.runtime.onMessage, ({ type, tabId }) => {
  if (type === "revoke") {
    sharing.revoke(tabId, "user");
  } else if (type === "connect") {
    connection.connect();
  }
});
on(chrome.storage.local.onChanged, async () => connection.configure(await readPairing(chrome)));
on(chrome.tabs.onActivated, ({ windowId }) => sharing.activated(windowId));
on(chrome.tabs.onUpdated, (tabId) => sharing.changed(tabId));
on(chrome.tabs.onRemoved, (tabId) => sharing.revoke(tabId, "closed"));
on(chrome.tabs.onReplaced, (_, tabId) => sharing.revoke(tabId, "replaced"));
on(chrome.webNavigation.onCreatedNavigationTarget, (details) => sharing.opened(details));

// Not through `on`: an event would come after the answer that it preceded.
chrome.debugger.onEvent.addListener((source, method, params) =>
  debuggees.event(source, method, params),
);
chrome.debugger.onDetach.addListener(({ tabId }, reason) => {
  debuggees.lost(tabId, reason);
  if (reason === "canceled_by_user") {
    ready.then(() => sharing.revoke(tabId, "debugger"));
  }
});
chrome.alarms.create(ALARM, { periodInMinutes: ALARM_MINUTES });

/** The browser's own name before that of Chromium, as in "Google Chrome/140.0.7339.80". */
async function browserName() {
  const hints = await navigator.userAgentData?.getHighEntropyValues(["fullVersionList"]);
  const named = (hints?.fullVersionList ?? []).filter(({ brand }) => !/not.*brand/i.test(brand));
  const { brand, version } = named.find((one) => one.brand !== "Chromium") ?? named[0] ?? {};
  return brand ? `${brand}/${version}` : "Chrome";
}

import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { Area, Chrome, Clock, quiet } from "./fakes.mjs";
import { part } from "./parts.mjs";

const { Debuggees } = await part("debuggee");
const { Grants } = await part("grants");
const { look, Marks } = await part("marks");
const { CODES } = await part("protocol");
const { Requests } = await part("requests");
const { Sharing } = await part("sharing");

let chrome;
let area;
let frames;
let grants;
let sharing;
let requests;

beforeEach(() => {
  chrome = new Chrome();
  area = new Area();
  frames = [];
  const send = (frame) => frames.push(frame);
  grants = new Grants(area);
  const debuggees = new Debuggees({ chrome, emit: send, timers: new Clock() });
  sharing = new Sharing({ chrome, grants, debuggees, marks: new Marks(chrome), send });
  requests = new Requests({ chrome, sharing, debuggees, send });
});

const tab = (id, more = {}) => ({
  tabId: id,
  targetId: `target${id}`,
  title: `T${id}`,
  url: `http://t${id}/`,
  active: id === 1,
  ...more,
});

async function welcome() {
  sharing.show("connected");
  sharing.welcomed();
  await quiet();
  return frames.splice(0);
}

async function ask(request) {
  requests.received({ id: 1, ...request });
  await quiet();
  return frames.splice(0).find((frame) => frame.id === 1);
}

test("the relay gets all shared tabs, then the news", async () => {
  await sharing.grant(2);
  assert.deepEqual(frames, []);
  assert.deepEqual(await welcome(), [{ type: "tabs", tabs: [tab(2)] }]);
  await sharing.grant(1);
  await sharing.grant(1);
  await sharing.revoke(2, "user");
  await sharing.revoke(2, "user");
  await quiet();
  assert.deepEqual(frames, [
    { type: "granted", tab: tab(1) },
    { type: "revoked", tabId: 2, reason: "user" },
  ]);
});

test("a click shares a tab, another click ends that", async () => {
  await sharing.toggle(1);
  assert.ok(sharing.has(1));
  assert.deepEqual(area.values.granted, [1]);
  await sharing.toggle(1);
  assert.equal(sharing.has(1), false);
  assert.deepEqual(area.values.granted, []);
});

test("grants outlive the worker, but not their tabs", async () => {
  area.values.granted = [1, 9];
  await grants.load([1, 2, 3]);
  assert.deepEqual(grants.list(), [1]);
});

test("what a shared tab opens is shared, and nothing else", async () => {
  await sharing.grant(1);
  await welcome();
  await sharing.opened({ sourceTabId: 1, tabId: 2 });
  await sharing.opened({ sourceTabId: 9, tabId: 3 });
  await quiet();
  assert.deepEqual(frames, [{ type: "granted", tab: tab(2, { openerTabId: 1 }) }]);
});

test("changes are told once", async () => {
  await sharing.grant(1);
  await welcome();
  sharing.changed(1);
  await quiet();
  assert.deepEqual(frames, []);
  chrome.tabs.known.get(1).title = "New";
  sharing.changed(1);
  sharing.changed(1);
  sharing.changed(2);
  await quiet();
  assert.deepEqual(frames, [{ type: "changed", tab: tab(1, { title: "New" }) }]);
});

test("another tab in front is a change", async () => {
  await sharing.grant(1);
  await welcome();
  chrome.tabs.known.get(1).active = false;
  await sharing.activated(7);
  await quiet();
  assert.deepEqual(frames, [{ type: "changed", tab: tab(1, { active: false }) }]);
});

test("a tab that is gone ends its sharing", async () => {
  await sharing.grant(1);
  await welcome();
  chrome.tabs.known.delete(1);
  sharing.changed(1);
  await sharing.revoke(1, "closed");
  await quiet();
  assert.deepEqual(frames, [{ type: "revoked", tabId: 1, reason: "closed" }]);
});

test("news of one connection do not reach the next before its list", async () => {
  await welcome();
  sharing.lost();
  await sharing.grant(1);
  await quiet();
  assert.deepEqual(frames, []);
  assert.deepEqual(await welcome(), [{ type: "tabs", tabs: [tab(1)] }]);
});

test("badge and group show what is shared", async () => {
  await Promise.all([sharing.grant(1), sharing.grant(2)]);
  await quiet();
  assert.equal(chrome.action.badges.get(1), "…");
  await welcome();
  assert.equal(chrome.action.badges.get(1), "on");
  assert.deepEqual(
    chrome.tabGroups.known.map(({ title, color }) => [title, color]),
    [["strap", "blue"]],
  );
  assert.equal(chrome.tabs.known.get(2).groupId, chrome.tabs.known.get(1).groupId);
  await sharing.revoke(1, "user");
  await quiet();
  assert.equal(chrome.action.badges.get(1), "");
  assert.equal(chrome.tabs.known.get(1).groupId, -1);
});

test("tabs that the user put in their place stay there", async () => {
  chrome.tabs.known.get(1).pinned = true;
  chrome.tabs.known.get(2).groupId = 55;
  await Promise.all([sharing.grant(1), sharing.grant(2)]);
  await quiet();
  assert.equal(chrome.tabs.known.get(1).groupId, -1);
  assert.equal(chrome.tabs.known.get(2).groupId, 55);
  await sharing.revoke(2, "user");
  await quiet();
  assert.equal(chrome.tabs.known.get(2).groupId, 55);
});

test("a tab tells what it waits for", () => {
  const titles = ["connected", "waiting", "refused"].map((state) => look(true, state).title);
  assert.equal(new Set(titles).size, 3);
  assert.equal(look(false, "connected").text, "");
});

test("a group that Chrome restored is cleared", async () => {
  await sharing.grant(1);
  await quiet();
  chrome.tabs.known.get(2).groupId = chrome.tabs.known.get(1).groupId;
  await sharing.tidy();
  assert.equal(chrome.tabs.known.get(2).groupId, -1);
  assert.notEqual(chrome.tabs.known.get(1).groupId, -1);
});

test("every request to a tab that is not shared is refused", async () => {
  for (const type of ["attach", "detach", "command", "close", "activate"]) {
    const { error } = await ask({ type, tabId: 1, method: "Page.enable" });
    assert.equal(error.code, CODES.notGranted, type);
  }
  for (const tabId of [undefined, null, "1", 1.5]) {
    assert.equal((await ask({ type: "attach", tabId })).error.code, CODES.notGranted);
  }
  assert.deepEqual(chrome.debugger.calls, []);
  assert.ok(chrome.tabs.known.has(1));
});

test("no request grants a tab", async () => {
  for (const type of ["grant", "granted", "toggle", "toString", "__proto__", undefined, 7]) {
    assert.equal((await ask({ type, tabId: 1 })).error.code, CODES.unknown, String(type));
  }
  assert.deepEqual(grants.list(), []);
});

test("revoking takes the debugger away", async () => {
  await sharing.grant(1);
  await ask({ type: "attach", tabId: 1 });
  await sharing.revoke(1, "user");
  assert.deepEqual(chrome.debugger.calls, ["attach 1", "detach 1"]);
  const { error } = await ask({ type: "command", tabId: 1, method: "Page.enable" });
  assert.equal(error.code, CODES.notGranted);
});

test("commands are passed on, but not to other addresses than the web's", async () => {
  await sharing.grant(1);
  chrome.debugger.answers["Page.navigate"] = { frameId: "F" };
  await ask({ type: "attach", tabId: 1 });
  const go = (params) => ask({ type: "command", tabId: 1, method: "Page.navigate", params });
  assert.deepEqual(await go({ url: "http://a/" }), { id: 1, result: { frameId: "F" } });
  assert.equal((await go({ url: "file:///etc/passwd" })).error.code, CODES.scheme);
  assert.equal((await go(undefined)).error.code, CODES.scheme);
  const plain = await ask({ type: "command", tabId: 1, method: "Page.enable" });
  assert.deepEqual(plain, { id: 1, result: {} });
});

test("a tab that the relay creates is shared", async () => {
  await welcome();
  const answer = await ask({ type: "create", url: "http://new/" });
  const described = { tabId: 4, targetId: "target4", title: "", url: "http://new/", active: false };
  assert.deepEqual(answer, { id: 1, result: { tab: described } });
  assert.ok(sharing.has(4));
  assert.equal((await ask({ type: "create", url: "file:///x" })).error.code, CODES.scheme);
  assert.equal(chrome.tabs.known.size, 4);
});

test("without a window a tab comes with one", async () => {
  const made = [];
  chrome.windows.getAll = async () => [];
  chrome.windows.create = async (options) => {
    made.push(options);
    return { tabs: [await chrome.tabs.create({ url: options.url, active: true })] };
  };
  assert.equal((await ask({ type: "create", url: "http://new/" })).result.tab.tabId, 4);
  assert.deepEqual(made, [{ url: "http://new/", focused: false }]);
});

test("tabs are closed and brought to the front", async () => {
  await Promise.all([sharing.grant(1), sharing.grant(2)]);
  assert.deepEqual(await ask({ type: "activate", tabId: 2 }), { id: 1, result: {} });
  assert.equal(chrome.tabs.known.get(2).active, true);
  await ask({ type: "close", tabId: 1 });
  assert.equal(chrome.tabs.known.has(1), false);
});

test("a ping is answered, and what is no request is not", async () => {
  requests.received({ type: "ping" });
  requests.received({ type: "attach", tabId: 1 });
  await quiet();
  assert.deepEqual(frames, [{ type: "pong" }]);
});

test("an answer keeps its place between the events", async () => {
  await sharing.grant(1);
  await ask({ type: "attach", tabId: 1 });
  let answer;
  chrome.debugger.sendCommand = (...details) => {
    answer = details.at(-1);
  };
  requests.received({ id: 5, type: "command", tabId: 1, method: "A.b" });
  answer({ x: 1 });
  frames.push("the next event");
  assert.deepEqual(frames, [{ id: 5, result: { x: 1 } }, "the next event"]);
});

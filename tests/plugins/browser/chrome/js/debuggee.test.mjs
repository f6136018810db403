import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { Clock, Debugger, quiet } from "./fakes.mjs";
import { part } from "./parts.mjs";

const { Debuggees } = await part("debuggee");
const { CODES } = await part("protocol");

let api;
let clock;
let frames;
let debuggees;

beforeEach(() => {
  api = new Debugger();
  clock = new Clock();
  frames = [];
  debuggees = new Debuggees({
    chrome: { debugger: api, runtime: api },
    timers: clock,
    emit: (frame) => frames.push(frame),
  });
});

test("attaching twice attaches once", async () => {
  const answers = await Promise.all([debuggees.attach(1), debuggees.attach(1)]);
  assert.deepEqual(answers, [{ targetId: "target1" }, { targetId: "target1" }]);
  assert.deepEqual(api.calls, ["attach 1"]);
});

test("detaching is over before the next attaching begins", async () => {
  await debuggees.attach(1);
  await Promise.all([debuggees.detach(1), debuggees.attach(1)]);
  assert.deepEqual(api.calls, ["attach 1", "detach 1", "attach 1"]);
  assert.ok(api.attached.has(1));
});

test("tabs do not wait for each other", async () => {
  await Promise.all([debuggees.attach(1), debuggees.attach(2)]);
  assert.deepEqual(api.calls, ["attach 1", "attach 2"]);
});

test("detaching what is not attached does nothing", async () => {
  await debuggees.detach(1);
  await debuggees.attach(1);
  await debuggees.detach(1);
  await debuggees.detach(1);
  assert.deepEqual(api.calls, ["attach 1", "detach 1"]);
});

test("a command goes to its session, with nothing in between", async () => {
  await debuggees.attach(1);
  debuggees.command({ tabId: 1, method: "Page.enable" }, () => {});
  debuggees.command({ tabId: 1, sessionId: "S1", method: "A.b", params: { a: 1 } }, () => {});
  assert.deepEqual(api.calls.slice(1), [
    [{ tabId: 1 }, "Page.enable", {}],
    [{ tabId: 1, sessionId: "S1" }, "A.b", { a: 1 }],
  ]);
});

test("an answer is a result or an error", async () => {
  const answers = [];
  api.answers = {
    "A.good": { x: 1 },
    "A.none": undefined,
    "A.bad": new Error('{"code":-5,"message":"no"}'),
  };
  await debuggees.attach(1);
  for (const method of Object.keys(api.answers)) {
    debuggees.command({ tabId: 1, method }, (answer) => answers.push(answer));
  }
  await quiet();
  assert.deepEqual(answers, [
    { result: { x: 1 } },
    { result: {} },
    { error: { code: -5, message: "no" } },
  ]);
});

test("a command to a tab that is not attached is refused", async () => {
  const send = () => debuggees.command({ tabId: 1, method: "Page.enable" }, assert.fail);
  assert.throws(send, { code: CODES.notAttached });
  await debuggees.attach(1);
  await debuggees.detach(1);
  assert.throws(send, { code: CODES.notAttached });
});

test("events are passed on while attached", async () => {
  debuggees.event({ tabId: 1 }, "Page.early", {});
  await debuggees.attach(1);
  debuggees.event({ tabId: 1 }, "Page.a", { x: 1 });
  debuggees.event({ tabId: 1, sessionId: "S1" }, "Page.b");
  await debuggees.detach(1);
  debuggees.event({ tabId: 1 }, "Page.late", {});
  assert.deepEqual(frames, [
    { type: "event", tabId: 1, method: "Page.a", params: { x: 1 } },
    { type: "event", tabId: 1, sessionId: "S1", method: "Page.b", params: {} },
  ]);
});

test("an attached tab keeps drawing, which is nobody else's concern", async () => {
  await debuggees.attach(1);
  debuggees.event({ tabId: 1 }, "Page.screencastFrame", { data: "x" });
  assert.deepEqual(api.looked, [1]);
  assert.deepEqual(frames, []);
});

test("a client's cast takes the place of the small one, and gives it back", async () => {
  const big = { format: "jpeg", quality: 60 };
  const sent = [];
  api.sendCommand = async (_, method, params) => sent.push([method, params?.quality]);
  await debuggees.attach(1);
  debuggees.command({ tabId: 1, method: "Page.startScreencast", params: big }, () => {});
  debuggees.event({ tabId: 1 }, "Page.screencastFrame", { data: "x" });
  assert.equal(frames.length, 1);
  debuggees.command({ tabId: 1, method: "Page.stopScreencast" }, () => {});
  debuggees.event({ tabId: 1 }, "Page.screencastFrame", { data: "y" });
  assert.equal(frames.length, 1);
  const [start, stop] = ["Page.startScreencast", ["Page.stopScreencast", undefined]];
  assert.deepEqual(sent, [[start, 1], stop, [start, 60], stop, [start, 1]]);
});

test("a page of Chrome's own cannot be attached, the next one can", async () => {
  api.refused.add(1);
  await assert.rejects(debuggees.attach(1), { code: CODES.cannotAttach });
  await clock.pass(10_000);
  assert.equal(api.calls.length, 1);
  api.refused.clear();
  debuggees.moved(1);
  await clock.pass(500);
  assert.deepEqual(frames, [{ type: "attached", tabId: 1 }]);
});

test("a lost debugger comes back after a while", async () => {
  await debuggees.attach(1);
  api.attached.delete(1);
  api.refused.add(1);
  debuggees.lost(1, "target_closed");
  assert.deepEqual(frames, [{ type: "detached", tabId: 1, reason: "target_closed" }]);
  await clock.pass(500);
  assert.equal(frames.length, 1);
  api.refused.clear();
  debuggees.moved(1);
  await clock.pass(400);
  debuggees.moved(1); // a page that changes all the time does not put it off
  await clock.pass(100);
  assert.deepEqual(frames.at(-1), { type: "attached", tabId: 1 });
});

test("what is lost and not wanted stays away", async () => {
  await debuggees.attach(1);
  api.attached.delete(1);
  debuggees.lost(1, "target_closed");
  await debuggees.forget(1);
  debuggees.moved(1);
  await clock.pass(10_000);
  assert.deepEqual(api.calls, ["attach 1"]);
});

test("a loss is told once", async () => {
  debuggees.lost(1, "target_closed");
  await debuggees.attach(1);
  debuggees.lost(1, "target_closed");
  debuggees.lost(1, "target_closed");
  assert.equal(frames.length, 1);
});

test("all are detached at once, and can be attached anew", async () => {
  await Promise.all([debuggees.attach(1), debuggees.attach(2)]);
  const ending = debuggees.detachAll();
  const again = debuggees.attach(2);
  await Promise.all([ending, again]);
  assert.deepEqual([...api.attached], [2]);
  assert.deepEqual(api.calls.slice(2), ["detach 1", "detach 2", "attach 2"]);
});

test("what an earlier worker left attached is swept away", async () => {
  api.attached.add(1);
  await debuggees.sweep([1, 2]);
  await quiet();
  assert.equal(api.attached.size, 0);
  await debuggees.attach(1);
});

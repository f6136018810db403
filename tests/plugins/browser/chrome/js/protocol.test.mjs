import assert from "node:assert/strict";
import { test } from "node:test";
import { part } from "./parts.mjs";

const { CODES, endpoint, mayOpen, Refusal, unpacked } = await part("protocol");
const { portIn, readPairing, secretIn } = await part("settings");
const { wording } = await part("wording");
const { Area } = await import("./fakes.mjs");

test("the endpoint is on loopback", () => {
  assert.equal(endpoint(27895), "ws://127.0.0.1:27895/relay/extension");
});

test("errors of the protocol are taken out of their JSON", () => {
  const error = new Error('{"code":-32601,"message":"\'Nope.x\' wasn\'t found"}');
  assert.deepEqual(unpacked(error), { code: -32601, message: "'Nope.x' wasn't found" });
  const long = new Error('{"code":-32602,"message":"Invalid parameters","data":"url: expected"}');
  assert.equal(unpacked(long).message, "Invalid parameters: url: expected");
});

test("errors of Chrome get a code", () => {
  assert.deepEqual(unpacked(new Error("No tab with id: 5.")), {
    code: CODES.failed,
    message: "No tab with id: 5.",
  });
  const lost = new Error("Debugger is not attached to the tab with id: 5.");
  assert.equal(unpacked(lost).code, CODES.notAttached);
  assert.equal(unpacked(new Error('{"code":"x"}')).code, CODES.failed);
  assert.equal(unpacked(new Refusal(CODES.scheme, "no")).code, CODES.scheme);
  assert.deepEqual(unpacked(undefined), { code: CODES.failed, message: "undefined" });
});

test("tabs go to the web, and nowhere else", () => {
  for (const url of ["http://a/", "https://a/", "about:blank", "about:blank#x", "data:,x"]) {
    assert.ok(mayOpen(url), url);
  }
  const refused = [
    "file:///etc/passwd",
    " file:///etc/passwd",
    "fi\nle:///etc/passwd",
    "FILE:///etc/passwd",
    "javascript:alert(1)",
    "chrome://settings",
    "chrome-extension://abc/options.html",
    "view-source:http://a/",
    "about:settings",
    "filesystem:http://a/x",
    "/relative",
    "",
    undefined,
    null,
    7,
    ["http://a/"],
  ];
  for (const url of refused) {
    assert.equal(mayOpen(url), false, String(url));
  }
});

test("a secret is 43 characters of base64", () => {
  const secret = `${"a-_".repeat(14)}Z`;
  assert.equal(secretIn(` ${secret}\n`), secret);
  for (const text of ["", "short", `${secret}x`, secret.replace("a", "!")]) {
    assert.equal(secretIn(text), "", text);
  }
});

test("a port is a number below 65536", () => {
  assert.equal(portIn(" 27895 "), 27895);
  for (const text of ["", "0", "65536", "-1", "1e3", "27895.5", "http"]) {
    assert.equal(portIn(text), 0, text);
  }
});

test("without a pairing there is the usual port", async () => {
  const chrome = { storage: { local: new Area() } };
  assert.deepEqual(await readPairing(chrome), { secret: "", port: 27895 });
});

test("every state has its words", () => {
  const states = ["unpaired", "waiting", "connected", "refused", "replaced"];
  const headlines = states.map((state) => wording(state, 27895).headline);
  assert.equal(new Set(headlines).size, states.length);
  assert.match(wording("connected", 4711).headline, /4711/);
});

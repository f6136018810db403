import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { beforeEach, test } from "node:test";
import { Clock, Socket, until } from "./fakes.mjs";
import { part } from "./parts.mjs";

const { Connection } = await part("connection");
const SECRET = "s".repeat(43);
const NONCE = "0123456789abcdef0123456789abcdef";

let clock;
let sockets;
let log;
let connection;

beforeEach(() => {
  clock = new Clock();
  sockets = [];
  log = [];
  connection = new Connection({
    open: (url) => {
      sockets.push(new Socket(url));
      return sockets.at(-1);
    },
    timers: clock,
    greeting: { version: "1", browser: "B/1" },
    listener: {
      changed: (state) => log.push(state),
      welcomed: () => log.push("welcomed"),
      received: (frame) => log.push(frame),
      lost: () => log.push("lost"),
    },
  });
});

const mac = (text, secret = SECRET) => createHmac("sha256", secret).update(text).digest("hex");

function challenge(socket, secret = SECRET) {
  const proof = mac(`relay:${socket.sent[0].nonce}:${NONCE}`, secret);
  return { type: "challenge", protocol: 1, nonce: NONCE, proof };
}

async function connect() {
  connection.connect();
  const socket = sockets.at(-1);
  socket.onopen();
  socket.receive(challenge(socket));
  await until(() => socket.sent.length === 2);
  socket.receive({ type: "welcome" });
  return socket;
}

async function pairAndConnect() {
  connection.configure({ secret: SECRET, port: 4711 });
  return connect();
}

test("without a secret nothing is asked", async () => {
  connection.configure({ secret: "", port: 4711 });
  await clock.pass(60_000);
  connection.retry();
  assert.equal(sockets.length, 0);
  assert.deepEqual(log, ["unpaired"]);
});

test("both sides prove that they know the secret, and never send it", async () => {
  const socket = await pairAndConnect();
  assert.equal(socket.url, "ws://127.0.0.1:4711/relay/extension");
  const [hello, proof] = socket.sent;
  assert.match(hello.nonce, /^[0-9a-f]{32}$/);
  assert.deepEqual(
    { ...hello, nonce: "" },
    {
      type: "hello",
      protocol: 1,
      nonce: "",
      version: "1",
      browser: "B/1",
    },
  );
  assert.deepEqual(proof, { type: "proof", proof: mac(`extension:${hello.nonce}:${NONCE}`) });
  assert.ok(!JSON.stringify(socket.sent).includes(SECRET));
  assert.deepEqual(log, ["waiting", "connected", "welcomed"]);
});

test("a relay with another secret learns nothing", async () => {
  connection.configure({ secret: SECRET, port: 4711 });
  const [socket] = sockets;
  socket.onopen();
  socket.receive(challenge(socket, "t".repeat(43)));
  await until(() => socket.closed);
  assert.equal(socket.sent.length, 1);
  assert.equal(connection.state, "refused");
});

test("a welcome without a proof is none", async () => {
  connection.configure({ secret: SECRET, port: 4711 });
  const [socket] = sockets;
  socket.onopen();
  socket.receive({ type: "welcome" });
  assert.ok(socket.closed);
  assert.equal(connection.state, "waiting");
});

test("what is no challenge is refused", async () => {
  for (const broken of [{ proof: 7 }, { proof: "zz" }, { protocol: 2 }, { nonce: null }]) {
    connection.configure({ secret: SECRET, port: 4711 });
    const socket = sockets.at(-1);
    socket.onopen();
    socket.receive({ ...challenge(socket), ...broken });
    await until(() => socket.closed);
    assert.equal(socket.sent.length, 1);
  }
});

test("frames go both ways once connected", async () => {
  connection.send({ type: "too early" });
  const socket = await pairAndConnect();
  connection.send({ type: "pong" });
  socket.receive({ type: "ping" });
  assert.deepEqual(socket.sent.at(-1), { type: "pong" });
  assert.deepEqual(log.at(-1), { type: "ping" });
});

test("frames that are no objects end the connection", async () => {
  for (const text of ["nonsense", "[]", "null", "7"]) {
    const socket = await pairAndConnect();
    socket.receive(text);
    assert.ok(socket.closed, text);
  }
});

test("it tries again, ever more slowly", async () => {
  connection.configure({ secret: SECRET, port: 4711 });
  const counts = [];
  for (let second = 0; second < 62; second += 1) {
    sockets.at(-1).onclose({ code: 1006 });
    await clock.pass(1000);
    counts.push(sockets.length);
  }
  assert.equal(counts[3], 5);
  assert.ok(counts.at(-1) <= 20, String(counts));
  assert.equal(connection.state, "waiting");
});

test("an alarm does not wait for the timer", async () => {
  connection.configure({ secret: SECRET, port: 4711 });
  sockets[0].onclose({ code: 1006 });
  connection.retry();
  assert.equal(sockets.length, 2);
  connection.retry();
  await clock.pass(1000);
  assert.equal(sockets.length, 2);
});

test("a relay that says nothing is left", async () => {
  connection.configure({ secret: SECRET, port: 4711 });
  sockets[0].onopen();
  await clock.pass(10_000);
  assert.ok(sockets[0].closed);
  await clock.pass(250);
  assert.equal(sockets.length, 2);
});

test("the end of a connection is told, and the next one begins", async () => {
  const socket = await pairAndConnect();
  socket.onclose({ code: 1001 });
  assert.deepEqual(log.slice(-2), ["waiting", "lost"]);
  await clock.pass(250);
  assert.equal(sockets.length, 2);
  await connect();
  assert.equal(connection.state, "connected");
});

test("a socket of the past has no say", async () => {
  const first = await pairAndConnect();
  first.onclose({ code: 1001 });
  const second = await connect();
  const before = log.length;
  first.receive({ type: "ping" });
  first.onclose({ code: 4409 });
  assert.equal(log.length, before);
  assert.equal(second.closed, false);
  assert.equal(connection.state, "connected");
});

test("it yields to another Chrome until the user asks", async () => {
  const socket = await pairAndConnect();
  socket.onclose({ code: 4409 });
  await clock.pass(120_000);
  connection.retry();
  assert.equal(sockets.length, 1);
  assert.equal(connection.state, "replaced");
  connection.connect();
  assert.equal(sockets.length, 2);
});

test("a worker that wakes still yields", async () => {
  connection.stayAway({ secret: SECRET, port: 4711 });
  connection.retry();
  assert.equal(sockets.length, 0);
  await connect();
  assert.equal(connection.state, "connected");
});

test("a refused secret is tried again in half a minute", async () => {
  connection.configure({ secret: SECRET, port: 4711 });
  sockets[0].onclose({ code: 4401 });
  assert.equal(connection.state, "refused");
  await clock.pass(29_000);
  assert.equal(sockets.length, 1);
  await clock.pass(1000);
  assert.equal(sockets.length, 2);
  assert.equal(connection.state, "refused");
});

test("another pairing replaces the connection", async () => {
  const socket = await pairAndConnect();
  connection.configure({ secret: SECRET, port: 4712 });
  assert.ok(socket.closed);
  assert.equal(sockets.at(-1).url, "ws://127.0.0.1:4712/relay/extension");
  connection.configure({ secret: "", port: 4712 });
  assert.equal(connection.state, "unpaired");
});

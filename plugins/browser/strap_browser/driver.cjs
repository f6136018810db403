// What Playwright's driver loads before its program (`node --require`).
//
// For each request, response and console argument the driver and its client keep an object, and
// drop the oldest only when there are 10,000 or 100,000 of a kind: hundreds of megabytes. strap
// shows the last few hundred and needs no older ones. Where the driver has no such limit to be set,
// it stays as it is.
"use strict";

const { dirname, join } = require("node:path");

const MOST = 1000;
const KINDS = new Set(["ElementHandle", "JSHandle", "Request", "Response"]);

setImmediate(() => {
  const server = internals();
  const connection = server?.DispatcherConnection?.prototype;
  const drop = connection?.maybeDisposeStaleDispatchers;
  if (!drop || !server.setMaxDispatchersForTest) return;
  connection.maybeDisposeStaleDispatchers = function (kind) {
    server.setMaxDispatchersForTest(KINDS.has(kind) ? MOST : undefined);
    return drop.call(this, kind);
  };
});

function internals() {
  try {
    return require(join(dirname(process.argv[1]), "lib", "coreBundle.js")).server;
  } catch {
    return undefined;
  }
}

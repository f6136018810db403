// What Playwright's driver loads before its program (`node --require`). Where the driver is not as
// it is expected to be here, it stays as it is.
"use strict";

const http = require("node:http");
const { dirname, join } = require("node:path");

// For each request, response and console argument the driver and its client keep an object, and
// drop the oldest only when there are 10,000 or 100,000 of a kind: hundreds of megabytes. strap
// shows the last few hundred and needs no older ones.
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

// The process of a frame that crashes would end the page with it, for the driver. Commands to the
// frame fail from then on, until it has another document.
setImmediate(() => {
  const page = internals()?.Page?.prototype;
  const crash = page?._didCrash;
  if (!crash) return;
  page._didCrash = function () {
    const main = this.delegate?._mainFrameSession?._client;
    if (main?._crashed !== false) return crash.call(this);
    for (const { _client: frame } of this.delegate._sessions.values())
      if (frame._crashed) frame.once("Inspector.targetReloadedAfterCrash", () => (frame._crashed = false));
  };
});

function internals() {
  try {
    return require(join(dirname(process.argv[1]), "lib", "coreBundle.js")).server;
  } catch {
    return undefined;
  }
}

// On the way to a browser of this machine every message is compressed, which takes a third of the
// time of a click: without the offer (RFC 7692) none is.
const HERE = new Set(["127.0.0.1", "::1", "localhost"]);
const OFFER = "Sec-WebSocket-Extensions";
const { request } = http;

http.request = function (options, ...more) {
  if (HERE.has(options?.host) && options.headers?.[OFFER]) delete options.headers[OFFER];
  return request.call(this, options, ...more);
};

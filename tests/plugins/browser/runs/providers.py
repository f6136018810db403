"""Run as a script: ask every provider's class once, against a server that refuses or says nothing.

Prints, by provider, how often the server was asked, whether the key came along, what was raised
and how long it took.
"""

import asyncio
import json
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

KEY = "key-of-the-test"
LIMITS = {"refuse": 20.0, "silent": 1.0}


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        provider = self.path.split("/")[1]
        self.server.asked.setdefault(provider, []).append(KEY in str(self.headers))
        if self.server.silent:
            threading.Event().wait()
        body = b'{"error": {"message": "slow down", "type": "rate_limit", "code": 429}}'
        self.send_response(429)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass

    def handle_error(self, *_):
        pass


def make(provider, port, limit):
    from strap_browser.runs.choosing import PROVIDERS
    from strap_browser.worker.models import build

    spec = {
        "provider": provider,
        "class": PROVIDERS[provider].path,
        "model": "bu-2-0" if provider == "browser-use" else "some-model",
        "key": KEY if PROVIDERS[provider].keys else None,
        "url": f"http://127.0.0.1:{port}/{provider}",
    }
    return build(spec, limit)


async def ask(model):
    from browser_use.llm.messages import UserMessage

    began = time.monotonic()
    try:
        await model.ainvoke([UserMessage(content="hello")])
    except Exception as error:  # noqa: BLE001 - each has errors of its own
        raised = f"{type(error).__name__}: {error}"
    else:
        raised = ""
    return {"raised": raised, "seconds": time.monotonic() - began}


async def main(mode, providers):
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    server.asked, server.silent = {}, mode == "silent"
    threading.Thread(target=server.serve_forever, daemon=True).start()
    models = [make(name, server.server_port, LIMITS[mode]) for name in providers]
    found = {}
    for name, model in zip(providers, models, strict=True):  # imports of one hold up no other
        found[name] = {**await ask(model), "asked": server.asked.get(name, [])}
    sys.stdout.write(json.dumps(found) + "\n")


asyncio.run(main(sys.argv[1], sys.argv[2:]))

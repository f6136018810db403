"""Run as a script: ask every provider's class, first where it is refused, then where all is silent.

Prints, by what the server does and by provider, how often it was asked, whether the key came along,
what was raised and how long it took.
"""

import asyncio
import contextlib
import json
import os
import sys
import threading
import time
import types
import urllib.error
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

KEY = "key-of-the-test"
LIMITS = {"refuse": 20.0, "silent": 4.0}


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


class ClientError(Exception):
    def __init__(self):
        self.response = {"Error": {"Code": "ThrottlingException", "Message": "slow down"}}


class Client:
    """As boto3's clients, which block, and ask several times unless they are told otherwise."""

    def __init__(self, url, aws_access_key_id, **_):
        self.request = urllib.request.Request(url, b"{}", {"X-Key": aws_access_key_id})

    def converse(self, **_):
        for _ in range(int(os.environ.get("AWS_MAX_ATTEMPTS", "5"))):
            with contextlib.suppress(urllib.error.HTTPError):
                urllib.request.urlopen(self.request)
        raise ClientError


def play_boto3(url):
    """Boto3 is large, and its dependencies go with no others: this is all that is used of it."""
    boto3, exceptions = types.ModuleType("boto3"), types.ModuleType("botocore.exceptions")
    boto3.client = lambda **given: Client(url, **given)
    exceptions.ClientError = ClientError
    names = ("boto3", "botocore", "botocore.exceptions")
    sys.modules.update(zip(names, (boto3, types.ModuleType("botocore"), exceptions), strict=True))
    os.environ |= {"AWS_ACCESS_KEY_ID": KEY, "AWS_SECRET_ACCESS_KEY": "x", "AWS_REGION": "eu-1"}


def make(provider, port, limit):
    from strap_agent.models.providers import PROVIDERS
    from strap_agent.worker.llm import build

    url = f"http://127.0.0.1:{port}/{provider}"
    if provider == "bedrock":
        play_boto3(url)
    spec = {
        "provider": provider,
        "class": PROVIDERS[provider].path,
        "model": "bu-2-0" if provider == "browser-use" else "some-model",
        "key": KEY if PROVIDERS[provider].keys else None,
        "url": url,
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


async def main(providers):
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    found = {}
    for mode, limit in LIMITS.items():
        server.asked, server.silent = {}, mode == "silent"
        models = [make(name, server.server_port, limit) for name in providers]
        if server.silent:
            answers = await asyncio.gather(*map(ask, models))
        else:  # one after the other: imports of one hold up no other
            answers = [await ask(model) for model in models]
        found[mode] = {
            name: {**answer, "asked": server.asked.get(name, [])}
            for name, answer in zip(providers, answers, strict=True)
        }
    sys.stdout.write(json.dumps(found) + "\n")
    sys.stdout.flush()
    os._exit(0)  # what boto3 waits for does not end


asyncio.run(main(sys.argv[1:]))

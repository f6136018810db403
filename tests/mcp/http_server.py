"""A server with the probe over HTTP, and those who talk to it: bare requests, the SDK's client."""

import json
import sys
from contextlib import asynccontextmanager

import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from tests.mcp.conversation import SCRIPT, WAIT, Listening, initialize, notification

ERAS = {"auto": "2026-07-28", "legacy": "2025-11-25"}
ACCEPT = {"accept": "application/json, text/event-stream"}
TOKEN = "a-token-for-tests"


class Served(Listening):
    """The probe over HTTP."""

    def __init__(self, home, **options):
        super().__init__(home, (sys.executable, SCRIPT, "--http"), PROBE_HTTP=json.dumps(options))


@asynccontextmanager
async def connect(served, mode, token=None):
    headers = {"authorization": f"Bearer {token}"} if token else {}
    async with httpx2.AsyncClient(headers=headers, timeout=WAIT) as http:
        transport = streamable_http_client(served.url, http_client=http)
        async with Client(transport, mode=mode, read_timeout_seconds=WAIT) as client:
            yield client


async def web(client, action, **arguments):
    return await client.call_tool("web", {"resource": "probe", "action": action, **arguments})


def post(served, message, session=None, **headers):
    if session:
        headers["mcp-session-id"] = session
    headers = {**ACCEPT, **headers}
    return httpx2.post(served.url, json=message, headers=headers, timeout=WAIT, verify=False)


def answer_of(response):
    """The message of a response, be it JSON or one server-sent event."""
    if response.headers["content-type"].startswith("application/json"):
        return response.json()
    data = [line[5:] for line in response.text.splitlines() if line.startswith("data:")]
    return json.loads([d for d in data if d.strip()][-1])


def post_modern(served, message, **headers):
    headers = {"mcp-protocol-version": "2026-07-28", "mcp-method": message["method"], **headers}
    if message["method"] == "tools/call":
        headers["mcp-name"] = "web"
    return post(served, message, **headers)


def open_session(served, **headers):
    opened = post(served, initialize(), **headers)
    assert opened.status_code == 200, opened.text
    session = opened.headers["mcp-session-id"]
    post(served, notification("notifications/initialized"), session, **headers)
    return session

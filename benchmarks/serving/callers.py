"""A client of MCP over HTTP that costs little, so that what is measured is the server."""

import http.client
import json
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

ACCEPT = {"accept": "application/json, text/event-stream", "content-type": "application/json"}
WAIT = 120.0


class Refused(Exception):
    """A request or a call was not begun: `why` is a status, or the code of the tool."""

    def __init__(self, why: int | str) -> None:
        super().__init__(str(why))
        self.why = why


class Client:
    """One connection that is kept, and one session; errors of the network come through."""

    def __init__(self, port: int, token: str = "") -> None:
        self._headers = {**ACCEPT, **({"authorization": f"Bearer {token}"} if token else {})}
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=WAIT)
        self.session: str | None = None

    def open(self) -> str:
        """Open a session and return its id."""
        self.session = None
        hello = {"protocolVersion": "2025-11-25", "capabilities": {}}
        hello["clientInfo"] = {"name": "bench", "version": "1"}
        headers, _ = self._post({"id": 0, "method": "initialize", "params": hello})
        self.session = headers["mcp-session-id"]
        self._post({"method": "notifications/initialized"})
        return self.session

    def call(self, action: str, **fields: Any) -> str:
        """Return the text of a call's answer."""
        result = self.tool("web", {"resource": "bench", "action": action, **fields})
        if result.get("isError"):
            raise Refused(result["_meta"]["strap/error"]["code"])
        text: str = result["content"][0]["text"]
        return text

    def tool(self, name: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Return the result of a call of any tool."""
        params = {"name": name, "arguments": dict(arguments)}
        _, answer = self._post({"id": 1, "method": "tools/call", "params": params})
        result: dict[str, Any] = answer["result"]
        return result

    def reconnect(self) -> None:
        """Begin anew with the next request: servers close connections that nobody uses."""
        self._connection.close()

    def close(self) -> None:
        """End the session and the connection, as far as they are there."""
        with suppress(OSError, http.client.HTTPException):
            if self.session:
                headers = {**self._headers, "mcp-session-id": self.session}
                self._connection.request("DELETE", "/mcp", headers=headers)
                self._connection.getresponse().read()
        self._connection.close()

    def _post(self, message: dict[str, Any]) -> tuple[Any, Any]:
        session = {"mcp-session-id": self.session} if self.session else {}
        body = json.dumps({"jsonrpc": "2.0", **message})
        try:
            self._connection.request("POST", "/mcp", body, {**self._headers, **session})
            answer = self._connection.getresponse()
            text = answer.read().decode()
        except (OSError, http.client.HTTPException):
            self._connection.close()  # the next request opens another
            raise
        if answer.status >= 400:
            raise Refused(answer.status)
        return answer.headers, _message(text)


def _message(text: str) -> Any:
    """The last message of an answer, be it JSON or events."""
    if not text:
        return None
    if text.startswith("{"):
        return json.loads(text)
    data = [line[5:] for line in text.splitlines() if line.startswith("data:")]
    return json.loads([each for each in data if each.strip()][-1])

"""Clients of a real server over streamable HTTP, without and with sessions."""

from tests.mcp.conversation import Listening, call, modern, text_of
from tests.mcp.http_server import answer_of, post, post_modern
from tests.soak.test_soak import SERVER

HTTP = (*SERVER, "--http", "--port", "0")
ENV = {"STRAP_HEADLESS": "true", "STRAP_BROWSER__PORT": "0"}


def listen(home):
    """`strap serve --http`, with its browser launched."""
    server = Listening(home, HTTP, **ENV)
    launched = answer_of(post_modern(server, modern_call(action="launch")))
    assert not launched["result"].get("isError"), launched
    return server


def modern_call(**arguments):
    return modern("tools/call", name="web", arguments={"resource": "browser", **arguments})


class Client:
    """A client without sessions: it gives its handle with each call."""

    def __init__(self, server, handle):
        self.server = server
        self.handle = handle

    def result(self, **arguments):
        return answer_of(post_modern(self.server, self.message(**arguments)))["result"]

    def message(self, **arguments):
        return modern_call(session=self.handle, **arguments)

    @property
    def headers(self):
        return {"Mcp-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": "web"}

    def text(self, **arguments):
        result = self.result(**arguments)
        assert not result.get("isError"), result
        return text_of({"result": result})

    def is_busy(self):
        """Whether a call is on the client's page now: another one has to wait for its turn."""
        result = self.result(action="evaluate", text="1", timeout=0.3)
        return result.get("isError", False) and "did not finish" in text_of({"result": result})


class SessionClient(Client):
    """A client of a protocol with sessions; its calls outlive its connection."""

    number = 0

    def result(self, **arguments):
        return answer_of(post(self.server, self.message(**arguments), self.handle))["result"]

    def message(self, **arguments):
        self.number += 1
        return call(self.number, resource="browser", **arguments)

    @property
    def headers(self):
        return {"Mcp-Session-Id": self.handle}

"""Ids of sessions begin with the name of their replica, by which a load balancer finds it again.

An id is made after the first request was routed, so that no hash of it can lead back.
"""

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from strap.mcp.http.answers import refusal

SESSION = b"mcp-session-id"


def prefix_of(replica: str) -> str:
    """Return what the ids of a replica begin with, "" for a server that is alone."""
    return f"{replica}_" if replica else ""


class Affinity:
    """An ASGI application around another: it alone sees the name of the replica in ids."""

    def __init__(self, app: ASGIApp, replica: str) -> None:
        self._app = app
        self._prefix = prefix_of(replica).encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on; a session of another replica is not found here."""
        named = [value for name, value in scope["headers"] if name == SESSION]
        if not all(value.startswith(self._prefix) for value in named):
            await refusal("Session not found", 404)(scope, receive, send)
            return
        scope["headers"] = [
            (name, value.removeprefix(self._prefix) if name == SESSION else value)
            for name, value in scope["headers"]
        ]

        async def pass_on(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [
                    (name, self._prefix + value if name.lower() == SESSION else value)
                    for name, value in message.get("headers", ())
                ]
            await send(message)

        await self._app(scope, receive, pass_on)

"""A request that waits before it is sent, and what may become of it.

Source: the domain Fetch of the Chrome DevTools protocol.
"""

import asyncio
from base64 import b64decode
from collections.abc import Mapping
from dataclasses import field

from strap import record
from strap_browser.cdp.connection import CdpSession, Params

HARMLESS = ("GET", "HEAD", "OPTIONS")
"""Methods that change nothing (RFC 9110, 9.2.1)."""
MOST = 500
"""Requests held at a time; further ones are dropped at once."""


@record
class Fail:
    """The request is not sent, for this reason of the protocol (`Network.ErrorReason`)."""

    reason: str = "Aborted"


@record
class Fulfil:
    """The request is not sent: this is its answer."""

    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    """Header fields; several under one name are parted by line ends."""
    body: bytes = b""


REFUSED = Fail(reason="BlockedByClient")
Decision = Fail | Fulfil | None
"""None leaves the request to the next interceptor; after the last one it is sent."""


class Ending:
    """Result of a decision: whether the browser sent the request."""

    def __init__(self) -> None:
        self._decided = asyncio.Event()
        self._sent = False

    def tell(self, *, sent: bool) -> None:
        """Note whether the request went on."""
        self._sent = sent
        self._decided.set()

    async def sent(self) -> bool:
        """Return whether it went on, when that is known."""
        await self._decided.wait()
        return self._sent


@record
class PausedRequest:
    """A request that waits."""

    session: CdpSession
    id: str
    """Its number in the domain Fetch: each hop of a redirect has its own."""
    network_id: str
    """The id of the request in the list, "" where it is not told."""
    redirected_id: str
    """The number of the hop before, "" of the first."""
    url: str
    method: str
    headers: Mapping[str, str]
    posted: bytes | None
    """Body of the request, None where there is none, or where it was not told with it."""
    keeps_posted: bool
    """Whether the browser has it in that case."""
    resource_type: str
    frame_id: str
    adds: dict[str, str] = field(default_factory=dict, compare=False, repr=False)
    """Header fields that it is sent with, in place of its own."""
    ending: Ending = field(default_factory=Ending, compare=False, repr=False)

    def header(self, name: str) -> str:
        """Return a header field, by its name in small letters; "" where there is none."""
        return next((value for key, value in self.headers.items() if key.lower() == name), "")

    @classmethod
    def of(cls, session: CdpSession, event: Params) -> "PausedRequest":
        """Read an event `Fetch.requestPaused`."""
        sent = event["request"]
        return cls(
            session=session,
            id=event["requestId"],
            network_id=event.get("networkId", ""),
            redirected_id=event.get("redirectedRequestId", ""),
            url=sent["url"],
            method=sent["method"],
            headers=sent.get("headers", {}),
            posted=_posted(sent),
            keeps_posted=sent.get("hasPostData", False),
            resource_type=event.get("resourceType", ""),
            frame_id=event.get("frameId", ""),
        )


def _posted(sent: Params) -> bytes | None:
    """Return what is told of a body: no contents of files, nothing of a stream."""
    parts = [entry["bytes"] for entry in sent.get("postDataEntries", ()) if "bytes" in entry]
    if parts:
        return b"".join(map(b64decode, parts))
    return sent["postData"].encode() if "postData" in sent else None

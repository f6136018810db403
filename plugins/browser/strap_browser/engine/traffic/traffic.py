"""Requests of a page, in all its sessions."""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from strap_browser.cdp.connection import CdpSession
from strap_browser.engine.traffic.interception import Interception
from strap_browser.engine.traffic.requests import Request, Requests
from strap_browser.engine.traffic.web_sockets import WebSockets

Emit = Callable[[str, Any], None]


class Traffic:
    """The requests of some sessions, and who decides on them: `interception`."""

    def __init__(
        self, emit: Emit, interception: Interception | None = None, like: "Traffic | None" = None
    ) -> None:
        """`emit` gets the events of requests and of WebSockets.

        A caller's rules for the page that opens this one, `like`, hold from the first document on.
        """
        self.interception = interception or Interception()
        if like is not None:
            self.interception.inherit(like.interception)
        self._emit = emit
        self.closed = asyncio.Event()
        """Set when the page is gone."""
        self.waiting = 0
        """Requests about which a person is asked."""
        self.held: set[str] = set()
        """Requests that wait for the caller, by their ids."""
        self._requests = Requests(emit)
        self.shared_workers = self._requests.shared_workers
        self._sockets = WebSockets(emit)

    def follow(self, session: CdpSession) -> None:
        """Follow what is asked and answered in a session from now on."""
        self._requests.follow(session)
        self._sockets.follow(session)
        self.interception.follow(session)
        session.send("Network.enable")

    @contextmanager
    def asked_about(self) -> Iterator[None]:
        """Note that a person is asked about a request."""
        self.waiting += 1
        self._emit("requestheld", None)
        try:
            yield
        finally:
            self.waiting -= 1
            self._emit("requestheld", None)

    @contextmanager
    def holding(self, request_id: str) -> Iterator[None]:
        """Note that a request waits for the caller."""
        self.held.add(request_id)
        self._emit("requestheld", None)
        try:
            yield
        finally:
            self.held.discard(request_id)

    def running(self) -> list[Request]:
        """Return the requests that have not ended, WebSockets aside."""
        return self._requests.running()

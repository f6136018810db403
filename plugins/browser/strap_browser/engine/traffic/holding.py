"""Requests that change something and wait until the caller has them sent or dropped."""

import asyncio
import json
from collections.abc import Callable
from contextlib import suppress
from email import policy
from email.parser import BytesParser
from itertools import count
from typing import Any
from urllib.parse import parse_qsl
from weakref import WeakSet

from strap import record
from strap_browser.common.redaction import MASK, is_private, without_secrets
from strap_browser.common.urls import fits_pattern
from strap_browser.engine.traffic.interception import (
    REFUSED,
    Decision,
    Interception,
    Interceptor,
    Order,
    Pattern,
    PausedRequest,
)

HARMLESS = ("GET", "HEAD", "OPTIONS")
"""Methods that change nothing (RFC 9110, 9.2.1)."""
LIMIT = 120.0
"""Seconds that a request waits; what nobody decides on is dropped."""
MOST = 500
"""Requests held at a time; further ones are dropped at once."""
SHOWN = 60
"""Characters shown of a value."""
MOST_FIELDS = 30
"""Fields shown of a body."""
MOST_READ = 256 * 1024
"""Bytes of a body that is read: a larger one would hold up the other calls."""


@record(frozen=False)
class Held:
    """A request that waits."""

    ref: str
    request: PausedRequest
    decided: "asyncio.Future[bool]"

    @property
    def told(self) -> str:
        """What it would send, in words."""
        url = without_secrets(self.request.url)
        return f"{self.request.method} {url} {body_in_words(self.request)}".rstrip()


class Holding:
    """The requests of one caller that are held, in all pages that follow."""

    def __init__(self, tell: Callable[[str], None]) -> None:
        """`tell` gets a sentence about each request that is held, and about each that expires."""
        self.held: dict[str, Held] = {}
        self.patterns: tuple[str, ...] = ()
        self._tell = tell
        self._numbers = count(1)
        self._pages: WeakSet[Interception] = WeakSet()
        self._interceptor = Interceptor(decide=self._decide, patterns=(), order=Order.HOLD)

    def follow(self, interception: Interception) -> None:
        """Have the requests of a further page held as well."""
        self._pages.add(interception)
        if self.patterns:
            interception.add(self._interceptor)

    async def hold(self, pattern: str) -> None:
        """Hold requests to such addresses from now on; raises `CdpError`."""
        self.patterns = tuple(dict.fromkeys((*self.patterns, pattern)))
        self._interceptor.patterns = tuple(Pattern(url=url) for url in self.patterns)
        for page in tuple(self._pages):
            await page.add(self._interceptor)

    async def end(self) -> None:
        """Drop what is held, and hold nothing more; raises `CdpError`.

        What is held is refused first: with the end of the domain Fetch it would be sent.
        """
        self.patterns = ()
        while self.held:
            for each in self.held.values():
                self.decide(each, send=False)
            await asyncio.sleep(0)
        self._interceptor.patterns = ()
        for page in tuple(self._pages):
            await page.remove(self._interceptor)

    async def refuse(self, *, on: bool = True) -> None:
        """Refuse what is held, and what would be, while the pages are about to close."""
        for page in tuple(self._pages):
            await page.refuse(on=on)

    def decide(self, held: Held, *, send: bool) -> None:
        """Send a request, or drop it."""
        if not held.decided.done():
            held.decided.set_result(send)

    async def _decide(self, request: PausedRequest) -> Decision:
        is_meant = any(fits_pattern(each, request.url) for each in self.patterns)
        if request.method in HARMLESS or not is_meant:
            return None
        if len(self.held) >= MOST:
            return REFUSED
        decided = asyncio.get_running_loop().create_future()
        held = Held(ref=f"h{next(self._numbers)}", request=request, decided=decided)
        self.held[held.ref] = held
        self._tell(f"Held {held.ref}: {held.told}. Not sent: mock value=send or value=drop.")
        try:
            async with asyncio.timeout(LIMIT):
                is_sent = await held.decided
        except TimeoutError:
            is_sent = False
            self._tell(f"{held.ref} was held for {LIMIT:g} s and is dropped: not sent.")
        except asyncio.CancelledError:
            self._tell(f"{held.ref} is dropped with its page: not sent.")
            raise
        finally:
            del self.held[held.ref]
        return None if is_sent else REFUSED


def body_in_words(request: PausedRequest) -> str:
    """Return what a request sends by the names of its fields, files by name and size."""
    posted = request.posted
    if posted is None:
        return "(a body that the browser does not tell)" if request.keeps_posted else ""
    kind = next((v for k, v in request.headers.items() if k.lower() == "content-type"), "")
    if len(posted) <= MOST_READ:
        with suppress(ValueError, RecursionError):
            fields = _fields(kind, posted)
            if fields is not None:
                return _words(fields)
    return f"({len(posted):,} bytes of {kind.partition(';')[0] or 'no type'})"


def _words(fields: Any) -> str:
    shown = json.dumps(_shown("", fields), ensure_ascii=False)
    more = len(fields) - MOST_FIELDS if isinstance(fields, dict | list) else 0
    if not isinstance(fields, dict):
        shown = shown[: SHOWN * 4]
    return shown + (f" and {more} more fields" if more > 0 else "")


def _fields(kind: str, posted: bytes) -> Any:
    """Return the fields of a body, None where it has none; raises `ValueError`."""
    if "json" in kind or posted[:1] in (b"{", b"["):
        return json.loads(posted)
    if kind.startswith("application/x-www-form-urlencoded"):
        return _joined(parse_qsl(posted.decode("utf-8", "replace"), keep_blank_values=True))
    if kind.startswith("multipart/form-data"):
        head = f"Content-Type: {kind}\r\n\r\n".encode()
        parts = BytesParser(policy=policy.HTTP).parsebytes(head + posted).iter_parts()
        return _joined([_part(part) for part in parts])
    return None


def _part(part: Any) -> tuple[str, str]:
    content = part.get_payload(decode=True) or b""
    name = str(part.get_param("name", "", header="content-disposition"))
    if (file := part.get_filename()) is None:
        return name, content.decode("utf-8", "replace").rstrip("\r\n")
    return name, f"file {file!r}" + (f", {len(content):,} bytes" if content.strip() else "")


def _joined(pairs: list[tuple[str, str]]) -> dict[str, Any]:
    fields: dict[str, list[str]] = {}
    for name, value in pairs:
        fields.setdefault(name, []).append(value)
    return {name: values if len(values) > 1 else values[0] for name, values in fields.items()}


def _shown(name: str, value: Any) -> Any:
    if is_private(name):
        return MASK
    if isinstance(value, dict):
        return {key: _shown(key, each) for key, each in list(value.items())[:MOST_FIELDS]}
    if isinstance(value, list):
        return [_shown("", each) for each in value[:MOST_FIELDS]]
    long = isinstance(value, str) and len(value) > SHOWN
    return f"{value[:SHOWN]}… ({len(value):,} characters)" if long else value

"""Asking a site for one thing: in its turn, by its robots.txt, within what time is left."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from http import HTTPStatus
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from strap import ActionError, record
from strap.documents.converting import Readers
from strap.documents.media_types import kind_of, text_of
from strap_http.document.document_cache import Document
from strap_http.document.present import present
from strap_http.document.render import read
from strap_http.document.source import Send
from strap_http.message.request import Request, build
from strap_http.message.response import Response
from strap_http.pipeline.retry import STATUSES, waiting_time
from strap_http.sites.addresses import canonical, host
from strap_http.sites.lists import listed_addresses
from strap_http.sites.pace import Paces
from strap_http.sites.text_fingerprint import Fingerprint, fingerprint

if TYPE_CHECKING:
    from protego import Protego

SECONDS = 20.0
"""How long one answer is waited for."""
REST = 5.0
"""Seconds without requests after a refusal that does not say how many it wants."""


class NoPage(ActionError):
    """An answer that is no page; `reason` is why, in two words."""

    code = "no_pages"

    def __init__(self, response: Response) -> None:
        self.reason = f"HTTP {response.status}"
        super().__init__(
            f"{response.url!r} answers with {self.reason}.",
            hint="Give the address of a page that is there; action=map lists those of a site.",
            retryable=response.status in STATUSES,
        )


def too_slow(url: str) -> ActionError:
    """The error for a page that a call has no time left for."""
    return ActionError(
        f"{url!r} took longer than this call has.",
        hint="Give it more with timeout (seconds).",
        code="timeout",
        retryable=True,
    )


@record
class Page:
    """A page as it was read: `own` is its canonical URL, `links` and `feeds` what it names."""

    url: str
    document: Document
    fingerprint: Fingerprint
    own: str = ""
    links: tuple[str, ...] = ()
    feeds: tuple[str, ...] = ()

    @property
    def title(self) -> str:
        """Its first heading, else the end of its path."""
        first = self.document.text.lstrip().partition("\n")[0]
        heading = first.lstrip("#").strip() if first.startswith("#") else ""
        return heading[:200] or urlsplit(self.url).path.rstrip("/").rpartition("/")[2] or self.url


@record
class Visitor:
    """Asks for the pages of sites on behalf of one call, until `deadline` of the loop's clock."""

    send: Send
    robots: "Callable[[str], Awaitable[Protego | None]]"
    readers: Readers
    paces: Paces
    agent: str
    deadline: float

    @property
    def left(self) -> float:
        """Seconds that are left."""
        return max(self.deadline - asyncio.get_running_loop().time(), 0.0)

    async def rules(self, url: str) -> "Protego | None":
        """Return what robots.txt says, and keep to the interval that it asks for."""
        rules = await self.robots(url)
        delay = rules.crawl_delay(self.agent) if rules is not None else None
        if delay:
            self.paces.of(host(url)).slow_down(float(delay))
        return rules

    def request(self, url: str, led_by: str = "") -> Request:
        """The request for `url`, as `http.fetch` makes it."""
        request = build("GET", url, {}, None, user_agent=self.agent)
        return replace(request, led_by=led_by if host(led_by) != host(url) else "")

    async def get(self, url: str, led_by: str = "") -> Response:
        """Return the answer of `url` in its turn; raises `StrapError` and `TimeoutError`."""
        pace = self.paces.of(host(url))
        async with asyncio.timeout_at(self.deadline), pace.turn():
            seconds = max(min(SECONDS, self.left), 0.1)
            response = await self.send(self.request(url, led_by), seconds=seconds)
        if response.status in STATUSES:
            pace.refused(waiting_time(response) or REST)
        else:
            pace.answered()
        return response

    async def page(self, url: str) -> Page:
        """Return the page at `url`, read; raises `StrapError` and `TimeoutError`."""
        response = await self.get(url)
        if response.status >= HTTPStatus.BAD_REQUEST:
            raise NoPage(response)
        document = await present("GET", response, self.readers)
        named: dict[str, list[str]] = {"canonical": [], "link": [], "feed": []}
        for word, address in await self._ways(response, document):
            named[word].append(address)
        url = canonical(response.url) or response.url
        return Page(
            url=url,
            document=document,
            fingerprint=await asyncio.to_thread(fingerprint, url, document.text),
            own=canonical(named["canonical"][0]) if named["canonical"] else "",
            links=tuple(named["link"]),
            feeds=tuple(named["feed"]),
        )

    async def _ways(self, response: Response, document: Document) -> list[list[str]]:
        kind, _ = kind_of(response.media_type, response.body)
        if kind != "html":
            listed = await asyncio.to_thread(listed_addresses, document.text, response.url)
            return [["link", url] for url in listed]
        content_type = response.headers.get("content-type", "")
        source = await asyncio.to_thread(text_of, kind, response.body, content_type)
        reading = await read("onward", source, response.url, self.readers.workers)
        return [line.split(" ", 1) for line in reading.text.splitlines()] if reading else []

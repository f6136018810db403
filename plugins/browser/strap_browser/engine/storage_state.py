"""Storage states: the cookies and the local storage of a browser context, in Playwright's format.

`{"cookies": […], "origins": [{"origin": …, "localStorage": [{"name": …, "value": …}]}]}`
"""

import json
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping
from contextlib import asynccontextmanager, suppress
from typing import Any

from strap_browser.cdp.errors import CdpError
from strap_browser.common.urls import origin_of
from strap_browser.engine.browser_connection import BrowserConnection
from strap_browser.engine.context import BrowserContext
from strap_browser.engine.page import Page
from strap_browser.engine.traffic.interception import Fulfil, Interceptor, PausedRequest
from strap_browser.page_script.bundle import question

EMPTY = Fulfil(headers={"Content-Type": "text/html"}, body=b"<!doctype html><title></title>")
MOST_ORIGINS = 50
"""Sites whose storage is kept or put back: each is visited for it."""
PIECE = 500_000
"""Characters of storage that are asked for or put back at a time, in one message."""
ENTRY = 40
"""Characters that an entry takes beside its name and value."""


async def read_state(connection: BrowserConnection, context: BrowserContext) -> dict[str, Any]:
    """Return the state of a context: the storage of all sites that its pages have been to.

    Raises `CdpError`.
    """
    stored: dict[str, list[dict[str, str]]] = {}
    for page in connection.pages(context):
        origin = origin_of(page.url)
        if origin and page.is_started and page.dialog is None:
            with suppress(CdpError):
                stored[origin] = await _read(page)
    left = [origin for origin in context.origins if origin not in stored][-MOST_ORIGINS:]
    if left:
        async with _visiting(connection, context) as page:
            for origin in left:
                await page.goto(origin)
                stored[origin] = await _read(page)
    origins = [{"origin": site, "localStorage": items} for site, items in stored.items() if items]
    return {"cookies": await context.cookies(), "origins": origins}


async def write_state(
    connection: BrowserConnection, context: BrowserContext, state: Mapping[str, Any]
) -> None:
    """Put a state into a context; raises `CdpError`, or `KeyError` where it is none."""
    await context.add_cookies(state["cookies"])
    await _write_storage(connection, context, state.get("origins") or ())


async def _write_storage(
    connection: BrowserConnection, context: BrowserContext, origins: Iterable[Mapping[str, Any]]
) -> None:
    wanted = [each for each in origins if origin_of(each["origin"])]
    if not wanted:
        return
    async with _visiting(connection, context) as page:
        for each in wanted[:MOST_ORIGINS]:
            await page.goto(each["origin"])
            for piece in _pieces(each.get("localStorage", [])):
                await page.main_frame.ask(question("store", {"items": piece}))


def _pieces(items: list[dict[str, str]]) -> Iterator[list[dict[str, str]]]:
    piece: list[dict[str, str]] = []
    length = 0
    for item in items:
        piece.append(item)
        length += len(item["name"]) + len(item["value"]) + ENTRY
        if length > PIECE:
            yield piece
            piece, length = [], 0
    yield piece


@asynccontextmanager
async def _visiting(connection: BrowserConnection, context: BrowserContext) -> AsyncIterator[Page]:
    """A page to which every site answers with an empty document: nothing is sent."""
    page = await connection.new_page(context)

    async def answer(_: PausedRequest) -> Fulfil:
        return EMPTY

    try:
        await page.traffic.interception.add(Interceptor(decide=answer))
        yield page
    finally:
        with suppress(CdpError):
            await page.close()


async def _read(page: Page) -> list[dict[str, str]]:
    items: list[dict[str, str]] = []
    rest = True
    while rest:
        asked = question("stored", {"start": len(items), "most": PIECE, "entry": ENTRY})
        told = json.loads(await page.main_frame.ask(asked))
        items += told["items"]
        rest = told["rest"]
    return items

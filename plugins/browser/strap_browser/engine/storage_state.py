"""Storage states: the cookies and the local storage of a browser context, in Playwright's format.

`{"cookies": […], "origins": [{"origin": …, "localStorage": [{"name": …, "value": …}]}]}`, and the
`passkeys` of the context, as `WebAuthn.Credential`, where it has an authenticator.
"""

import json
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping
from contextlib import asynccontextmanager, suppress
from typing import Any

from strap import ActionError
from strap_browser.cdp.errors import CdpError, ProtocolError, TargetClosed
from strap_browser.common.urls import origin_of
from strap_browser.engine.browser_connection import BrowserConnection
from strap_browser.engine.context import BrowserContext, login_hosts
from strap_browser.engine.page import Page
from strap_browser.engine.passkeys import Credential, Passkeys
from strap_browser.engine.traffic.interception import Interceptor
from strap_browser.engine.traffic.paused_request import Fulfil, PausedRequest
from strap_browser.page_script.bundle import question

EMPTY = Fulfil(headers={"Content-Type": "text/html"}, body=b"<!doctype html><title></title>")
MOST_ORIGINS = 50
"""Sites whose storage is kept or put back: each is visited for it."""
PIECE = 500_000
"""Characters of storage that are asked for or put back at a time, in one message."""
METHOD_NOT_FOUND = -32601
"""JSON-RPC 2.0's code for a command that a browser does not have."""
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
    state = {"cookies": await context.cookies(), "origins": origins}
    passkeys = context.passkeys
    return state if passkeys is None else state | {"passkeys": passkeys.credentials}


async def write_state(
    connection: BrowserConnection, context: BrowserContext, state: Mapping[str, Any]
) -> bool:
    """Put a state into a context; raises `CdpError`, or `KeyError` where it is none.

    Returns whether all of it is there: not every browser takes passkeys.
    """
    context.logins.update(login_hosts(state))
    await context.add_cookies(state["cookies"])
    await _write_storage(connection, context, state.get("origins") or ())
    if (passkeys := state.get("passkeys")) is not None:
        try:
            await offer_passkeys(connection, context, passkeys)
        except ActionError:
            return False
    return True


async def offer_passkeys(
    connection: BrowserConnection, context: BrowserContext, credentials: Iterable[Credential] = ()
) -> Passkeys:
    """Give the pages of a context an authenticator, in place of another.

    Raises `ActionError` "unsupported" where the browser is not a Chromium of strap's, and
    `KeyError` or `TypeError` for what are no credentials.
    """
    if not connection.endpoint.own:
        raise _no_passkeys()
    passkeys, before = Passkeys(credentials), context.passkeys
    if before is not None:
        await before.end()
    context.passkeys = passkeys
    try:
        for page in connection.pages(context):
            if page.is_started:
                with suppress(TargetClosed):
                    await passkeys.join(page.session)
    except ProtocolError as error:
        context.passkeys = None
        if error.code == METHOD_NOT_FOUND:
            raise _no_passkeys() from None
        raise
    return passkeys


def _no_passkeys() -> ActionError:
    return ActionError(
        "Passkeys need a Chromium that strap launched.",
        hint="Use a profile with the driver 'nebo'.",
        code="unsupported",
    )


async def _write_storage(
    connection: BrowserConnection, context: BrowserContext, origins: Iterable[Mapping[str, Any]]
) -> None:
    written = [origin for origin in origins if origin_of(origin["origin"])]
    if not written:
        return
    async with _visiting(connection, context) as page:
        for entry in written[:MOST_ORIGINS]:
            await page.goto(entry["origin"])
            for piece in _pieces(entry.get("localStorage", [])):
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
        call = question("stored", {"start": len(items), "most": PIECE, "entry": ENTRY})
        answer = json.loads(await page.main_frame.ask(call))
        items += answer["items"]
        rest = answer["rest"]
    return items

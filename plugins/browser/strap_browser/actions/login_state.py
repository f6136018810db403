"""Login states: cookies and local storage of a browser, saved and put back by name."""

import asyncio
import json
import os
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from pydantic import Field

from strap import ActionError, Context, Result, action, with_scheme, write_atomically
from strap_browser import interaction
from strap_browser.actions.navigate import open_url
from strap_browser.actions.params import ProfileParams
from strap_browser.engine.playwright.errors import Error
from strap_browser.pages.page_errors import unsupported_in_user_chrome
from strap_browser.settings.managed import PROFILE_NAME

if TYPE_CHECKING:
    from playwright.async_api import BrowserContext, Route

    from strap_browser.pages.caller_pages import CallerPages
    from strap_browser.pages.registry import BrowserRegistry

MOST_BYTES = 10_000_000
MOST_ORIGINS = 50
KEEP_LIMIT = 5.0
EMPTY = "<!doctype html><title></title>"
STORE = "(items) => { for (const { name, value } of items) localStorage.setItem(name, value); }"


class SetupState(ProfileParams):
    """Which state, and where to log in."""

    state_id: str = Field(pattern=PROFILE_NAME)
    """Name of the state."""
    url: str | None = Field(default=None, max_length=20_000)
    """Page to log in at; left out: the state is saved now."""


@action("browser", effect="write", timeout=60)
async def setup_state(params: SetupState, ctx: "Context[BrowserRegistry]") -> Result:
    """Save cookies and local storage under a name, or put them back and log in.

    Without `url` what the browser holds is saved now. With `url` a state saved earlier is put
    back, the page is opened for a log-in by hand or by actions, and what is there on `close` is
    saved. States are files of Playwright's format, for the user's eyes only, in `states` in the
    data directory.
    """
    file = ctx.config.home / "states" / f"{params.state_id}.json"
    if ctx.state.profile(ctx).driver.granted:
        raise unsupported_in_user_chrome(
            "Login states are neither saved nor put back", "Use another profile."
        )
    if params.url is None:
        async with interaction.peek_page(ctx) as tab:
            return Result(text=await _save(tab.page.context, file))
    await ctx.state.guard(ctx).check(with_scheme(params.url))
    login = await asyncio.to_thread(_read, file) if file.exists() else None
    async with interaction.using_page(ctx, leaving=True) as state:
        tab = state.tab
        if login is not None:
            await _restore(tab.page.context, login, file)
        tab.session.state_file = file
        headless = tab.connection.endpoint.viewport is not None
    said = _told(login, file, headless=headless)
    return await open_url(params.url, ctx, target_id=tab.handle, said=said)


async def save_state(session: "CallerPages | None") -> str:
    """Save the state that a caller who is about to close has set up; returns that as a sentence."""
    if session is None or session.state_file is None or not session.tabs:
        return ""
    file, session.state_file = session.state_file, None
    context = next(iter(session.tabs.values())).page.context
    try:
        async with asyncio.timeout(KEEP_LIMIT):
            return await _save(context, file)
    except Exception:  # noqa: BLE001 - whatever keeps it from being saved: closing goes on
        return f"The state {file.stem!r} could not be saved."


async def _save(context: "BrowserContext", file: Path) -> str:
    state: Any = await context.storage_state()
    content = json.dumps(state, ensure_ascii=False).encode()
    if len(content) > MOST_BYTES:
        raise ActionError(f"The state has more than {MOST_BYTES:,} bytes.", code="too_large")
    await asyncio.to_thread(_write, file, content)
    return f"Saved the state {file.stem!r} ({_size(state)})."


def _write(file: Path, content: bytes) -> None:
    """Write a file that nobody else may read, as a whole or not at all."""
    try:
        write_atomically(file, content)
    except OSError as error:
        raise ActionError(
            f"Cannot write {str(file)!r}: {os.strerror(error.errno or 0)}.", code="state"
        ) from None


def _read(file: Path) -> dict[str, Any]:
    """Read a state in Playwright's format; raises `ActionError` (code "state")."""
    state: Any = None
    with suppress(OSError, ValueError):
        if file.stat().st_size <= MOST_BYTES:
            state = json.loads(file.read_bytes())
    if not isinstance(state, dict) or not isinstance(state.get("cookies"), list):
        raise _unusable(file)
    return state


async def _restore(context: "BrowserContext", state: dict[str, Any], file: Path) -> None:
    try:
        await context.add_cookies(state["cookies"])
        await _fill_storage(context, state.get("origins") or ())
    except (Error, TypeError, KeyError, ValueError, AttributeError):
        raise _unusable(file) from None


async def _fill_storage(context: "BrowserContext", origins: Iterable[dict[str, Any]]) -> None:
    """Put local storage back through a page that loads nothing."""
    wanted = [o for o in origins if urlsplit(o["origin"]).scheme in ("http", "https")]
    if not wanted:
        return
    page = await context.new_page()
    try:
        await page.route("**/*", _answer_empty)
        for origin in wanted[:MOST_ORIGINS]:
            await page.goto(origin["origin"])
            await page.evaluate(STORE, origin.get("localStorage", []))
    finally:
        await page.close()


async def _answer_empty(route: "Route") -> None:
    await route.fulfill(body=EMPTY, content_type="text/html")


def _unusable(file: Path) -> ActionError:
    return ActionError(
        f"{str(file)!r} is not a usable state.",
        hint="It has to be a storage state as Playwright writes it; remove it to begin anew.",
        code="state",
    )


def _told(state: dict[str, Any] | None, file: Path, *, headless: bool) -> str:
    lines = [
        f"Restored the state {file.stem!r} ({_size(state)})."
        if state is not None
        else f"There is no state {file.stem!r} yet."
    ]
    lines.append("What is there when you `close` is saved under that name.")
    if headless and state is None:
        lines.append(
            "This browser has no window to log in by hand: use the page actions, or import a "
            f"storage state as {file}."
        )
    return "\n".join(lines)


def _size(state: dict[str, Any]) -> str:
    cookies, origins = len(state["cookies"]), len(state.get("origins") or ())
    return (
        f"{cookies} cookie{'' if cookies == 1 else 's'}, "
        f"storage of {origins} site{'' if origins == 1 else 's'}"
    )

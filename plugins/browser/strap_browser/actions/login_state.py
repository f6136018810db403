"""Login states: cookies and local storage of a browser, saved and put back by name."""

import asyncio
import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import Field

from strap import ActionError, Context, Result, action, with_scheme
from strap.credentials.sealed_files import can_seal, write_sealed
from strap.text import counted
from strap_browser import interaction
from strap_browser.actions.navigate import open_url
from strap_browser.actions.params import ProfileParams
from strap_browser.cdp.errors import CdpError
from strap_browser.common.login_files import MOST_STATE, login_file, read_login
from strap_browser.pages.page_errors import unsupported_in_user_chrome
from strap_browser.settings.managed import PROFILE_NAME

if TYPE_CHECKING:
    from strap_browser.pages.caller_pages import CallerPages
    from strap_browser.pages.registry import BrowserRegistry
    from strap_browser.pages.tab import Tab

KEEP_LIMIT = 5.0
UNSEALED = (
    "Its passkeys were not saved: that needs the library 'cryptography', which encrypts the file."
)


class SetupState(ProfileParams):
    """Fields of `setup_state`."""

    state_id: str = Field(pattern=PROFILE_NAME)
    """Name of the state."""
    url: str | None = Field(default=None, max_length=20_000)
    """Page to log in at; left out: the state is saved now."""


@action("browser", effect="write", timeout=60, acts_as=("navigate",))
async def setup_state(params: SetupState, ctx: "Context[BrowserRegistry]") -> Result:
    """Save cookies and local storage under a name, or put them back and log in.

    Without `url` what the browser holds is saved now. With `url` a state saved earlier is put
    back, the page is opened for a log-in by hand or by actions, and what is there on `close` is
    saved. States are encrypted files in `states` in the data directory. A file of Playwright's
    format there is taken as a state.
    """
    file = login_file(ctx.config.home, params.state_id)
    if "user_tabs" in ctx.state.profile(ctx).driver.can:
        raise unsupported_in_user_chrome(
            "Login states are neither saved nor put back", "Use another profile."
        )
    if params.url is None:
        async with interaction.peek_page(ctx) as tab:
            return Result(text=await _save(tab, file))
    await ctx.state.guard(ctx).check(with_scheme(params.url))
    login, is_whole = await asyncio.to_thread(_read, file), True
    await ctx.state.start(ctx)
    async with interaction.using_page(ctx, leaving=True) as state:
        tab = state.tab
        if login is not None:
            is_whole = await _restore(tab, login, file)
        tab.session.state_file = file
        headless = tab.connection.endpoint.viewport is not None
    text = _report(login, file, headless=headless, is_whole=is_whole)
    return await open_url(params.url, ctx, target_id=tab.handle, note=text)


async def save_state(session: "CallerPages | None") -> str:
    """Save the state that a caller who is about to close has set up; returns that as a sentence."""
    if session is None or session.state_file is None or not session.tabs:
        return ""
    file, session.state_file = session.state_file, None
    tab = next(iter(session.tabs.values()))
    try:
        async with asyncio.timeout(KEEP_LIMIT):
            return await _save(tab, file)
    except Exception:  # noqa: BLE001 - whatever keeps it from being saved: closing goes on
        return f"The state {file.stem!r} could not be saved."


async def _save(tab: "Tab", file: Path) -> str:
    from strap_browser.engine.storage_state import read_state

    state = await read_state(tab.connection, tab.page.context)
    passkeys = () if can_seal() else state.pop("passkeys", ())
    content = await asyncio.to_thread(_encoded, state)
    await asyncio.to_thread(_write, file, content)
    text = f"Saved the state {file.stem!r} ({_size(state)})."
    return f"{text} {UNSEALED}" if passkeys else text


def _encoded(state: dict[str, Any]) -> bytes:
    content = bytearray()
    # Piece by piece in Python: one call into C would let no other thread go on until its end.
    for piece in json.JSONEncoder(ensure_ascii=False).iterencode(state):
        content += piece.encode(errors="backslashreplace")  # half a pair is \ud800 in JSON too
        if len(content) > MOST_STATE:
            raise ActionError(f"The state has more than {MOST_STATE:,} bytes.", code="too_large")
    return bytes(content)


def _write(file: Path, content: bytes) -> None:
    try:
        write_sealed(file, content)
    except OSError as error:
        raise ActionError(
            f"Cannot write {str(file)!r}: {os.strerror(error.errno or 0)}.", code="state"
        ) from None


def _read(file: Path) -> dict[str, Any] | None:
    try:
        state = read_login(file)
    except FileNotFoundError:
        return None
    if state is None:
        raise _unusable(file)
    return state


async def _restore(tab: "Tab", state: dict[str, Any], file: Path) -> bool:
    from strap_browser.engine.storage_state import write_state

    try:
        return await write_state(tab.connection, tab.page.context, state)
    except (CdpError, TypeError, KeyError, ValueError, AttributeError):
        raise _unusable(file) from None


def _unusable(file: Path) -> ActionError:
    return ActionError(
        f"{str(file)!r} is not a usable state.",
        hint="It has to be a storage state as Playwright writes it; remove it to begin anew.",
        code="state",
    )


def _report(state: dict[str, Any] | None, file: Path, *, headless: bool, is_whole: bool) -> str:
    lines = [
        f"Restored the state {file.stem!r} ({_size(state)})."
        if state is not None
        else f"There is no state {file.stem!r} yet."
    ]
    if not is_whole:
        lines.append("Its passkeys are not used: that needs a Chromium that strap launched.")
    lines.append("What is there when you `close` is saved under that name.")
    if headless and state is None:
        lines.append(
            "This browser has no window to log in by hand: use the page actions, or import a "
            f"storage state as {file}."
        )
    return "\n".join(lines)


def _size(state: dict[str, Any]) -> str:
    cookies, origins = len(state["cookies"]), len(state.get("origins") or ())
    text = f"{counted(cookies, 'cookie')}, storage of {counted(origins, 'site')}"
    passkeys = len(state.get("passkeys") or ())
    return f"{text}, {counted(passkeys, 'passkey')}" if passkeys else text

"""The action `login`: puts back a saved login, or plays the script that logs in anew."""

import asyncio
from collections.abc import Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from pydantic import Field

from strap import ActionError, Context, Result, StrapError, UsageError, action
from strap.scripts.answers import Answers
from strap.scripts.playing import play
from strap.text import counted
from strap_browser.api import PROFILE_NAME, ProfileParams
from strap_script.logins import Login, alone, login_of, refuse_foreign

if TYPE_CHECKING:
    from strap_browser.api import BrowserState

BAD = 400
"""Status of HTTP from which on a request failed (RFC 9110, 15.5)."""
REST, SHOWN, GLANCE = 3.0, 10.0, 0.5
"""Seconds for a page to rest, to show its text, and to show the field for a password."""
PASSWORD = "input[type=password]"  # noqa: S105 - a selector
STATE_TOKENS = 300
"""Size of the picture in words of the page where a login stopped."""


class LoginParams(ProfileParams):
    """Parameters of `login`."""

    state_id: str = Field(pattern=PROFILE_NAME)
    """Name of a table `[logins.NAME]` in the configuration."""


@action("browser", effect="write", timeout=600, asks_person=True, advertised=False)
async def login(params: LoginParams, ctx: "Context[BrowserState]") -> Result:
    """Put back a saved login, and log in anew with the script of `[logins.NAME]` if it has expired.

    The page named by `check` tells whether one is logged in. Afterwards the state is saved, and
    the page is open.
    """
    login_script = await asyncio.to_thread(login_of, ctx.config, params.state_id)
    async with alone(ctx.config.home, login_script):
        return await _logged_in(login_script, params, ctx)


async def _logged_in(script: Login, params: LoginParams, ctx: "Context[BrowserState]") -> Result:
    where = {"profile": params.profile, "session": ctx.handle}
    shared = {key: value for key, value in where.items() if value is not None}

    async def make(arguments: dict[str, Any]) -> Result:
        return await ctx.web(**shared | arguments)

    for line, arguments in script.calls:
        try:
            ctx.check(**shared | arguments)
        except StrapError as error:
            raise UsageError(f"line {line.number}: {error.message}", hint=error.hint) from None
    names = {"setup_state", "navigate", "wait", "snapshot"}
    names |= {str(arguments["action"]) for _, arguments in script.calls}
    await ctx.consent.by_steps({f"browser.{name}" for name in names})
    had_state = await asyncio.to_thread(refuse_foreign, ctx.config.home, script)
    opening = {"action": "setup_state", "state_id": script.state}
    why = await _missing(script, make, opening) or ("" if had_state else "There was no state.")
    if why:
        try:
            await _log_in(script, make)
        except StrapError:
            if had_state:  # whose passkeys have counted on: servers refuse older counters
                with suppress(StrapError):
                    await make(_browser(opening))
            raise
    saved = await make(_browser(opening))
    how = f"Logged in by {counted(len(script.calls), 'call')}" if why else "Still logged in"
    data = {"state_id": script.state, "replayed": bool(why), "url": script.check}
    return Result(text=f"{how}: {script.check} is shown. {saved.text}", data=data)


async def _log_in(login: Login, make: Any) -> None:
    failure = await play(login.calls, Answers(make).make)
    if failure is not None:
        raise ActionError(
            f"The script of the login {login.name!r} failed. {failure}",
            hint=await _page_now(make),
            code=failure.code or "login",
        )
    if why := await _missing(login, make, {"action": "navigate"}):
        raise ActionError(
            f"The script of the login {login.name!r} was played, and no login came of it: {why}",
            hint=await _page_now(make),
            code="login",
        )


async def _missing(login: Login, make: Any, opening: Mapping[str, Any]) -> str:
    """Open the page that is shown after a login; returns why it is not, "" if it is."""
    opened = await make(_browser({**opening, "url": login.check}))
    status = (opened.data or {}).get("status") or 0
    if status >= BAD:
        return f"{login.check} is answered with the HTTP status {status}."
    shown = {"text": login.text} if login.text else {}
    if not shown:
        with suppress(StrapError):  # one that asks for news all the time never rests
            await make(_browser({"action": "wait", "timeout": REST}))
    try:
        limit = SHOWN if shown else GLANCE
        await make(_browser({"action": "wait", "url": login.check, "timeout": limit, **shown}))
    except StrapError as error:
        return error.message
    if not shown:
        with suppress(StrapError):
            await make(_browser({"action": "wait", "selector": PASSWORD, "timeout": GLANCE}))
            return f"{login.check} asks for a password."
    return ""


async def _page_now(make: Any) -> str:
    with suppress(StrapError):
        seen = await make(_browser({"action": "snapshot", "max_tokens": STATE_TOKENS}))
        return f"The page now: {seen.text}"
    return ""


def _browser(arguments: Mapping[str, Any]) -> dict[str, Any]:
    return {"resource": "browser", **arguments}

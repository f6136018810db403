"""The cookies of the caller's browser: told without their secrets, set and deleted."""

from contextlib import suppress
from email.utils import parsedate_to_datetime
from time import time
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from pydantic import Field

from strap import ActionError, Context, Result, UsageError, action, cut
from strap.evidence.redaction import masked
from strap.text import counted
from strap_browser import interaction
from strap_browser.actions.params import BrowserParams
from strap_browser.cdp.errors import ProtocolError

if TYPE_CHECKING:
    from strap_browser.engine.context import BrowserContext, Cookie
    from strap_browser.engine.page import Page
    from strap_browser.pages.registry import BrowserRegistry

CLEAR = "clear"
INVALID_PARAMS = -32602
"""Error code of a browser that refuses a cookie (JSON-RPC 2.0, 5.1)."""
LONG_AGO = 1.0
"""The end of what is to be deleted, in seconds since 1970."""
PLAIN = 16
"""Longest value that is shown: credentials are longer."""
SAME_SITE: dict[str, Any] = {"strict": "Strict", "lax": "Lax", "none": "None"}


class Cookies(BrowserParams):
    """Fields of `cookies`."""

    value: str | None = Field(default=None, max_length=5_000)
    """`clear` to delete them, or one to set: `name=value; Path=/; Max-Age=3600`."""
    text: str | None = Field(default=None, max_length=1_000)
    """Part of a name or domain; left out: those of the page's site."""


@action("browser", effect="write", asks_person=True)
async def cookies(params: Cookies, ctx: "Context[BrowserRegistry]") -> Result:
    """List, set or delete cookies.

    Values are masked where they may be credentials: HttpOnly ones, and those of more than 16
    characters. A cookie is set for the host of the current page.
    """
    async with interaction.peek_page(ctx) as tab:
        page, url = tab.page, tab.page.url
        if params.value is not None and params.value.strip().lower() != CLEAR:
            if params.text is not None:
                raise UsageError("text is for listing and for value='clear'.")
            cookie = parse(params.value, url)
            await _set(page.context, cookie)
            done = "Deleted" if 0 < cookie.get("expires", -1) <= time() else "Set"
            return Result(text=f"{done} the cookie {cookie['name']!r} for {cookie['domain']}.")
        matches = await _find(page, url, params.text)
        if params.value is not None:
            for match in matches:
                gone = {key: match[key] for key in ("name", "domain", "path")}
                await page.session.send("Network.deleteCookies", **gone)
            return Result(text=f"Deleted {counted(len(matches), 'cookie')}.")
        return _listed(matches, url, params.text, ctx)


async def _set(context: "BrowserContext", cookie: dict[str, Any]) -> None:
    try:
        await context.add_cookies([cookie])
    except ProtocolError as error:
        if error.code not in (INVALID_PARAMS, 0):  # 0: through Playwright, which tells no codes
            raise
        raise UsageError(
            f"The browser does not take the cookie {cookie['name'][:80]!r}.",
            hint="Path begins with /, name and value have at most 4,096 characters; "
            "__Host- and __Secure- need Secure and https.",
        ) from None


def parse(written: str, url: str) -> dict[str, Any]:
    """Read a cookie as `Set-Cookie` writes it, for the host of `url` alone (RFC 6265)."""
    from http.cookies import CookieError, SimpleCookie

    host = urlsplit(url).hostname
    if not host:
        raise ActionError(
            "A cookie belongs to a site.", hint="Open its page with navigate first.", code="no_page"
        )
    try:
        jar = SimpleCookie(written.strip())
    except CookieError:
        jar = SimpleCookie()
    if len(jar) != 1:
        raise UsageError(
            f"value={written[:80]!r} is not one cookie.",
            hint="Write value='name=value', or value='clear' to delete cookies.",
        )
    ((name, morsel),) = jar.items()
    cookie: dict[str, Any] = {
        "name": name,
        "value": morsel.value,
        "domain": host,
        "path": morsel["path"] or "/",
        "httpOnly": bool(morsel["httponly"]),
        "secure": bool(morsel["secure"]),
    }
    if morsel["samesite"].lower() in SAME_SITE:
        cookie["sameSite"] = SAME_SITE[morsel["samesite"].lower()]
    if (ends := _end(morsel["max-age"], morsel["expires"])) is not None:
        cookie["expires"] = ends
    return cookie


def _end(seconds: str, date: str) -> float | None:
    with suppress(ValueError):
        return max(LONG_AGO, time() + int(seconds))
    with suppress(ValueError, OverflowError):
        return max(LONG_AGO, parsedate_to_datetime(date).timestamp())
    return None


async def _find(page: "Page", url: str, text: str | None) -> "list[Cookie]":
    from strap_browser.engine.context import read_cookie

    if text is None:
        if not urlsplit(url).hostname:
            return []
        answer = await page.session.send("Network.getCookies", urls=[url])
        return [read_cookie(cookie) for cookie in answer["cookies"]]
    folded_text = text.casefold()
    everything = await page.context.cookies()
    return [c for c in everything if folded_text in f"{c['name']} {c['domain']}".casefold()]


def _listed(
    matches: "list[Cookie]", url: str, text: str | None, ctx: "Context[BrowserRegistry]"
) -> Result:
    if not matches:
        of = f"with {text!r} in name or domain" if text else f"for {urlsplit(url).hostname or url}"
        return Result(text=f"No cookies {of}.")
    lines = [_line(cookie) for cookie in matches]
    head, rest = cut("\n".join(lines), interaction.response_for(ctx).tokens - 40)
    if rest:
        head += f"\n… {rest.count(chr(10)) + 1} more: filter by text, or raise max_tokens"
    return Result(text=head, data=[cookie["name"] for cookie in matches])


def _line(cookie: "Cookie") -> str:
    value = cookie["value"]
    secret = cookie["httpOnly"] or len(value) > PLAIN
    flags = [name for name in ("secure", "httpOnly") if cookie.get(name)]
    expires = cookie["expires"]
    lasts = "session" if expires < 0 else f"{max(0.0, expires - time()) / 86_400:.3g} days"
    shown = masked(value) if secret else value
    return " ".join((f"{cookie['name']}={shown}", cookie["domain"] + cookie["path"], lasts, *flags))

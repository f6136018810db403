"""A browser context: pages that share cookies and storage, and nothing with those of others."""

from collections.abc import Collection, Iterable, Mapping
from contextlib import suppress
from typing import Any
from urllib.parse import urlsplit

from strap_browser.cdp.connection import CdpSession
from strap_browser.cdp.errors import CdpError, ProtocolError
from strap_browser.engine.passkeys import Passkeys

Cookie = dict[str, Any]
"""A cookie in Playwright's format: name, value, domain, path, expires (seconds since 1970, -1 for
the end of the session), httpOnly, secure, sameSite."""
FIELDS = ("name", "value", "domain", "path", "expires", "httpOnly", "secure", "sameSite")
SESSION = -1
LAX = "Lax"
"""SameSite of a cookie that names none (RFC 6265bis, 5.6.7)."""


class BrowserContext:
    """A context by its id, "" for that of the browser's own profile."""

    def __init__(self, browser: CdpSession, context_id: str = "") -> None:
        self.id = context_id
        self.logins: set[str] = set()
        """Hosts with cookies or storage that were there before the model began; "" is every one."""
        self.origins: dict[str, None] = {}
        """Origins of the documents that its pages had, in the order in which they came."""
        self.passkeys: Passkeys | None = None
        """None: pages have no authenticator of strap's."""
        self._browser = browser

    @property
    def _of(self) -> dict[str, str]:
        return {"browserContextId": self.id} if self.id else {}

    async def new_target(self, url: str) -> str:
        """Open a page and return its id; raises `CdpError`."""
        made = await self._browser.send("Target.createTarget", url=url, **self._of)
        return str(made["targetId"])

    async def set_permission(self, name: str, setting: str) -> None:
        """Grant pages a permission, or have them ask again; raises `CdpError`."""
        how = {"permission": {"name": name}, "setting": setting}
        await self._browser.send("Browser.setPermission", **how, **self._of)

    def allow_copying(self) -> None:
        """Let pages write to the clipboard, which a headless shell refuses, asking nobody."""
        how = {"permission": {"name": "clipboard-write"}, "setting": "granted"}
        self._browser.send("Browser.setPermission", **how, **self._of)

    async def equip(self, session: CdpSession) -> None:
        """Give a page the passkeys of the context; one that refuses them has none."""
        if self.passkeys is not None:
            with suppress(ProtocolError):
                await self.passkeys.join(session)

    async def note_logins(self, *, everywhere: bool) -> None:
        """Take what is there now for what was there before the model began.

        Every site counts with `everywhere`, and where the browser does not tell it.
        """
        if everywhere:
            self.logins.add("")
            return
        try:
            self.logins.update(cookie["domain"].lstrip(".") for cookie in await self.cookies())
        except CdpError:
            self.logins.add("")

    def has_login(self, url: str) -> bool:
        """Whether a site got, or may have got, credentials from before the model began."""
        return has_login(url, self.logins)

    async def cookies(self) -> list[Cookie]:
        """Return all cookies; raises `CdpError`."""
        answer = await self._browser.send("Storage.getCookies", **self._of)
        return [read_cookie(cookie) for cookie in answer["cookies"]]

    async def add_cookies(self, cookies: Iterable[Cookie]) -> None:
        """Set cookies; raises `ProtocolError` where the browser does not take one of them."""
        written = [_written(cookie) for cookie in cookies]
        if written:
            await self._browser.send("Storage.setCookies", cookies=written, **self._of)

    async def aclose(self) -> None:
        """Close the context with its pages; raises `CdpError`."""
        await self._browser.send("Target.disposeBrowserContext", browserContextId=self.id)


def has_login(url: str, hosts: Collection[str]) -> bool:
    """Whether credentials for these hosts go to an address: also for one below, "" is every one."""
    try:
        host = urlsplit(url).hostname or ""
    except ValueError:
        return True
    labels = host.split(".")
    return any(".".join(labels[n:]) in hosts for n in range(len(labels) + 1))


def login_hosts(state: Mapping[str, Any]) -> set[str]:
    """Return the hosts of which a storage state has cookies or storage."""
    urls = [cookie.get("url") or f"//{cookie['domain'].lstrip('.')}" for cookie in state["cookies"]]
    urls += (origin["origin"] for origin in state.get("origins") or ())
    return {urlsplit(url).hostname or "" for url in urls}


def read_cookie(raw: Mapping[str, Any]) -> Cookie:
    """Return a cookie as the protocol tells it (`Network.Cookie`)."""
    cookie = {"sameSite": LAX, **{key: raw[key] for key in FIELDS if key in raw}}
    if raw.get("session"):
        cookie["expires"] = SESSION
    if isinstance(key := raw.get("partitionKey"), dict):
        cookie["partitionKey"] = key["topLevelSite"]
        cookie["_crHasCrossSiteAncestor"] = key.get("hasCrossSiteAncestor", False)
    return cookie


def _written(cookie: Cookie) -> dict[str, Any]:
    params = {key: cookie[key] for key in (*FIELDS, "url") if key in cookie}
    if params.get("expires") == SESSION:
        del params["expires"]
    if isinstance(site := cookie.get("partitionKey"), str):
        across = bool(cookie.get("_crHasCrossSiteAncestor"))
        params["partitionKey"] = {"topLevelSite": site, "hasCrossSiteAncestor": across}
    return params

"""Cookies: the domains Storage and Network, by the storage of WebDriver BiDi."""

from typing import Any
from urllib.parse import urlsplit

from strap_firefox.session import FirefoxSession
from strap_firefox.tables import DEFAULT

Params = dict[str, Any]
SAME_SITE = {"Lax": "lax", "None": "none", "Strict": "strict"}
WORDS = {word: name for name, word in SAME_SITE.items()}


async def all_cookies(firefox: FirefoxSession, _: str, params: Params) -> Params:
    """`Storage.getCookies`."""
    return {"cookies": await _cookies(firefox, params.get("browserContextId", DEFAULT))}


async def page_cookies(firefox: FirefoxSession, page: str, params: Params) -> Params:
    """`Network.getCookies`: those that requests for some addresses carry."""
    known = await _cookies(firefox, firefox.contexts[page].user_context)
    urls = [urlsplit(url) for url in params["urls"]]
    return {"cookies": [cookie for cookie in known if any(_goes_to(cookie, url) for url in urls)]}


async def _cookies(firefox: FirefoxSession, user_context: str) -> list[Params]:
    partition = {"type": "storageKey", "userContext": user_context}
    answer = await firefox.bidi.send("storage.getCookies", partition=partition)
    return [_read(cookie) for cookie in answer["cookies"]]


def _read(raw: Params) -> Params:
    cookie = {key: raw[key] for key in ("name", "domain", "path", "httpOnly", "secure")}
    cookie["value"] = raw["value"]["value"]
    cookie["session"] = "expiry" not in raw
    cookie["expires"] = raw.get("expiry", -1)
    same_site = WORDS.get(raw["sameSite"])
    return cookie | ({"sameSite": same_site} if same_site else {})


def _goes_to(cookie: Params, url: Any) -> bool:
    host, domain = url.hostname or "", cookie["domain"]
    below_domain = domain.startswith(".") and host.endswith(domain)
    fits = below_domain or host == domain.removeprefix(".")
    path, of = url.path or "/", cookie["path"]
    below = path == of or path.startswith(of.rstrip("/") + "/")
    return fits and below and (url.scheme == "https" or not cookie["secure"])


async def set_cookies(firefox: FirefoxSession, _: str, params: Params) -> Params:
    """`Storage.setCookies`."""
    partition = {"type": "storageKey", "userContext": params.get("browserContextId", DEFAULT)}
    for cookie in params["cookies"]:
        await firefox.bidi.send("storage.setCookie", cookie=_written(cookie), partition=partition)
    return {}


def _written(cookie_params: Params) -> Params:
    url = urlsplit(cookie_params.get("url", ""))
    cookie = {
        "name": cookie_params["name"],
        "value": {"type": "string", "value": cookie_params["value"]},
        "domain": cookie_params.get("domain") or url.hostname,
        "path": cookie_params.get("path", "/"),
        "httpOnly": cookie_params.get("httpOnly", False),
        "secure": cookie_params.get("secure", url.scheme == "https"),
    }
    if cookie_params.get("sameSite") in SAME_SITE:
        cookie["sameSite"] = SAME_SITE[cookie_params["sameSite"]]
    if "expires" in cookie_params:
        cookie["expiry"] = int(cookie_params["expires"])
    return cookie


async def delete_cookies(firefox: FirefoxSession, page: str, params: Params) -> Params:
    """`Network.deleteCookies`."""
    filter_ = {key: params[key] for key in ("name", "domain", "path") if key in params}
    if "domain" not in filter_ and "url" in params:
        filter_["domain"] = urlsplit(params["url"]).hostname
    partition = {"type": "storageKey", "userContext": firefox.contexts[page].user_context}
    await firefox.bidi.send("storage.deleteCookies", filter=filter_, partition=partition)
    return {}


COMMANDS = {
    "Network.deleteCookies": delete_cookies,
    "Network.getCookies": page_cookies,
    "Storage.getCookies": all_cookies,
    "Storage.setCookies": set_cookies,
}

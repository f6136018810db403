"""Cookies: those of the sites in granted tabs, and no others of the user's."""

from collections.abc import Iterable, Mapping
from typing import Any
from urllib.parse import urlsplit

Params = Mapping[str, Any]
READS = frozenset({"Network.getAllCookies", "Network.getCookies", "Storage.getCookies"})
WRITES = frozenset({
    "Network.deleteCookies", "Network.setCookie", "Network.setCookies", "Storage.setCookies",
})  # fmt: skip


def own_cookies(answer: Mapping[str, Any], urls: Iterable[str]) -> dict[str, Any]:
    """Return the answer of one of `READS`, with the cookies alone that the pages at `urls` have."""
    hosts = _hosts(urls)
    cookies = [c for c in answer.get("cookies", []) if _belongs(str(c.get("domain", "")), hosts)]
    return {**answer, "cookies": cookies}


def cookie_refusal(method: str, params: Params, urls: Iterable[str]) -> str:
    """Return why a method of `WRITES` is refused, '' if all its cookies are of pages at `urls`."""
    if method not in WRITES:
        return ""
    hosts = _hosts(urls)
    cookies = params.get("cookies", [params])
    if not isinstance(cookies, list):
        return "cookies is a list."
    for cookie in cookies:
        domains = [cookie["domain"]] if cookie.get("domain") else []
        domains += [urlsplit(str(cookie["url"])).hostname] if cookie.get("url") else []
        if not domains or not all(_belongs(str(domain), hosts) for domain in domains):
            return "The relay changes cookies of the sites in granted tabs only."
    return ""


def _hosts(urls: Iterable[str]) -> set[str]:
    hosts = set()
    for url in urls:
        try:
            hosts.add(urlsplit(url).hostname or "")
        except ValueError:
            continue
    return hosts - {""}


def _belongs(domain: str, hosts: set[str]) -> bool:
    """Whether a page at one of `hosts` gets a cookie of `domain` (RFC 6265, 5.1.3)."""
    domain = domain.lower().removeprefix(".")
    return any(host == domain or host.endswith(f".{domain}") for host in hosts) and domain != ""

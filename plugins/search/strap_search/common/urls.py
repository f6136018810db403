"""URLs of results: which lead to a web page, which to the same one, which to a given site."""

import re
from urllib.parse import urlsplit

from strap.html_tree import joined

_TRACKING = ("utm_", "fbclid=", "gclid=", "msclkid=")
_HOST = re.compile(r"[a-z0-9-]+(\.[a-z0-9-]+)*")


def web_page(url: str) -> str | None:
    """Return `url` whole, blanks escaped; None if it leads to no web page."""
    url = url.strip()
    if url.startswith("//"):
        url = f"https:{url}"
    if not url.isprintable():
        return None
    url = joined("", url)  # some have blanks in their paths
    if " " in url:
        return None
    try:
        parts = urlsplit(url)
    except ValueError:
        return None
    return url if parts.scheme in ("http", "https") and parts.hostname else None


def same_page(url: str) -> str:
    """Return a key that is equal for URLs of one page, whatever its `www.`, slash or tracking."""
    parts = urlsplit(url)
    host = parts.netloc.lower().removeprefix("www.")
    fields = [f for f in parts.query.split("&") if f and not f.lower().startswith(_TRACKING)]
    route = parts.fragment if parts.fragment.startswith(("!", "/")) else ""
    return f"{host}{parts.path.rstrip('/')}?{'&'.join(fields)}#{route}"


def site(text: str) -> str:
    """Return the host, in ASCII and perhaps with a path, that `text` names; raises `ValueError`."""
    url = web_page(text if "://" in text else f"https://{text.strip()}")
    parts = urlsplit(url or "")
    try:
        host = parts.netloc.strip(".").encode("idna").decode("ascii").lower()
    except UnicodeError:
        host = ""
    if not _HOST.fullmatch(host) or parts.query or parts.fragment:
        raise ValueError("must be a host as in example.com, or a host and a path")
    return f"{host}{parts.path.rstrip('/')}"


def sites(text: str) -> str:
    """Return the sites of a list with commas, `-` leaving one out; raises `ValueError`."""
    named = (item.strip() for item in text.split(","))
    return ",".join(f"-{site(item[1:])}" if item.startswith("-") else site(item) for item in named)


def on_site(url: str, place: str) -> bool:
    """Whether `url` is on the host `place` or below it, and under its path if it has one."""
    host, slash, path = place.partition("/")
    parts = urlsplit(url)
    below = f".{parts.hostname}".endswith(f".{host}")
    return below and (not slash or f"{parts.path}/".startswith(f"/{path}/"))

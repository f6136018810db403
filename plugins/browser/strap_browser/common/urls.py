"""Addresses as they may be shown and stored, and what can be told from them."""

import re
from urllib.parse import urlsplit

LONGEST = 2_000
WEB = ("http", "https")
SCHEME = re.compile(r"^([a-z][a-z0-9+.-]*):(?!\d+([/?#]|$))", re.IGNORECASE)
BLANK = re.compile(r"about:blank([?#].*)?", re.IGNORECASE)
PASSING = ("chrome-error:", "chrome://newtab", "chrome://new-tab-page")
LEFT_OUT = str.maketrans("", "", "\t\r\n")
PADDING = "".join(map(chr, range(0x21)))
"""Characters that browsers remove within an address, and at its ends."""
NOISE_HOSTS = frozenset(
    {
        "google-analytics.com", "googletagmanager.com", "doubleclick.net", "hotjar.com",
        "segment.io", "segment.com", "mixpanel.com", "sentry.io", "facebook.net",
        "newrelic.com", "nr-data.net", "clarity.ms", "fullstory.com", "amplitude.com",
    }
)  # fmt: skip
NOISE_WORDS = frozenset({"analytics", "telemetry", "tracking", "beacon", "metrics", "favicon"})


def fits_pattern(pattern: str, text: str) -> bool:
    """Whether `pattern`, in which `*` stands for any text, is all of `text`: in linear time."""
    first, *rest = pattern.split("*")
    if not rest:
        return text == pattern
    last = rest.pop()
    if len(text) < len(first) + len(last) or not (text.startswith(first) and text.endswith(last)):
        return False
    at, end = len(first), len(text) - len(last)
    for piece in rest:
        at = text.find(piece, at, end)
        if at < 0:
            return False
        at += len(piece)
    return True


def loggable_url(url: str) -> str:
    """Return `url` without user, query and fragment, cut to `LONGEST` characters.

    Of other schemes than the web's only the name.
    """
    try:
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port
    except ValueError:
        return ""
    if parts.scheme not in (*WEB, "ws", "wss"):
        return f"{parts.scheme}:" if parts.scheme else ""
    host = f"[{host}]" if ":" in host else host
    return f"{parts.scheme}://{host}{f':{port}' if port else ''}{parts.path}"[:LONGEST]


def without_query(url: str) -> str:
    """Return an address as a caller gave it, without user, query and fragment."""
    return loggable_url(url) if is_web(url) else re.split("[?#]", url, maxsplit=1)[0][:LONGEST]


def is_web(url: str) -> bool:
    """Whether a page of this address was fetched from somewhere."""
    return url.partition(":")[0].lower() in WEB


def origin_of(url: str) -> str:
    """Return the origin of a web address as a browser writes it, "" of any other."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return ""
    is_origin = parts.scheme in WEB and parts.netloc
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}" if is_origin else ""


def unopened(url: str) -> str:
    """Return why the agent does not get to an address; empty for those of the web and blank."""
    address = url.translate(LEFT_OUT).strip(PADDING)
    match = SCHEME.match(address)
    if match is None:
        return "An address begins with http:// or https://."
    scheme = match[1].lower()
    if scheme in WEB or BLANK.fullmatch(address):
        return ""
    return f"{scheme[:40]}: addresses are not opened, only http: and https:."


def is_passing(url: str) -> bool:
    """Whether a page is of this address only until it is led somewhere, or as nothing was found."""
    return not url or url == ":" or url.startswith(PASSING)


def site(url: str) -> str:
    """Return the last two labels of the host, or the whole of an address."""
    try:
        host = urlsplit(url).hostname or ""
    except ValueError:
        return ""
    labels = host.split(".")
    numeric = ":" in host or labels[-1].isdigit()
    return host if numeric else ".".join(labels[-2:])


def is_noise(url: str) -> bool:
    """Whether an address is that of analytics and the like: host and path by whole words."""
    if site(url) in NOISE_HOSTS:
        return True
    try:
        parts = urlsplit(url)
    except ValueError:
        return False
    words = (parts.hostname or "").split(".") + parts.path.lower().replace(".", "/").split("/")
    return not NOISE_WORDS.isdisjoint(words)

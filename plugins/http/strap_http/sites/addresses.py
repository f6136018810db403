"""URLs of pages: which are the same, which belong to a site, which are no pages."""

import re
from secrets import token_hex
from urllib.parse import urldefrag, urlsplit, urlunsplit

from strap import record
from strap.network.urls import without_dot_segments

_SESSION = re.compile(
    r"(?:.*[_.-])?(?:s|sess|session)[_.-]?id|session|sess|phpsessid|jsessionid|aspsessionid\w*|cfid|cftoken",
    re.IGNORECASE,
)
_TRACKING = re.compile(r"utm_\w+|fbclid|gclid|msclkid|mc_[ce]id|_ga|igshid|yclid", re.IGNORECASE)
_IN_PATH = re.compile(r";jsessionid=[^/?#]*|/\(s\([^()/]*\)\)", re.IGNORECASE)
_SEARCH = re.compile(
    r"/(?:search|suche|recherche|buscar?|zoeken|sok|szukaj|cerca|find)(?:[_-]?results?)?(?:\.\w+)?/?",
    re.IGNORECASE,
)
_TERM = re.compile(
    r"q|s|qs|wd|search\w*|(?:\w+[_.-])?(?:query|text|terms?|key|keys|keywords?|words?|such(?:e|wort|begriff)"
    r"|recherche|buscar?|zoek(?:en|term)?|sok|szukaj|cerca)",
    re.IGNORECASE,
)
_ORDER = re.compile(
    r"sort(?:ed)?(?:[_-]?(?:by|column|dir|direction|field|key|order))?|order[_-]?(?:by|dir|direction)",
    re.IGNORECASE,
)
_PORTS = {"http": "80", "https": "443"}
_NO_PAGE = re.compile(
    r"\.(?:avif|bmp|gif|ico|jpe?g|png|svgz?|tiff?|webp|aac|flac|m4a|mp3|ogg|wav|avi|m4v|mkv|mov|mp4"
    r"|mpe?g|webm|wmv|7z|apk|bin|br|bz2|deb|dmg|exe|gz|iso|jar|msi|rar|rpm|tar|tgz|whl|xz|zip|zst"
    r"|css|eot|js|map|mjs|otf|ttf|wasm|woff2?)$",
    re.IGNORECASE,
)


def canonical(url: str) -> str:
    """Return `url` without fragment, tracking, session ids and default port; "" unless http."""
    try:
        parts = urlsplit(urldefrag(url)[0])
        host = parts.hostname or ""
        port = parts.port
    except ValueError:
        return ""
    if parts.scheme not in _PORTS or not host:
        return ""
    host = f"[{host}]" if ":" in host else host
    netloc = host if port is None or str(port) == _PORTS[parts.scheme] else f"{host}:{port}"
    fields = (field for field in parts.query.split("&") if field and not _is_needless(field))
    path = without_dot_segments(_IN_PATH.sub("", parts.path))
    return urlunsplit((parts.scheme, netloc, path, "&".join(fields), ""))


def host(url: str) -> str:
    """Return the host of `url` with its port, as it writes them; empty where it has none."""
    try:
        return urlsplit(url).netloc.lower()
    except ValueError:
        return ""


def key(url: str) -> str:
    """Return what is equal for canonical URLs that differ in the order of their fields alone."""
    base, _, query = url.partition("?")
    return f"{base}?{'&'.join(sorted(query.split('&')))}" if query else base


def names(url: str) -> tuple[str, ...]:
    """The names of the fields in the query of `url`, sorted."""
    query = urlsplit(url).query
    return tuple(sorted({field.partition("=")[0] for field in query.split("&") if field}))


def is_page(url: str) -> bool:
    """Whether `url` may lead to something to read, by the end of its path."""
    return _NO_PAGE.search(urlsplit(url).path) is None


def is_search(url: str) -> bool:
    """Whether `url` leads to search results: the end of its path says so, its query has a term."""
    path = urlsplit(url).path
    place = path[path.rstrip("/").rfind("/") :]
    return bool(_SEARCH.fullmatch(place)) and any(map(_TERM.fullmatch, names(url)))


def is_sorted(url: str) -> bool:
    """Whether `url` leads to a list in an order that it names: by a field of its query."""
    return any(map(_ORDER.fullmatch, names(url)))


def unheard_of(url: str) -> str:
    """Return an address beside `url` that nobody can have named."""
    parts = urlsplit(url)
    folder, _, name = parts.path.rstrip("/").rpartition("/")
    end = parts.path[len(folder) + len(name) + 1 :]
    return urlunsplit((parts.scheme, parts.netloc, f"{folder}/{token_hex(8)}{end}", "", ""))


def _is_needless(field: str) -> bool:
    name = field.partition("=")[0]
    return bool(_SESSION.fullmatch(name) or _TRACKING.fullmatch(name))


@record
class Scope:
    """Scope of a crawl: an origin, and the path that all its pages are below."""

    origin: str
    path: str

    @classmethod
    def below(cls, url: str) -> "Scope":
        """The scope of what stands in the same folder as the canonical `url`, or below."""
        parts = urlsplit(url)
        folder = parts.path[: parts.path.rfind("/") + 1] or "/"
        return cls(origin=f"{parts.scheme}://{parts.netloc}", path=folder)

    def __str__(self) -> str:
        return self.origin + self.path

    def has(self, url: str) -> bool:
        """Whether the canonical `url` belongs to it."""
        parts = urlsplit(url)
        same = f"{parts.scheme}://{parts.netloc}" == self.origin
        return same and f"{parts.path}/".startswith(self.path)

"""Strict URL parsing: one reading of scheme, host and port, or a refusal."""

import re
from ipaddress import AddressValueError, IPv4Address, IPv6Address
from urllib.parse import quote, urlsplit

from strap.errors import PolicyDenied, StartupError, StrapError, UsageError
from strap.network.addresses import Address
from strap.records import record

MAX_URL = 65_536
"""Longest URL, in characters: playgrounds keep programs in the fragment. Browsers take 2 MB."""
DEFAULT_PORTS = {"http": 80, "https": 443, "ws": 80, "wss": 443}

_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.\-]*):(.*)", re.DOTALL)
_HIERARCHICAL = re.compile(r"//([^/?#]*)([/?#].*)?", re.DOTALL)
_AUTHORITY = re.compile(r"(\[[0-9A-Fa-f:.]+\]|[^\[\]:@%]+)(?::([0-9]*))?")
_LABEL = re.compile(r"[a-z0-9_-]{1,63}")
_NUMBER = re.compile(r"[0-9]+|0[xX][0-9A-Fa-f]*")
# In `localhost:3000` a port follows the colon, and no scheme stands before it.
_WITH_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:(?!\d+(?:[/?#]|$))")
# Local names, addresses, and ports other than those of HTTPS: what browsers do not upgrade either.
_PLAIN = re.compile(
    r"(?:localhost|[^/?#:]*\.localhost|[\d.]+|\[[^\]]*\]|[^/?#:]+:(?!(?:443|8443)(?:[/?#]|$))\d+)"
    r"(?:[:/?#]|$)"
)
# C0 and C1 controls, lone surrogates, and the backslash that browsers take for a slash.
_FORBIDDEN = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff\\]")
# What RFC 3986 allows in a path, query or fragment, and "%" for what is encoded already.
_SAFE = "/?#[]@!$&'()*+,;=:%-._~"
# https://fetch.spec.whatwg.org/#port-blocking
_BAD_PORTS = frozenset(
    (
        0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101,
        102, 103, 104, 109, 110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389,
        427, 465, 512, 513, 514, 515, 526, 530, 531, 532, 540, 548, 554, 556, 563, 587, 601, 636,
        989, 990, 993, 995, 1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665,
        6666, 6667, 6668, 6669, 6679, 6697, 10080,
    )
)  # fmt: skip


@record
class ParsedURL:
    """A URL in canonical form; `disguised` tells that its host was written otherwise."""

    url: str
    scheme: str
    host: str
    port: int
    address: Address | None
    disguised: bool

    @property
    def bad_port(self) -> bool:
        """Whether the port belongs to a protocol that HTTP requests can be smuggled into."""
        return self.port in _BAD_PORTS


def with_scheme(url: str) -> str:
    """Complete `localhost:3000` to http, `example.com` to https, as browsers do."""
    url = url.strip()
    if _WITH_SCHEME.match(url) or not url or url.startswith(("/", "?", "#", ".")):
        return url
    return f"{'http' if _PLAIN.match(url) else 'https'}://{url}"


def without_dot_segments(path: str) -> str:
    """Return `path` without dot segments, encoded or not: what is checked must be what is sent."""
    resolved: list[str] = []
    plain = ""
    for segment in path.removeprefix("/").split("/"):
        plain = segment.lower().replace("%2e", ".")
        if plain == "..":
            del resolved[-1:]
        elif plain != ".":
            resolved.append(segment)
    if plain in (".", ".."):
        resolved.append("")
    return "/" + "/".join(resolved)


def shown(url: str) -> str:
    """The URL as messages quote it."""
    return repr(url if len(url) <= 200 else f"{url[:197]}…")


def parse(url: str, schemes: tuple[str, ...]) -> ParsedURL:
    """Parse an absolute URL; raises `UsageError` if unclear, `PolicyDenied` for other `schemes`."""
    url = url.strip(" \t\r\n")
    if len(url) > MAX_URL:
        raise _invalid(url, f"is longer than {MAX_URL:,} characters")
    if _FORBIDDEN.search(url):
        raise _invalid(url, "contains a backslash or a character that is not text")
    scheme, rest = _split_scheme(url, schemes)
    match = _HIERARCHICAL.fullmatch(rest)
    if match is None:
        raise _invalid(url, f"lacks the '//' after '{scheme}:'")
    authority, tail = match.group(1), match.group(2) or "/"
    host_text, port = _split_authority(url, authority, scheme)
    _agree_with_urlsplit(url, host_text, port)
    host, address, disguised = _parse_host(url, host_text)
    port = DEFAULT_PORTS[scheme] if port is None else port
    path = re.split(r"[?#]", tail, maxsplit=1)[0]
    tail = without_dot_segments(path) + tail[len(path) :]
    bracketed = f"[{host}]" if address is not None and address.version == 6 else host
    suffix = "" if port == DEFAULT_PORTS[scheme] else f":{port}"
    return ParsedURL(
        url=f"{scheme}://{bracketed}{suffix}{quote(tail, safe=_SAFE)}",
        scheme=scheme,
        host=host,
        port=port,
        address=address,
        disguised=disguised,
    )


def allowed(entry: str) -> tuple[str, int]:
    """Return host and port of an entry of `allow_hosts`; raises `StartupError` for another form."""
    try:
        parsed = parse(f"http://{entry}/", ("http",))
    except StrapError:
        parsed = None
    if parsed is None or parsed.disguised or not entry.endswith(f":{parsed.port}"):
        raise StartupError(
            f"{entry!r} in allow_hosts is not an exact host:port.",
            hint="Write it as in '10.0.0.5:8080', '[::1]:3000' or 'wiki.corp:443'.",
        )
    return parsed.host, parsed.port


def _invalid(url: str, why: str, hint: str = "Write it as in 'https://host/path'.") -> UsageError:
    return UsageError(f"{shown(url)} {why}.", hint=hint, code="invalid_url")


def _split_scheme(url: str, schemes: tuple[str, ...]) -> tuple[str, str]:
    match = _SCHEME.fullmatch(url)
    scheme = match.group(1).lower() if match else ""
    if match and scheme in schemes:
        return scheme, match.group(2)
    host_and_port = scheme == "localhost" or "." in scheme
    if not match or host_and_port:
        completed = with_scheme(url)
        named = completed != url and (host_and_port or "." in url.partition("/")[0])
        hint = f"Write {shown(completed)}." if named else "Write 'https://…'."
        raise _invalid(url, "is not an absolute URL", hint)
    raise PolicyDenied(
        f"The scheme {scheme!r} of {shown(url)} is not allowed.",
        hint=f"Allowed: {', '.join(schemes)}.",
        code="blocked_scheme",
    )


def _split_authority(url: str, authority: str, scheme: str) -> tuple[str, int | None]:
    if "@" in authority:
        raise UsageError(
            f"The URL carries a user name or a password before the host ({scheme}://…@…).",
            hint="Leave it out; send an Authorization header where credentials are needed.",
            code="userinfo",
        )
    if not authority:
        raise _invalid(url, "has no host")
    match = _AUTHORITY.fullmatch(authority)
    if match is None:
        raise _invalid(url, "has no valid host and port")
    host, digits = match.group(1), match.group(2)
    port = int(digits) if digits and len(digits) <= 5 else None
    if digits and (port is None or not 0 < port < 65_536):
        raise _invalid(url, "has a port outside 1-65535")
    return host, port


def _agree_with_urlsplit(url: str, host: str, port: int | None) -> None:
    """Refuse what the standard library reads differently: other libraries would, too."""
    try:
        split = urlsplit(url)
        agreed = split.hostname == host.strip("[]").lower() and split.port == port
    except ValueError:
        agreed = False
    if not agreed:
        raise _invalid(url, "can be read in two ways")


def _parse_host(url: str, text: str) -> tuple[str, Address | None, bool]:
    """Return the canonical host, its address if it is a literal, and whether it was disguised."""
    if text.startswith("["):
        try:
            literal = IPv6Address(text[1:-1])
        except AddressValueError:
            raise _invalid(url, "has no valid IPv6 address") from None
        plain = str(literal)
        return plain, literal, plain != text[1:-1].lower()
    name = to_ascii(url, text).removesuffix(".")
    labels = name.split(".")
    if len(name) > 253 or not all(_LABEL.fullmatch(label) for label in labels):
        raise _invalid(url, "has no valid host name")
    if not _NUMBER.fullmatch(labels[-1]):
        return name, None, text.lower() != name
    address = _any_ipv4(labels)
    if address is None:
        raise _invalid(url, "has no valid IPv4 address")
    plain = str(address)
    return plain, address, plain != text


def to_ascii(url: str, text: str) -> str:
    """Return a host in ASCII (IDNA, UTS 46); raises `UsageError` naming `url`."""
    if text.isascii():
        return text.lower()
    import idna

    try:
        return idna.encode(text, uts46=True).decode("ascii")
    except idna.IDNAError:
        pass
    # Not a name in any script; an address or a plain name written in look-alikes is.
    import unicodedata

    plain = unicodedata.normalize("NFKC", text).replace("。", ".").lower()
    if not plain.isascii():
        raise _invalid(url, "has no valid international host name")
    return plain


def _any_ipv4(labels: list[str]) -> IPv4Address | None:
    """Read IPv4 as `inet_aton` and browsers do (WHATWG URL, IPv4 parser)."""
    if len(labels) > 4 or not all(_NUMBER.fullmatch(label) for label in labels):
        return None
    try:
        numbers = [_any_number(label) for label in labels]
    except ValueError:
        return None
    *heads, last = numbers
    if any(number > 255 for number in heads) or last >= 256 ** (5 - len(numbers)):
        return None
    return IPv4Address(sum(n << 8 * (3 - i) for i, n in enumerate(heads)) + last)


def _any_number(label: str) -> int:
    if label[:2] in ("0x", "0X"):
        return int(label[2:] or "0", 16)
    return int(label, 8 if label.startswith("0") and label != "0" else 10)

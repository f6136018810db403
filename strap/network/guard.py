"""The guard: which URLs may be reached, and at which addresses."""

from collections.abc import Callable, Iterable, Sequence
from copy import copy
from dataclasses import replace
from ipaddress import IPv4Address, IPv6Address, ip_address
from typing import Literal, get_args
from urllib.parse import urlsplit

from strap.errors import ActionError, PolicyDenied, StartupError
from strap.network.addresses import Address, Space, classify, is_internal, is_own
from strap.network.devtools import DevTools
from strap.network.ports import Kind, SharedPorts
from strap.network.resolver import Resolver, SystemResolver, lookup_failed
from strap.network.urls import allowed, parse, shown
from strap.records import record

Mode = Literal["public", "local", "all"]

WEB = ("http", "https")
LOCALHOST = ("127.0.0.1", "::1")
"""Addresses of `localhost`, always (RFC 6761 6.3): it is never looked up."""

METADATA = (
    "is a metadata service",
    "blocked_metadata",
    "It hands out a machine's credentials: no setting opens it.",
)
_METADATA_NAMES = frozenset(("metadata", "instance-data", "metadata.google.internal"))


@record
class VettedURL:
    """A URL that passed the guard; `space` is None and `addresses` empty until it is resolved."""

    url: str
    scheme: str
    host: str
    port: int
    address: str | None = None
    space: Space | None = None
    addresses: tuple[str, ...] = ()

    @property
    def origin(self) -> tuple[str, str, int]:
        """Scheme, host and port (RFC 6454)."""
        return self.scheme, self.host, self.port


class Guard:
    """Decides what may be reached; one instance serves all resources of a process.

    mode: `public` is the public internet; `local` is that and loopback where it is addressed
    directly (`localhost`, `127.x.y.z`, `[::1]`); `all` is every network.
    allow_hosts: exact `host:port` pairs (`10.0.0.5:8080`, `[::1]:3000`, `wiki.corp:443`) that are
    reachable in every mode.
    resolver: looks names up; the system's unless given.
    ports: the ports of strap's other processes; none unless given.

    In every mode, metadata services and strap's own ports are refused, and a page may not lead
    into a more private network than its own. Raises `StartupError` for a bad `allow_hosts`.
    """

    def __init__(
        self,
        mode: Mode = "public",
        allow_hosts: Iterable[str] = (),
        resolver: Resolver | None = None,
        ports: SharedPorts | None = None,
    ) -> None:
        if mode not in get_args(Mode):
            raise StartupError(f"The network mode {mode!r} is not one of {get_args(Mode)}.")
        self.mode = mode
        self.allow_hosts = tuple(allow_hosts)
        self._allowed = frozenset(allowed(entry) for entry in self.allow_hosts)
        self._resolver = resolver or SystemResolver()
        self._reserved: set[int] = set()
        self._own: set[tuple[str, int]] = set()
        self._ports = ports or SharedPorts()
        self._devtools = DevTools()
        self.rules: tuple[str, ...] = ()
        """Rules of further checks: guards of the same mode and rules decide alike."""
        self._further: tuple[Callable[[str], None], ...] = ()
        self._left: Callable[[VettedURL], bool] | None = None
        self._led_from = Space.LOOPBACK

    def also(self, check: Callable[[str], None], rules: Sequence[str] = ()) -> "Guard":
        """Return this guard with one more `check`, which may raise; `rules` tell two such apart."""
        other = copy(self)
        other._further = (*self._further, check)  # noqa: SLF001 - a copy of this very class
        other.rules = (*self.rules, *rules)
        return other

    def proxied(self, takes: Callable[[VettedURL], bool]) -> "Guard":
        """Return this guard for a proxy, which resolves the targets that `takes` holds for."""
        other = copy(self)
        other._left = takes  # noqa: SLF001 - a copy of this very class
        return other

    def led_from(self, space: Space) -> "Guard":
        """Return a guard with the same rules for what is named in `space`, as by a page there."""
        other = copy(self)
        other._led_from = space  # noqa: SLF001 - a copy of this very class
        return other

    def reserve(self, port: int, kind: Kind | None = None) -> None:
        """Refuse `port`, strap's own; with `kind` the user's other processes refuse it too."""
        self._reserved.add(port)
        if kind is not None:
            self._ports.add(port, kind)

    def release(self, port: int) -> None:
        """Undo `reserve`."""
        self._reserved.discard(port)
        self._ports.remove(port)

    def reserve_host(self, host: str, port: int) -> None:
        """Refuse a host at this port from now on: a proxy leads from there to strap itself."""
        self._own.add((host, port))

    def check_url(
        self, url: str, source: VettedURL | None = None, *, schemes: tuple[str, ...] = WEB
    ) -> VettedURL:
        """Check a URL led to by `source`, no look-up; raises `UsageError`, `PolicyDenied`."""
        parsed = parse(url, schemes)
        target = VettedURL(url=parsed.url, scheme=parsed.scheme, host=parsed.host, port=parsed.port)
        exact = (parsed.host, parsed.port) in self._allowed
        if (parsed.host.rstrip("."), parsed.port) in self._own:
            raise _denied(target, "is strap's own live view", "own_port")
        if parsed.bad_port and not exact:
            why = f"uses port {target.port}, which is not for the web"
            raise _denied(target, why, "bad_port", self._how_to_allow(target))
        if parsed.address is not None:
            target = replace(target, address=parsed.host)
            # ::1 is the only IPv6 spelling of loopback; others carry 127.0.0.1 inside.
            direct = parsed.address.version == 4 or parsed.host == "::1"
            space = self._vet(target, parsed.address, direct=direct)
            target = replace(target, space=space, addresses=(_plain(parsed.address),))
        elif parsed.host == "localhost":
            self._vet(target, IPv4Address(LOCALHOST[0]), direct=True)
            target = replace(target, space=Space.LOOPBACK, addresses=LOCALHOST)
        else:
            self._check_name(target, exact=exact)
        if parsed.disguised:
            _refuse_disguise(url, target)
        if target.space is not None:
            _refuse_more_private(target, target.space, self._space_of(source))
        for check in self._further:
            check(target.url)
        return target

    async def resolve(
        self, target: VettedURL, source_space: Space | None = None
    ) -> tuple[str, ...]:
        """Return the addresses, all vetted; raises `PolicyDenied`, `ActionError` (code `dns`)."""
        space = self._led_from if source_space is None else source_space
        return (await self._resolved(target, space)).addresses

    async def check(
        self, url: str, source: VettedURL | None = None, *, schemes: tuple[str, ...] = WEB
    ) -> VettedURL:
        """Check and resolve at once: the target with its space and addresses."""
        target = self.check_url(url, source, schemes=schemes)
        target = await self._resolved(target, self._space_of(source))
        await self.check_path(target, urlsplit(target.url).path)
        return target

    async def check_path(self, target: VettedURL, path: str) -> None:
        """Raise `PolicyDenied` where `path` leads to a browser's DevTools on this machine."""
        if target.space is not Space.LOOPBACK or target.scheme not in ("http", "ws"):
            return
        if await self._devtools.answers(target.addresses, target.port, path):
            raise _denied(target, "is the debugging port of a browser", "own_port")

    def _space_of(self, source: VettedURL | None) -> Space:
        return self._led_from if source is None else source.space or Space.PUBLIC

    async def _resolved(self, target: VettedURL, source_space: Space) -> VettedURL:
        if target.space is None and self._left is not None and self._left(target):
            target = replace(target, space=Space.PUBLIC)
        if target.space is None:
            answers = [_parsed(text, target) for text in await self._lookup(target)]
            space = max(self._vet(target, answer, direct=False) for answer in answers)
            target = replace(target, space=space, addresses=tuple(map(_plain, answers)))
        assert target.space is not None
        _refuse_more_private(target, target.space, source_space)
        return target

    async def _lookup(self, target: VettedURL) -> Sequence[str]:
        try:
            answers = await self._resolver(target.host, target.port)
        except OSError as error:
            raise lookup_failed(target.host, error) from None
        if not answers:
            raise lookup_failed(target.host, OSError())
        return answers

    def _check_name(self, target: VettedURL, *, exact: bool) -> None:
        if target.host in _METADATA_NAMES:
            raise _denied(target, *METADATA)
        if is_internal(target.host) and self.mode != "all" and not exact:
            raise _denied(target, "is an internal name", "blocked_host", self._how_to_allow(target))

    def _vet(self, target: VettedURL, address: Address, *, direct: bool) -> Space:
        """Return the space of `address`; raises `PolicyDenied` where it may not be reached."""
        space = classify(address)
        if space is Space.METADATA:
            raise _denied(target, *METADATA)
        if space is Space.RESERVED:
            raise _denied(target, "is not at an address that can be reached", "blocked_address")
        if (target.port in self._reserved or target.port in self._ports) and is_own(address):
            raise _denied(target, "is one of strap's own ports", "own_port")
        if space is Space.PUBLIC or self.mode == "all":
            return space
        if (target.host, target.port) in self._allowed:
            return space
        if self.mode == "local" and space is Space.LOOPBACK and direct:
            return space
        raise _denied(
            target, _why_private(target, space), "blocked_address", self._how_to_allow(target)
        )

    def _how_to_allow(self, target: VettedURL) -> str:
        host = f"[{target.host}]" if ":" in target.host else target.host
        return (
            f"The network mode is {self.mode!r}; "
            f"allow_hosts = ['{host}:{target.port}'] in strap's configuration would open it."
        )


def _parsed(text: str, target: VettedURL) -> Address:
    try:
        return ip_address(text)
    except ValueError:
        raise ActionError(
            f"The look-up of {target.host!r} gave something else than addresses.", code="dns"
        ) from None


def _plain(address: Address) -> str:
    """The address to connect to: one carried in IPv6 only by notation, in its own family."""
    mapped = address.ipv4_mapped if isinstance(address, IPv6Address) else None
    return str(mapped or address)


def _denied(target: VettedURL, why: str, code: str, hint: str = "") -> PolicyDenied:
    return PolicyDenied(f"{shown(target.url)} {why}.", hint=hint, code=code)


def _why_private(target: VettedURL, space: Space) -> str:
    """Say no more of the address of a name than that it is not public."""
    if target.address is None and target.host != "localhost":
        return "leads to an address that is not public"
    return "is on this machine" if space is Space.LOOPBACK else "is on a private network"


def _refuse_disguise(url: str, target: VettedURL) -> None:
    """Refuse an IPv4 address or loopback that was not written as what it is."""
    ipv4 = target.address is not None and "." in target.address
    if ipv4 or target.space is Space.LOOPBACK:
        raise PolicyDenied(
            f"{shown(url)} writes its host in an unusual form.",
            hint=f"Write {shown(target.url)}.",
            code="disguised",
        )


def _refuse_more_private(target: VettedURL, space: Space, source_space: Space) -> None:
    if space > source_space:
        raise PolicyDenied(
            f"A page or redirect may not lead to {shown(target.url)}, in a more private network.",
            hint="Call that URL directly if it is wanted.",
            code="more_private",
        )

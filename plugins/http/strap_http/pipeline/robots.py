"""robots.txt (RFC 9309), where the operator wants it respected."""

import asyncio
import re
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Iterable, Iterator
from http import HTTPStatus
from typing import TYPE_CHECKING

from strap import ActionError, PolicyDenied, StrapError, VettedURL
from strap_http.message.response import Response

if TYPE_CHECKING:
    from protego import Protego

LARGEST = 512_000
"""Bytes of a robots.txt that are read."""
KEPT, KEPT_FAILURE = 3_600.0, 60.0
"""Seconds for which a file, or the failure to get it, is remembered."""
MAX_ORIGINS = 256

_OTHER = re.compile(
    r"^[ \t]*+(?!(?:user[ -]?agent|di\w*|allow|site-?maps?|crawl[ -]delay|request[ -]rate"
    r"|visit[ -]time|host)[ \t]*:)[\w-]{1,80}[ \t]*+:.*$",
    re.IGNORECASE | re.MULTILINE,
)
_AGENT = re.compile(
    r"^([ \t]*+user[ -]?agent[ \t]*+:[ \t]*+)([^\s/#]+).*$", re.IGNORECASE | re.MULTILINE
)
_AGENTS = re.compile(r"[ \t]*+user[ -]?agent\b", re.IGNORECASE)
_RULE = re.compile(r"[ \t]*+(?:di\w*|allow)\b", re.IGNORECASE)
_PACE = re.compile(r"[ \t]*+(?:crawl[ -]delay|request[ -]rate|visit[ -]time)\b", re.IGNORECASE)

Origin = tuple[str, str, int]
Load = Callable[[str], Awaitable[Response]]
"""`async (url) -> response`; raises `StrapError`."""


class Robots:
    """Rules of each origin's robots.txt for `agent`, for all calls of a process."""

    def __init__(self, agent: str, clock: Callable[[], float] = time.monotonic) -> None:
        self._agent = agent.partition("/")[0].strip()
        self._clock = clock
        self._rules: OrderedDict[Origin, tuple[float, Protego | None]] = OrderedDict()
        self._locks: dict[Origin, asyncio.Lock] = {}

    @property
    def agent(self) -> str:
        """The name that the rules are looked up for."""
        return self._agent

    async def rules(self, target: VettedURL, load: Load) -> "Protego | None":
        """Return what the file of the origin of `target` says, None if nobody knows."""
        host = target.url.split("/")[2]
        return await self._rules_of(target.origin, f"{target.scheme}://{host}/robots.txt", load)

    async def check(self, target: VettedURL, load: Load) -> None:
        """Raise `PolicyDenied` where `target` may not be fetched, `ActionError` if nobody knows."""
        host = target.url.split("/")[2]
        url = f"{target.scheme}://{host}/robots.txt"
        if target.url == url:
            return
        rules = await self._rules_of(target.origin, url, load)
        if rules is None:
            raise ActionError(
                f"{url!r} cannot be read, so nothing of that site is fetched.",
                hint="Try again later.",
                code="robots",
                retryable=True,
            )
        if not await asyncio.to_thread(rules.can_fetch, target.url, self._agent):
            raise PolicyDenied(
                f"{url!r} does not allow {self._agent!r} to fetch {target.url!r}.",
                hint="Look for another source; robots = false in [plugins.http] lifts the rule for "
                "fetch alone.",
                code="robots",
            )

    async def _rules_of(self, origin: Origin, url: str, load: Load) -> "Protego | None":
        """The rules of an origin, asked for once however many calls wait for them."""
        lock = self._locks.setdefault(origin, asyncio.Lock())
        async with lock:
            until, rules = self._rules.get(origin, (0.0, None))
            if self._clock() >= until:
                rules = await _loaded(url, load)
                lifetime = KEPT_FAILURE if rules is None else KEPT
                self._rules[origin] = self._clock() + lifetime, rules
                self._forget()
            self._rules.move_to_end(origin)
        return rules

    def _forget(self) -> None:
        while len(self._rules) > MAX_ORIGINS:
            origin, _ = self._rules.popitem(last=False)
            self._locks.pop(origin, None)


async def _loaded(url: str, load: Load) -> "Protego | None":
    """Read the file: without one all is allowed, and nothing where the server fails (2.3.1)."""
    from protego import Protego

    try:
        response = await load(url)
    except StrapError:
        return None
    if response.status >= 500 or response.status == HTTPStatus.TOO_MANY_REQUESTS:
        return None
    text = response.body[:LARGEST].decode("utf-8-sig", "replace") if response.status < 300 else ""
    return await asyncio.to_thread(lambda: Protego.parse(_plain(text)))


def _plain(text: str) -> str:
    """Return a robots.txt without what Protego reads otherwise than RFC 9309 (2.2.1, 2.2.4)."""
    plain = _AGENT.sub(r"\1\2", _OTHER.sub("", "\n".join(text.splitlines())))
    return "\n".join(_in_order(plain.split("\n")))


def _in_order(lines: Iterable[str]) -> Iterator[str]:
    """The lines of a robots.txt; what is amid a list of agents comes after its first rule."""
    is_list, amid = False, list[str]()
    for line in lines:
        if is_list and _PACE.match(line):
            amid.append(line)
            continue
        yield line
        if _AGENTS.match(line):
            is_list = True
        elif _RULE.match(line):
            yield from amid
            is_list, amid = False, []
    yield from amid

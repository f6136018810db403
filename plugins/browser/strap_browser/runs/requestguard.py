"""What the pages of a run may ask for: the network guard, asked once for each pair of origins."""

from collections.abc import Awaitable, Callable
from urllib.parse import urlsplit

from strap import Target
from strap_browser.gate.client import Gate
from strap_browser.runs.addresses import is_web

MOST = 1_000
Ask = Callable[[str, Target | None], Awaitable[Target]]


class RequestGuard:
    """Lets requests pass that neither their page nor the address under test may not lead to."""

    def __init__(self, ask: Ask, home: Target, gate: Gate | None = None) -> None:
        self._ask = ask
        self._home = home
        self._gate = gate
        self._passed: set[tuple[str, str]] = set()

    async def __call__(self, url: str, page: str | None) -> None:
        """Raise `StrapError` unless a page at `page` may ask for `url`.

        Without a page of the web it is the agent that leads there: then the address under test
        counts as the page.
        """
        page = page if page is not None and is_web(page) else None
        pair = _origin(url), _origin(page) if page else ""
        if pair in self._passed:
            return
        source = self._home if page is None else await self._ask(page, None)
        target = await self._ask(url, source)
        if self._gate is not None:
            await self._gate.address(target)
        if len(self._passed) < MOST:
            self._passed.add(pair)


def _origin(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}"

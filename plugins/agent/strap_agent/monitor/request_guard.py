"""Network guard for requests of a run's pages, asked once for each pair of origins."""

from collections.abc import Awaitable, Callable
from urllib.parse import urlsplit

from strap import Secrets, VettedURL
from strap_agent.sites import Sites
from strap_browser.api import ProxyControl, is_web

MOST = 1_000
"""Addresses remembered as allowed; those beyond it are vetted each time."""
NONE = Secrets()
Ask = Callable[[str, VettedURL | None], Awaitable[VettedURL]]


class RequestGuard:
    """Lets requests pass that neither their page nor the address under test may not lead to."""

    def __init__(
        self,
        ask: Ask,
        home: VettedURL,
        gate: ProxyControl | None = None,
        sites: Sites | None = None,
        secrets: Secrets = NONE,
    ) -> None:
        """`sites` are those that documents may be of, None: of all."""
        self.secrets = secrets
        self._sites = sites
        self._ask = ask
        self._home = home
        self._gate = gate
        self._passed: set[tuple[bool, str, str]] = set()

    @property
    def is_confined(self) -> bool:
        """Whether documents may be of some sites alone."""
        return self._sites is not None

    def confine(self, url: str) -> None:
        """Raise `PolicyDenied` for a document of a site that the run has to stay away from."""
        if self._sites is not None:
            self._sites.check(url)

    async def __call__(self, url: str, page: str | None) -> None:
        """Raise `StrapError` unless a page at `page` may ask for `url`.

        Without a page it is the agent that leads there: then the address under test counts as
        the page, and the browser's proxy is told. So it counts where the page is none of the web;
        but then the proxy decides for itself.
        """
        led, page = page is None, page if page and is_web(page) else ""
        passed = led, _origin(url), _origin(page)
        if passed in self._passed:
            return
        source = await self._ask(page, None) if page else self._home
        target = await self._ask(url, source)
        if led and self._gate is not None:
            await self._gate.address(target)
        if len(self._passed) < MOST:
            self._passed.add(passed)


def _origin(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}"

"""Protocol of drivers: how a profile reaches its browser."""

from collections.abc import Callable, Mapping
from dataclasses import field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol, get_args

from strap import ActionError, Environment, record
from strap_browser.engine.endpoint import Endpoint
from strap_browser.proxy.upstream import Upstream
from strap_browser.settings.browser import ProfileSettings

if TYPE_CHECKING:
    from strap_browser.drivers.leasing.pool import Leases

Release = Literal["stopped", "used", "foreign", "disconnected"]
"""Outcome for a browser that a profile let go: it was stopped; it runs on because another process
uses it, because another process owns it, or because strap never ends it."""


Capability = Literal["devtools", "agent", "agent_page", "launch", "reclaim", "user_tabs"]
"""Abilities of a driver or its browser; code asks for these, never for a driver's name.

`devtools`: agent and live view may connect to it beside strap, by the DevTools protocol.
`agent`: `eval profile=` may work in its browser. `agent_page`: so may `eval target_id=` on a page.
`launch`: `auto_launch` starts its browser. `reclaim`: pages may be closed to save memory.
`user_tabs`: its pages are tabs that the user granted (see `Endpoint.granted`).
"""
CAPABILITIES: frozenset[Capability] = frozenset(get_args(Capability))
LAUNCH_HINT = 'Use `web(resource: browser, action: launch, profile: "{profile}")` to start it.'
RUNS_ELSEWHERE = "It runs elsewhere and is not launched: start it there."


@record
class DriverStatus:
    """Status of a browser, read without touching it."""

    running: bool
    cdp_url: str
    facts: Mapping[str, Any] = field(default_factory=dict)
    """Further fields of the profile's status."""
    pages: int | None = None
    """Number of pages, where it is not that of the caller's own."""


class Driver(Protocol):
    """Runs, finds or reaches the browser of one profile."""

    name: str
    upstream: Upstream | None
    """The proxy that its traffic passes, and that resolves names."""
    guarded: bool
    """Whether what pages do by themselves passes the network guard, and not only navigations."""
    can: frozenset[Capability]
    browser: str
    """Name of its browser: `Chromium`, `Firefox`."""
    start_hint: str
    """How to start its browser, with `{profile}` for the profile's name."""

    async def status(self) -> DriverStatus:
        """Tell whether the browser runs, in this process or another; starts nothing."""

    async def acquire(self, *, launch: bool) -> Endpoint | None:
        """Join the running browser, else launch one, or return None if `launch` is false."""

    async def release(self, *, force: bool = False) -> Release:
        """Let go of the browser; end it if it is ours and (unless `force`) nobody else's."""


@record
class DriverOrder:
    """Order for a driver: the profile, its settings, and where its files are."""

    profile: str
    settings: ProfileSettings
    """Table `[plugins.browser.profiles.NAME]`."""
    environment: Environment
    root: Path
    """Folder of the profile, which a driver makes when it writes there."""
    take_early: Callable[[], Any] | None
    """Returns the browser of the default profile if it was started already, else None."""
    leases: "Leases"


class UnsupportedDriver:
    """Driver `nebo` on a platform where strap cannot launch browsers."""

    name = "nebo"
    upstream: Upstream | None = None
    guarded = False
    can: frozenset[Capability] = frozenset({"devtools", "agent", "agent_page"})
    browser = "Chromium"
    start_hint = LAUNCH_HINT

    async def status(self) -> DriverStatus:
        """Nothing runs."""
        return DriverStatus(running=False, cdp_url="http://127.0.0.1:9222")

    async def acquire(self, *, launch: bool) -> Endpoint | None:
        """Raise `ActionError` with the way out."""
        raise ActionError(
            "strap launches browsers on Linux and macOS only.",
            hint="Start one with --remote-debugging-port and give its endpoint to your own tools.",
            code="unsupported",
        )

    async def release(self, *, force: bool = False) -> Release:
        """Nothing to let go."""
        return "disconnected"


def not_running(profile: str, driver: Driver) -> ActionError:
    """Return the error of a page action on a profile whose browser does not run."""
    return ActionError(
        f"Browser not running for profile {profile!r}.",
        hint=driver.start_hint.replace("{profile}", profile),
        code="not_running",
    )

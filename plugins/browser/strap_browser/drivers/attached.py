"""Base of drivers that attach to a browser which runs elsewhere."""

import shutil
from pathlib import Path
from typing import Any

from strap import ActionError, Guard, Secrets, make_private
from strap_browser.drivers.base import RUNS_ELSEWHERE, Capability, Release
from strap_browser.drivers.remote_address import RemoteAddress
from strap_browser.engine.endpoint import Endpoint
from strap_browser.proxy.upstream import Upstream
from strap_browser.settings.browser import ProfileSettings


class AttachedDriver:
    """Attaches to a browser and leaves it; it is neither launched nor ended."""

    can: frozenset[Capability] = frozenset({"devtools"})
    browser = "Chromium"
    start_hint = RUNS_ELSEWHERE
    upstream: Upstream | None = None
    guarded = False

    def __init__(
        self, profile: str, settings: ProfileSettings, secrets: Secrets, root: Path, guard: Guard
    ) -> None:
        url = settings.cdp_url or settings.playwright_url
        assert url is not None
        self._profile = profile
        self._settings = settings
        self._downloads = root / "downloads"
        self._at = RemoteAddress(url, settings.headers, secrets)
        if self._at.is_local:
            guard.reserve(self._at.port)

    async def release(self, *, force: bool = False) -> Release:
        """Leave the browser as it is."""
        shutil.rmtree(self._downloads, ignore_errors=True)
        return "disconnected"

    def _reached(self, address: str, **more: Any) -> Endpoint:
        if self._at.is_local:
            make_private(self._downloads)
        return Endpoint(
            address=address,
            artifacts=self._downloads if self._at.is_local else None,
            local=self._at.is_local,
            viewport=self._settings.viewport,
            locale=self._settings.locale,
            extra_headers=self._settings.extra_headers,
            **more,
        )

    def _silent(self, hint: str) -> ActionError:
        return ActionError(
            f"Cannot launch the browser of profile {self._profile!r}:"
            f" it runs elsewhere, and {self._at.shown} does not answer.",
            hint=hint,
            code="not_launchable",
        )

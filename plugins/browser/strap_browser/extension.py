"""Driver `extension`: the user's own Chrome, which connects by itself and is never launched."""

from strap import ActionError
from strap_browser.drivers import Endpoint, Release, Sight


class ExtensionDriver:
    """The seam of the `chrome` profile; nothing connects to it yet."""

    name = "extension"

    def __init__(self, profile: str) -> None:
        self._profile = profile

    async def look(self) -> Sight:
        """Tell whether the extension is connected."""
        return Sight(
            running=False,
            cdp_url="ws://127.0.0.1:27895/relay/cdp",
            facts={"extension_connected": False},
        )

    async def acquire(self, *, launch: bool) -> Endpoint | None:
        """Raise `ActionError` on `launch`: Chrome belongs to the user."""
        if launch:
            raise ActionError(
                f"Cannot launch the {self._profile} profile"
                " — it connects via the Chrome extension.",
                hint="Ensure the Nebo extension is active in Chrome.",
                code="not_launchable",
            )
        return None

    async def release(self, *, force: bool = False) -> Release:
        """Disconnect from the relay; Chrome runs on."""
        return "disconnected"

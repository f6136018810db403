"""What the agent asks of the state of the resource that it belongs to."""

from collections.abc import Mapping
from contextlib import AbstractAsyncContextManager
from typing import TYPE_CHECKING, Any, Protocol

from strap import Context

if TYPE_CHECKING:
    from strap_browser.agent.manager import RunManager
    from strap_browser.pages.memory import MemoryLimit
    from strap_browser.pages.profile import Profile
    from strap_browser.pages.tab import Tab


class AgentState(Protocol):
    """The runs of this process, and the profiles in whose browsers they may work."""

    profiles: Mapping[str, "Profile"]
    memory: "MemoryLimit"

    @property
    def runs(self) -> "RunManager":
        """The runs of the agent."""

    def profile(self, ctx: Context[Any]) -> "Profile":
        """Return the profile that a call means."""

    async def peek(self, ctx: Context[Any]) -> "Tab":
        """Return the page that a call means, without waiting for it."""

    def lent(self, ctx: Context[Any], *, blank_ok: bool) -> AbstractAsyncContextManager["Tab"]:
        """The page that a call means, for a run."""

    def unknown(self, name: str) -> str:
        """Return the message about a profile that does not exist."""

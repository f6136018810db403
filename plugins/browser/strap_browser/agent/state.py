"""What the agent asks of the state of the resource that it belongs to."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from strap_browser.agent.manager import RunManager
    from strap_browser.pages.profile import Profile


class AgentState(Protocol):
    """The runs of this process, and the profiles in whose browsers they may work."""

    profiles: Mapping[str, "Profile"]

    @property
    def runs(self) -> "RunManager":
        """The runs of the agent."""

    def unknown(self, name: str) -> str:
        """Return the message about a profile that does not exist."""

"""Watching what an action does to the document it acts on."""

import secrets
from dataclasses import dataclass, field
from typing import Any

from strap_browser.memory import Memory
from strap_browser.targets import Target


@dataclass(kw_only=True, slots=True)
class Watch:
    """One action's watch on the document of `target`, the main one where there is none.

    The command that checks an element begins it, under `token`.
    """

    memory: Memory
    target: Target | None = None
    value: bool = False
    """Whether to report what the field holds."""
    token: str = field(default_factory=lambda: secrets.token_hex(4))

    async def begin(self) -> dict[str, Any]:
        """Begin to watch the main document, before an action that has no element.

        Returns what has the `focus`, in words.
        """
        return await self.memory.agent.ask("watch", token=self.token)

    async def report(self) -> dict[str, Any]:
        """Return what was seen so far; `same` is false if the document is gone."""
        from playwright.async_api import Error

        agent, told = self.memory.agent, {"token": self.token, "value": self.value or None}
        try:
            if self.target is None:
                return await agent.ask("report", **told)
            return await agent.ask_element(
                self.target.locator, "report", otherwise="report", **told
            )
        except Error:
            return {"same": False}

"""Agents that obey every text they read, each in a session of its own."""

from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from itertools import count
from pathlib import Path
from typing import Any

from strap import Caller, Config, Question, Router, StrapError, open_router
from strap.network import Mode

Call = dict[str, Any]


@dataclass
class Victim:
    """Makes the calls that it is told to."""

    router: Router
    name: str
    answer: bool | None = None
    """Answer of the person who is asked; None: there is nobody."""
    asked: list[str] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)

    async def obey(self, calls: Iterable[Call]) -> list[str]:
        """Make the calls, go on whatever happens, and return what was read."""
        read = []
        for call in calls:
            try:
                read.append((await self.router.call(call, caller=self.caller)).text)
            except StrapError as error:
                if error.code == "flow_denied":
                    self.refused.append(str(error))
                else:
                    self.failed.append(f"{call.get('action')}: {error}")
        return read

    async def leave(self) -> None:
        """End the session, its pages with it."""
        await self.router.end_session(f"{self.caller.principal}/{self.name}")

    @property
    def caller(self) -> Caller:
        """Caller in whose name it makes calls."""
        confirm = None if self.answer is None else self._confirm
        return Caller(session=self.name, confirm=confirm)

    async def _confirm(self, question: Question) -> bool:
        self.asked.append(question.text)
        return bool(self.answer)


@asynccontextmanager
async def victims(
    home: Path,
    flow: str,
    flows: Iterable[str] = (),
    *,
    network: Mode = "local",
    relay_port: int = 0,
    **secrets: Any,
) -> AsyncIterator[Callable[..., Victim]]:
    """Give a function that makes a victim; the extension of a person's Chrome calls that port."""
    config = Config.load(network=network, flow=flow, flows=[*flows], secrets=secrets)
    config = replace(config, home=home, outputs=home / "files")
    browser = {"headless": True, "auto_launch": True, "webmcp": True}
    browser |= {"relay_port": relay_port} if relay_port else {}
    config = replace(config, plugins={**config.plugins, "browser": browser})
    async with open_router(config=config) as router:
        numbers = count()
        yield lambda answer=None: Victim(router, f"v{next(numbers)}", answer)


def browser(action: str, **fields: Any) -> Call:
    return {"resource": "browser", "action": action, **fields}


def fetch(url: str, **fields: Any) -> Call:
    return {"resource": "http", "action": "fetch", "url": url, **fields}

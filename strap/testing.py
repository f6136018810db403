"""Test kit for plugin authors: the real router around your plugin, with a transcript.

async def test_lookup(tmp_path):
    async with strap.testing.router(my_plugin, home=tmp_path) as web:
        result = await web(resource="wayback", action="lookup", url="https://example.com/")
        assert "2001" in result.text, web.transcript
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from strap.api.calls import Caller
from strap.api.results import Result
from strap.config import load
from strap.errors import StrapError
from strap.network import Resolver
from strap.routing.assembly import make_router
from strap.routing.router import LOCAL, Router


@dataclass
class Web:
    """Calls like `strap.open_router`, and keeps what was said."""

    router: Router
    caller: Caller = LOCAL
    calls: list[tuple[dict[str, Any], str]] = field(default_factory=list)

    async def __call__(self, **arguments: Any) -> Result:
        """Call; raises `StrapError`."""
        try:
            result = await self.router.call(arguments, caller=self.caller)
        except StrapError as error:
            self.calls.append((arguments, f"{type(error).__name__}: {error}"))
            raise
        self.calls.append((arguments, result.text))
        return result

    async def fails(self, **arguments: Any) -> StrapError:
        """Call and return the `StrapError` that it raises; fails if it raises none."""
        try:
            result = await self(**arguments)
        except StrapError as error:
            return error
        raise AssertionError(f"no error, but {result.text!r}\n{self.transcript}")

    def as_caller(self, session: str | None, *, transport: str = "http") -> "Web":
        """The same router as another caller sees it."""
        caller = Caller(transport=transport, session=session)  # type: ignore[arg-type]
        return Web(self.router, caller, self.calls)

    @property
    def transcript(self) -> str:
        """Every call so far with its answer."""
        return "\n\n".join(
            f"web({', '.join(f'{k}={v!r}' for k, v in arguments.items())})\n  {text}"
            for arguments, text in self.calls
        )


@asynccontextmanager
async def router(
    *plugins: Any, home: Path, resolver: Resolver | None = None, **flags: Any
) -> AsyncIterator[Web]:
    """Open a router with the installed plugins and `plugins`, apart from the user's configuration.

    `home` is the data directory, `flags` are further fields of `strap.Config`; `resolver`, an
    `async (host, port) -> addresses`, plays the names that the network guard looks up. No
    environment variable and no configuration file is read.
    """
    config = load(environ={}, directory=home, home=home, **flags)
    named = [(getattr(p, "__name__", type(p).__name__), p) for p in plugins]
    async with make_router(config, extra=named, resolver=resolver) as opened:
        yield Web(opened)

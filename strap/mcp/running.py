"""Running a server's event loop: uvloop where there is one, as every call is many turns of it."""

from collections.abc import Awaitable, Callable
from importlib.util import find_spec
from typing import Any

import anyio


def run(serve: Callable[..., Awaitable[Any]], *arguments: Any) -> None:
    """Run `serve` to its end."""
    anyio.run(serve, *arguments, backend_options={"use_uvloop": find_spec("uvloop") is not None})

"""`strap serve`: the server on stdin and stdout of this process."""

import gc
import sys
from collections.abc import Iterable
from typing import Any

from strap.config import Config
from strap.mcp.front import Front
from strap.mcp.packages import defer_initialisers


def serve(
    config: Config,
    front: Front | None = None,
    *,
    plugins: Iterable[tuple[str, Any]] = (),
) -> None:
    """Serve one client until its end of input, its death or a signal.

    `front` is one that answers the handshake already, `plugins` are further plugins as pairs of
    name and plugin. Raises `StartupError`.
    """
    if front is None:
        front = Front()
        front.start()
    gc.disable()
    try:
        defer_initialisers()
        import anyio

        from strap.mcp.session import prepare, serve_client

        server = prepare(config, tuple(plugins))
    finally:
        _spare_what_is_loaded()
    anyio.run(serve_client, server, front)
    sys.stderr.flush()


def _spare_what_is_loaded() -> None:
    """Let the garbage collector look at nothing that exists now.

    What was imported is never garbage: collecting it during the import and again at exit would
    take a third of a second.
    """
    gc.freeze()
    gc.enable()

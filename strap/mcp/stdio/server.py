"""`strap serve`: the server on stdin and stdout of this process."""

import sys
from collections.abc import Iterable
from typing import Any

from strap.config import Config
from strap.mcp.stdio.handshake import Handshake


def serve(
    config: Config,
    front: Handshake | None = None,
    *,
    plugins: Iterable[tuple[str, Any]] = (),
) -> None:
    """Serve one client until its end of input, its death or a signal.

    `front` is one that answers the handshake already, `plugins` are further plugins as pairs of
    name and plugin. Raises `StartupError`.
    """
    if front is None:
        front = Handshake()
        front.start()
    from strap.mcp.event_loop import run
    from strap.mcp.stdio.session import prepare, serve_client

    tool = prepare(config, tuple(plugins), front)
    run(serve_client, tool, front)
    sys.stderr.flush()

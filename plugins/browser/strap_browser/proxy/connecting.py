"""Connections of the proxy to servers themselves, without a further proxy."""

import asyncio

from strap import ActionError, VettedURL, first_connection
from strap_browser.proxy.http_tunnel import MAX_HEAD, Stream

MAX_ADDRESSES = 4
"""Addresses of a host that are tried: each may take its share of the time."""
CONNECT_LIMIT = 30.0
"""Seconds for a connection to a server, as long as a call has in all."""


async def connect(target: VettedURL) -> Stream:
    """Connect to one of the vetted addresses; raises `ActionError`."""
    try:
        async with asyncio.timeout(CONNECT_LIMIT):
            return await first_connection(
                target.addresses[:MAX_ADDRESSES],
                lambda address: open_stream(address, target.port),
                _close,
            )
    except TimeoutError:
        raise ActionError(
            f"{target.host!r} did not answer in time.",
            hint="Try again later.",
            code="timed_out",
            retryable=True,
        ) from None
    except OSError as error:
        refused = isinstance(error, ConnectionRefusedError)
        raise ActionError(
            f"{target.host!r} {'refused the connection' if refused else 'cannot be reached'}.",
            hint="Is a server running there?",
            code="connection_refused" if refused else "address_unreachable",
            retryable=True,
        ) from None


async def open_stream(address: str, port: int) -> Stream:
    """Open a TCP connection to an IP address."""
    return await asyncio.open_connection(address, port, limit=MAX_HEAD)


async def _close(stream: Stream) -> None:
    stream[1].close()

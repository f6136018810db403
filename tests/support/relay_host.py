"""Another strap process that hosts the relay: `python -m … HOME PORT [EXTENSION]`, until killed."""

import asyncio
import sys
from pathlib import Path

from strap_browser.relay import host
from strap_browser.relay.access.pairing import Pairing


async def serve(home: Path, port: int) -> None:
    """Host the relay and say when it listens."""
    await host.Host(Pairing(home), port).begin()
    sys.stdout.write("listening\n")
    sys.stdout.flush()
    await asyncio.Event().wait()


if __name__ == "__main__":
    folder, number, *extension = sys.argv[1:]
    if extension:  # one that a test scripts
        host.extension_id = lambda: extension[0]
    asyncio.run(serve(Path(folder), int(number)))

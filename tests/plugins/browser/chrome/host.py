"""Another strap process that hosts the relay: `python -m … HOME PORT`, until it is killed."""

import asyncio
import sys
from pathlib import Path

from strap_browser.relay.access.pairing import Pairing
from strap_browser.relay.host import Host


async def serve(home: Path, port: int) -> None:
    await Host(Pairing(home), port).begin()
    sys.stdout.write("listening\n")
    sys.stdout.flush()
    await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(serve(Path(sys.argv[1]), int(sys.argv[2])))

"""Another strap process: opens the router on a home and runs the calls that it reads on stdin."""

import asyncio
import json
import signal
import sys
from pathlib import Path

from strap import StrapError, testing
from tests.plugins.browser.lifecycle import pages
from tests.support.browser import SETTINGS


async def serve(home: Path, flags: dict) -> None:
    requests = asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(requests), sys.stdin
    )
    settings = {"browser": SETTINGS | flags.pop("browser", {})}
    flags = {"network": "local", **flags}
    async with testing.router(pages, home=home, plugins=settings, **flags) as web:
        while line := await requests.readline():
            try:
                text = (await web(resource="browser", **json.loads(line))).text
            except StrapError as error:
                text = str(error)
            sys.stdout.write(json.dumps(text) + "\n")
            sys.stdout.flush()


if __name__ == "__main__":
    # Ignored where the tests run in the background of a shell, and then in every child.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    asyncio.run(serve(Path(sys.argv[1]), json.loads(sys.argv[2])))

"""A server of Playwright's: `playwright launch-server`."""

import asyncio
import json
import os
import signal
import sys
from contextlib import asynccontextmanager, suppress
from tempfile import TemporaryDirectory

from strap_browser.chromium.executables import find_executable
from tests.support.chromium import LEAN


@asynccontextmanager
async def playwright_server(folder, **more):
    """A server that launches Chromium for each client; yields its address and its process."""
    config = {
        "executablePath": str(find_executable()),
        "args": ["--no-sandbox", LEAN],
        "host": "127.0.0.1",
        "wsPath": "/there",
    }
    (folder / "server.json").write_text(json.dumps(config | more))
    command = ("-m", "playwright", "launch-server", "--browser", "chromium", "--config")
    # Whoever is ended leaves what it has there. The path is short: Chromium makes a socket in it.
    left = TemporaryDirectory(prefix="pw", ignore_cleanup_errors=True)
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        *command,
        str(folder / "server.json"),
        stdout=asyncio.subprocess.PIPE,
        env=os.environ | {"TMPDIR": left.name},
        start_new_session=True,
    )
    try:
        async with asyncio.timeout(60):
            address = await process.stdout.readline()
        yield address.decode().strip(), process
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGTERM)
        await process.stdout.read()
        await process.wait()
        left.cleanup()

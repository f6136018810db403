"""Starting a Chromium on a user data directory, around what may be in the way."""

import logging
import socket
from pathlib import Path

from strap_browser.executables import find_executable
from strap_browser.process import PORT_IN_USE, Chromium, StartFailure
from strap_browser.settings import BrowserSettings
from strap_browser.switches import command_line, may_use_sandbox

log = logging.getLogger(__name__)
NO_SANDBOX = b"No usable sandbox"


async def start(settings: BrowserSettings, data: Path, port: int) -> Chromium:
    """Launch, on another port or without the sandbox where that is the obstacle.

    `port` 0 is any free one. Raises `ActionError` where there is no browser or it does not start.
    """
    executable = find_executable(settings.executable)
    sandbox = may_use_sandbox(settings)
    port = port if _is_free(port) else 0
    while True:
        command = command_line(executable, data, port, settings, sandbox=sandbox)
        try:
            return await Chromium.launch(command)
        except StartFailure as failure:
            if port and PORT_IN_USE in failure.output:
                port = 0
            elif sandbox and NO_SANDBOX in failure.output and not settings.sandbox:
                log.warning("No user namespaces here: the browser runs without its sandbox")
                sandbox = False
            else:
                log.warning("%s\n%s", failure, failure.output.decode(errors="replace"))
                raise


def _is_free(port: int) -> bool:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True

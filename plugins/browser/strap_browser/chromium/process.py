"""A Chromium process of ours: it ends when we end, whatever ends us.

Chromium holds one end of a debugging pipe whose other end only this process has. When it closes,
because we close it or because we are gone, Chromium quits in good order (cookies written, lock
removed).
"""

from collections.abc import Mapping

from strap_browser.cdp.connection import CdpConnection
from strap_browser.cdp.pipe import Pipe
from strap_browser.chromium.browser_process import BrowserProcess, ErrorOutput
from strap_browser.chromium.spawn import PrestartedChromium

START_LIMIT = 20.0
LISTENING = b"DevTools listening on"


class Chromium(BrowserProcess):
    """A Chromium that was launched with `Chromium.launch` and is to be ended with `stop`."""

    def __init__(self, pid: int, cdp: CdpConnection, output: ErrorOutput) -> None:
        super().__init__(pid, output)
        self.cdp = cdp
        """The connection over its pipe; it quits when that is closed."""
        self.address = ""
        """The WebSocket address of the debugging port."""

    @classmethod
    async def launch(
        cls, command: list[str], variables: Mapping[str, str] | None = None
    ) -> "Chromium":
        """Start `command` and return when its debugging port listens; raises `StartFailure`.

        `variables` are added to its environment.
        """
        pid, ends, output = await cls.spawned(command, variables or {}, LISTENING)
        return await cls._ready(pid, ends, output)

    @classmethod
    async def adopt(cls, early: PrestartedChromium) -> "Chromium":
        """Take over a browser on its way, and go on like `launch`."""
        try:
            output = await ErrorOutput.read(early.give_errors(), LISTENING)
        except BaseException:
            early.abandon()
            raise
        pid, ends = early.give_process()
        return await cls._ready(pid, ends, output)

    @classmethod
    async def _ready(cls, pid: int, ends: tuple[int, int], output: ErrorOutput) -> "Chromium":
        chromium = cls(pid, CdpConnection(Pipe(*ends)), output)
        chromium.address = await chromium.listens(START_LIMIT)
        return chromium

    async def begin(self) -> None:
        """Open the pipe."""
        await self.cdp.open()

    def ask_to_quit(self) -> None:
        """Close the pipe, which tells the browser that nobody is there any more."""
        self.cdp.close()

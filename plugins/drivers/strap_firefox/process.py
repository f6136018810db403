"""A Firefox process of ours: it ends when we end, whatever ends us.

Firefox has no pipe whose end would tell it that. So a shell starts it and waits for the end of one
that only this process holds; then it ends Firefox.
"""

import os
from collections.abc import Mapping
from urllib.parse import urlsplit

from strap_browser.api import BrowserProcess, CdpConnection, ErrorOutput, StartFailure, WebSocket
from strap_firefox.bidi import BidiError
from strap_firefox.translator import Translator

START_LIMIT = 40.0
"""Seconds to start: a new profile on a loaded machine takes some."""
LISTENING = b"WebDriver BiDi listening on"
WATCHED = """
"$@" 3<&- 4>&- &
firefox=$!
exec 2>/dev/null 4>&-
read -r _ <&3
trap '' TERM
kill -TERM "$firefox" 2>/dev/null || exit
for _ in 1 2 3 4 5 6; do
  sleep 0.5
  kill -0 "$firefox" 2>/dev/null || exit
done
kill -KILL 0
"""
"""Script of the shell; its own error output is closed, so that its end is that of Firefox."""


class Firefox(BrowserProcess):
    """A Firefox that was launched with `Firefox.launch` and is to be ended with `stop`."""

    def __init__(self, pid: int, ends: tuple[int, int], output: ErrorOutput) -> None:
        super().__init__(pid, output)
        self._held, replies = ends
        os.close(replies)
        self.address = ""
        self._translator: Translator | None = None

    @classmethod
    async def launch(cls, command: list[str], variables: Mapping[str, str]) -> "Firefox":
        """Start `command` and return when its port listens; raises `StartFailure`.

        `variables` are added to its environment.
        """
        shell = ["/bin/sh", "-c", WATCHED, "sh", *command]
        firefox = cls(*await cls.spawned(shell, variables, LISTENING))
        firefox.address = await firefox.listens(START_LIMIT)
        return firefox

    @property
    def port(self) -> int:
        """The port on loopback where it is driven."""
        return urlsplit(self.address).port or 0

    async def connect(self) -> CdpConnection:
        """Begin a session; raises `ActionError`."""
        self._translator = Translator(await WebSocket.connect(f"{self.address}/session"))
        connection = CdpConnection(self._translator)
        try:
            await connection.open()
        except BidiError as error:
            await connection.aclose()
            raise StartFailure(f"Firefox began no session: {error}") from None
        return connection

    def ask_to_quit(self) -> None:
        """Ask Firefox to end, which writes its cookies then; the shell would not wait for that."""
        if self._translator is None or not self._translator.quit():
            self._let_go()

    async def _reap(self) -> None:
        """Let the shell end, which has nobody to watch any more, and collect its status."""
        self._let_go()
        await super()._reap()

    def _let_go(self) -> None:
        if self._held >= 0:
            os.close(self._held)
            self._held = -1

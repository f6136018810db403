"""Answers what a viewer asks about runs that are kept on disk."""

import asyncio
import sqlite3
import time
from pathlib import Path

from strap_browser.api import Tasks
from strap_live.history.past_runs import Message, RunHistory
from strap_live.messages import Past, PastEvents, PastRun, PastRuns, PastShot
from strap_live.pictures.frames import STORED, Frame
from strap_live.viewer import Viewer

LARGEST = 16 * 1024 * 1024
"""Bytes of a picture that is sent."""
BEHIND = "Too much is on its way to you already: ask again."
GONE = "It is not kept any more."


class HistoryAnswers:
    """Answers one viewer, who sees what their link allows."""

    def __init__(self, viewer: Viewer, history: RunHistory, tasks: Tasks) -> None:
        self._viewer = viewer
        self._history = history
        self._tasks = tasks

    def answer(self, request: Past) -> None:
        """Answer a question, at once or, with a picture, a little later."""
        if self._viewer.behind:
            self._refuse(request, BEHIND)
            return
        try:
            if isinstance(request, PastShot):
                self._picture(request)
            else:
                message = self._message(request)
                self._refuse(request, GONE) if message is None else self._viewer.tell(message)
        except sqlite3.Error as error:
            self._refuse(request, f"The store of runs cannot be read ({error}).")

    def _message(self, request: Past) -> Message | None:
        grant = self._viewer.grant
        match request:
            case PastRuns():
                return self._history.runs(grant, request)
            case PastRun():
                return self._history.run(grant, request.id)
            case PastEvents():
                return self._history.events(grant, request)
        return None

    def _picture(self, request: PastShot) -> None:
        path = self._history.shot(self._viewer.grant, request)
        if path is None:
            self._refuse(request, GONE)
        else:
            self._tasks(self._send(path, request))

    async def _send(self, path: Path, request: PastShot) -> None:
        try:
            data = await asyncio.to_thread(_read, path)
        except OSError:
            self._refuse(request, GONE)
            return
        # Its size is in the file; as the place of it the viewer has the number that it gave.
        frame = Frame(data=data, width=0, height=0, at=time.time(), still=True)
        self._viewer.post(frame.packed(0, request.n, kind=STORED))

    def _refuse(self, request: Past, why: str) -> None:
        message: Message = {"type": "refused", "of": request.type, "text": why}
        if isinstance(request, PastShot):
            message["n"] = request.n
        self._viewer.tell(message)


def _read(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(LARGEST)

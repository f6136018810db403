"""The calls of a session as one HTML page: each in words, what came of it, and a picture."""

import asyncio
import base64
import time
from collections.abc import Callable, Iterator
from html import escape
from pathlib import Path
from typing import Any

from strap.evidence.appended_file import AppendedFile
from strap.evidence.har import Masking
from strap.evidence.report_page import TAIL, figure, head, table
from strap.text import counted
from strap_browser.cdp.errors import CdpError
from strap_browser.common.tasks import Tasks
from strap_browser.common.text import clip
from strap_browser.engine.page import Page
from strap_browser.recorders.recording import RecordedCall

MOST = 300
"""Requests, and messages of the console, that are shown of a call."""
HEADING, LINE = 160, 300
"""Characters of a heading, and of a line."""
PICTURE_LIMIT = 5.0
"""Seconds for a picture: a page that hangs gives none."""
QUALITY = 60
"""Quality of a JPEG: text can be read, at some 50 kB."""
BAD_STATUS = 400
"""Status of HTTP from which on a request failed (RFC 9110, 15.5 and 15.6)."""
SHOWN = """[document.documentElement.innerText,
...[...document.querySelectorAll("input:not([type=password]), textarea")].map(e => e.value)]
.join("\\n").slice(0, 1000000)"""
"""Script for the text that a picture of a page may show, to look for secrets."""


class ReportRecorder:
    """Writes a section for each call; `failed` is called where the disk refuses."""

    what = "report"

    def __init__(self, path: Path, masking: Masking, failed: Callable[[str], None]) -> None:
        """Blocks; raises `OSError`."""
        self.path = path
        self._masking, self._failed, self._began = masking, failed, time.time()
        when = time.strftime("%Y-%m-%d %H:%M:%S")
        top = f"{head(f'Session of {when}')}<header><h1>Session of {when}</h1></header>\n"
        self._file = AppendedFile(path, top.encode(), TAIL.encode(), b"\n")
        self._requests: list[tuple[bool, tuple[str, ...]]] = []
        self._console: list[tuple[bool, tuple[str, ...]]] = []
        self._tasks, self._order = Tasks(), asyncio.Lock()

    @property
    def size(self) -> int:
        """Bytes of the file."""
        return self._file.size

    @property
    def summary(self) -> str:
        """Number of calls in the file, in words."""
        return counted(self._file.count, "call")

    def take(self, event: str, payload: Any, page: str) -> None:
        """Take an event of a page, or a call."""
        if event == "call":
            requests, self._requests = self._requests[-MOST:], []
            console, self._console = self._console[-MOST:], []
            self._tasks(self._write(payload, requests, console))
        elif event in ("requestfinished", "requestfailed"):
            is_bad = bool(payload.failure) or (payload.status or 0) >= BAD_STATUS
            took = "" if payload.took is None else f"{payload.took * 1000:,.0f} ms"
            outcome = payload.failure or str(payload.status or "")
            self._requests.append((is_bad, (payload.method, outcome, took, payload.url)))
        elif event == "console":
            self._console.append(
                (payload.type == "error", (payload.type, payload.text[: LINE * 4]))
            )
        elif event == "pageerror":
            self._console.append((True, ("error", str(payload)[: LINE * 4])))
        del self._requests[: -2 * MOST], self._console[: -2 * MOST]

    async def stop(self) -> None:
        """Wait for the last pictures."""
        await self._tasks.settle()
        await asyncio.to_thread(self._file.close)

    async def _write(self, call: RecordedCall, requests: Any, console: Any) -> None:
        async with self._order:
            picture, note = await self._picture(call.page)
            lines = self._section(call, picture, note, requests, console)
            try:
                await asyncio.to_thread(lambda: self._file.append("\n".join(lines).encode()))
            except OSError as error:
                self._failed(error.strerror or "it cannot be written")

    async def _picture(self, page: Page | None) -> tuple[bytes | None, str]:
        """Return a picture, or why there is none."""
        if page is None or page.is_closed() or page.dialog is not None:
            return None, "no picture: the page is gone, or a dialog is open"
        options = {"format": "jpeg", "quality": QUALITY, "optimizeForSpeed": True}
        try:
            async with asyncio.timeout(PICTURE_LIMIT):
                if self._masking.secrets:
                    seen = str(await page.evaluate(SHOWN))
                    if names := await asyncio.to_thread(self._masking.secrets.held_in, seen):
                        return None, f"no picture: the page shows the secret {names[0]!r}"
                answer = await page.session.send("Page.captureScreenshot", **options)
        except (CdpError, TimeoutError):
            return None, "no picture: the page did not answer"
        return base64.b64decode(answer["data"]), ""

    def _section(
        self,
        call: RecordedCall,
        picture: bytes | None,
        note: str,
        requests: list[tuple[bool, tuple[str, ...]]],
        console: list[tuple[bool, tuple[str, ...]]],
    ) -> Iterator[str]:
        text, number = self._masking.text, self._file.count + 1
        bad = " bad" if call.failed else ""
        what = escape(clip(text(call.what), HEADING))
        yield f'<section class="step{bad}"><h3>{number} · {what}'
        yield f"<small>{call.at - self._began:+.1f} s</small></h3>"
        where = clip(text(call.page.url), LINE) if call.page is not None else ""
        yield '<div class="pictures">'
        if picture is not None:
            yield figure(picture, "jpeg", f"Page after call {number}", where)
        else:
            yield f'<p class="none">({escape(note)})</p>'
        yield f'</div><div class="events"><pre>{escape(text(call.answer))}</pre>'
        for title, columns, rows in (
            ("request", ("method", "status", "time", "address"), requests),
            ("console message", ("kind", "text"), console),
        ):
            if rows:
                errors = sum(is_bad for is_bad, _ in rows)
                label = f"{counted(len(rows), title)}, {errors} with an error"
                hidden = ((bad, [clip(text(cell), LINE) for cell in row]) for bad, row in rows)
                yield from table(label, columns, hidden, is_open=bool(errors))
        yield "</div></section>"

"""A trace of a page as Chromium takes it: DevTools and Perfetto open it."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from strap.evidence.appended_file import AppendedFile, as_line
from strap.evidence.har import Masking
from strap.evidence.redaction import MASK, is_private
from strap.text import counted
from strap_browser.cdp.connection import CdpSession, Params
from strap_browser.cdp.errors import CdpError
from strap_browser.common.tasks import Tasks

END_LIMIT = 20.0
"""Seconds for the events of a trace, which come when it ends; 30 minutes have some 100 MB."""
CATEGORIES = (
    *("devtools.timeline", "v8.execute", "blink.user_timing", "latencyInfo", "loading"),
    *("disabled-by-default-devtools.timeline", "disabled-by-default-v8.cpu_profiler"),
)
"""Categories of a trace for the performance panel of DevTools, without pictures."""


class ProfileRecorder:
    """Takes the trace of one page; its events are written when it ends."""

    what = "profile"

    def __init__(self, path: Path, masking: Masking, failed: Callable[[str], None]) -> None:
        """Blocks; raises `OSError`."""
        self.path = path
        self._masking, self._failed = masking, failed
        self._file = AppendedFile(path, b'{"traceEvents":[\n', b"\n]}\n")
        self._session: CdpSession | None = None
        self._complete, self._order, self._tasks = asyncio.Event(), asyncio.Lock(), Tasks()

    async def start(self, session: CdpSession) -> None:
        """Begin to trace a page; raises `CdpError`, as where it is being traced."""
        session.on("Tracing.dataCollected", self._on_data)
        session.on("Tracing.tracingComplete", lambda _: self._complete.set())
        included = {"includedCategories": list(CATEGORIES), "excludedCategories": ["*"]}
        await session.send("Tracing.start", transferMode="ReportEvents", traceConfig=included)
        self._session = session

    @property
    def size(self) -> int:
        """Bytes of the file."""
        return self._file.size

    @property
    def summary(self) -> str:
        """Number of events in the file, in words."""
        return counted(self._file.count, "event")

    def take(self, event: str, payload: Any, page: str) -> None:
        """Take nothing: Chromium keeps the events until the end."""

    async def stop(self) -> None:
        """Have the events told, and write them."""
        with suppress(CdpError, TimeoutError):
            async with asyncio.timeout(END_LIMIT):
                if self._session is not None:
                    await self._session.send("Tracing.end")
                    await self._complete.wait()
        await self._tasks.settle()
        await asyncio.to_thread(self._file.close)

    def _on_data(self, event: Params) -> None:
        self._tasks(self._write(event["value"]))

    async def _write(self, events: list[Any]) -> None:
        async with self._order:
            try:
                await asyncio.to_thread(self._append, events)
            except OSError as error:
                self._failed(error.strerror or "it cannot be written")

    def _append(self, events: list[Any]) -> None:
        if events:
            self._file.append(*(as_line(self._masked(event)) for event in events))

    def _masked(self, value: Any, name: str = "") -> Any:
        """Return a value of JSON without credentials."""
        if isinstance(value, str):
            return MASK if is_private(name) else self._masking.text(value)
        if isinstance(value, dict):
            return {key: self._masked(item, key) for key, item in value.items()}
        if isinstance(value, list):
            return [self._masked(item, name) for item in value]
        return value

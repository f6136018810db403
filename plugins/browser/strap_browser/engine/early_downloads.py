"""Downloads that begin before Playwright is there."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from shutil import copyfile
from typing import Any

from strap_browser.cdp.connection import Answer, CdpSession


class EarlyDownload:
    """A file on its way, as Playwright's `Download`."""

    def __init__(self, browser: CdpSession, guid: str, *, url: str, name: str, file: Path) -> None:
        self.url = url
        self.suggested_filename = name
        self.arriving = file
        """The file that the browser writes to."""
        self._browser = browser
        self._guid = guid
        self._outcome: asyncio.Future[str | None] = asyncio.get_running_loop().create_future()

    def end(self, state: str) -> None:
        """Note how it ended: "completed" or "canceled"."""
        if not self._outcome.done():
            self._outcome.set_result(None if state == "completed" else state)

    async def failure(self) -> str | None:
        """Wait for the end; returns why there is no file, None if there is one."""
        return await asyncio.shield(self._outcome)

    async def path(self) -> Path:
        """Return where the complete file is."""
        await self.failure()
        return self.arriving

    async def save_as(self, path: Path) -> None:
        """Copy the complete file; raises `OSError`."""
        await asyncio.to_thread(copyfile, self.arriving, path)

    async def delete(self) -> None:
        """Delete the file."""
        self.arriving.unlink(missing_ok=True)

    async def cancel(self) -> None:
        """Stop it."""
        await self._browser.send("Browser.cancelDownload", guid=self._guid)


class EarlyDownloads:
    """The downloads of a browser, from the events of its session."""

    def __init__(self, browser: CdpSession, tell: Callable[[EarlyDownload], None]) -> None:
        self.retired = False
        """Whether downloads that begin now are told by others."""
        self._browser = browser
        self._tell = tell
        self._folder = Path()
        self._running: dict[str, EarlyDownload] = {}
        browser.listen(self._on_event)

    def allow(self, folder: Path) -> "asyncio.Future[Answer]":
        """Have the browser save into `folder`, each file under an id of its own."""
        self._folder = folder
        how = {"behavior": "allowAndName", "downloadPath": str(folder), "eventsEnabled": True}
        return self._browser.send("Browser.setDownloadBehavior", **how)

    def _on_event(self, name: str, told: dict[str, Any]) -> None:
        if name == "Browser.downloadWillBegin" and not self.retired:
            guid, title = told["guid"], told["suggestedFilename"]
            file = self._folder / guid
            download = EarlyDownload(self._browser, guid, url=told["url"], name=title, file=file)
            self._running[guid] = download
            self._tell(download)
        elif name == "Browser.downloadProgress" and told["state"] != "inProgress":
            ended = self._running.pop(told["guid"], None)
            if ended is not None:
                ended.end(told["state"])

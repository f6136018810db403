"""Files that pages download, as the browser tells of them."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from strap_browser.cdp.connection import Answer, CdpSession

if TYPE_CHECKING:
    from cdp_use.cdp.browser.events import DownloadProgressEvent, DownloadWillBeginEvent


class Download:
    """A file on its way."""

    def __init__(
        self, browser: CdpSession, guid: str, *, url: str, name: str, file: Path | None
    ) -> None:
        self.url = url
        self.suggested_filename = name
        self.arriving = file
        """The file that the browser writes to, None where that is on another machine."""
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

    async def save_as(self, path: Path) -> None:
        """Copy the complete file; raises `OSError`."""
        if self.arriving is None:
            raise FileNotFoundError(self.suggested_filename)
        from shutil import copyfile

        await asyncio.to_thread(copyfile, self.arriving, path)

    def delete(self) -> None:
        """Delete the file."""
        if self.arriving is not None:
            self.arriving.unlink(missing_ok=True)

    async def cancel(self) -> None:
        """Stop it; raises `CdpError`."""
        await self._browser.send("Browser.cancelDownload", guid=self._guid)


class Downloads:
    """The downloads of a browser, from the events of its session."""

    def __init__(
        self, browser: CdpSession, folder: Path | None, tell: Callable[[str, Download], None]
    ) -> None:
        """`folder` is where the browser is to save; `tell` gets the frame of each download."""
        self._browser = browser
        self._folder = folder
        self._tell = tell
        self._running: dict[str, Download] = {}
        browser.on("Browser.downloadWillBegin", self._on_begin)
        browser.on("Browser.downloadProgress", self._on_progress)

    def allow(self, context: str = "") -> "asyncio.Future[Answer]":
        """Have a browser context save its downloads, each under an id of its own."""
        how: dict[str, Any] = {"behavior": "default", "eventsEnabled": True}
        if self._folder is not None:
            how |= {"behavior": "allowAndName", "downloadPath": str(self._folder)}
        if context:
            how["browserContextId"] = context
        return self._browser.send("Browser.setDownloadBehavior", **how)

    def aclose(self) -> None:
        """Follow no more."""
        self._browser.off("Browser.downloadWillBegin", self._on_begin)
        self._browser.off("Browser.downloadProgress", self._on_progress)

    def _on_begin(self, event: "DownloadWillBeginEvent") -> None:
        guid = event["guid"]
        file = self._folder / guid if self._folder is not None else None
        download = Download(
            self._browser, guid, url=event["url"], name=event["suggestedFilename"], file=file
        )
        self._running[guid] = download
        self._tell(event["frameId"], download)

    def _on_progress(self, event: "DownloadProgressEvent") -> None:
        if event["state"] != "inProgress" and (ended := self._running.pop(event["guid"], None)):
            ended.end(event["state"])

"""What a page does by itself, as entries of a timeline."""

from typing import Protocol

from strap_browser.api import (
    ConsoleMessage,
    Dialog,
    Download,
    Page,
    Request,
    Response,
    is_chatter,
    loggable_url,
)
from strap_live.timeline import Kind

ERROR = 400
"""From here on a status of HTTP tells of an error."""


class Hear(Protocol):
    """Hears what a page does."""

    def __call__(self, kind: Kind, text: str, *, bad: bool = False) -> None:
        """Take note of it."""


def follow(page: Page, hear: Hear) -> None:
    """Have somebody hear of errors, documents, dialogs and downloads of a page from now on."""

    def on_console(message: ConsoleMessage) -> None:
        if message.is_of_network or is_chatter(message):
            return
        if message.type in ("error", "warning"):
            bad = message.type == "error"
            hear("console", message.text, bad=bad)

    def on_response(response: Response) -> None:
        request = response.request
        if response.status >= ERROR or request.is_navigation:
            text = f"{request.method} {loggable_url(request.url)} {response.status}"
            hear("network", text, bad=response.status >= ERROR)

    def on_failed(request: Request) -> None:
        text = f"{request.method} {loggable_url(request.url)} {request.failure or 'failed'}"
        hear("network", text, bad=True)

    def on_dialog(dialog: Dialog) -> None:
        hear("dialog", f"{dialog.type}: {dialog.message}")

    def on_download(download: Download) -> None:
        hear("download", download.suggested_filename)

    page.on("console", on_console)
    page.on("pageerror", lambda text: hear("console", text, bad=True))
    page.on("response", on_response)
    page.on("requestfailed", on_failed)
    page.on("dialog", on_dialog)
    page.on("download", on_download)
    page.on("crash", lambda _: hear("page", "The page crashed.", bad=True))

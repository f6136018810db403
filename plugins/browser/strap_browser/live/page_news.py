"""What a page does by itself, as entries of a timeline."""

from strap_browser.common.urls import loggable_url
from strap_browser.engine.console import ConsoleMessage
from strap_browser.engine.downloads import Download
from strap_browser.engine.network import Request, Response
from strap_browser.engine.page import Page
from strap_browser.engine.prompts import Dialog
from strap_browser.live.timeline import Timeline
from strap_browser.pages.page_log import is_chatter

ERROR = 400
"""From here on a status of HTTP tells of an error."""


def follow(page: Page, timeline: Timeline, name: str) -> None:
    """Note errors, documents, dialogs and downloads of a page from now on."""

    def on_console(message: ConsoleMessage) -> None:
        if message.type in ("error", "warning") and not is_chatter(message):
            bad = message.type == "error"
            timeline.add("console", message.text, bad=bad, page=name)

    def on_response(response: Response) -> None:
        request = response.request
        if response.status >= ERROR or request.is_navigation:
            text = f"{request.method} {loggable_url(request.url)} {response.status}"
            timeline.add("network", text, bad=response.status >= ERROR, page=name)

    def on_failed(request: Request) -> None:
        text = f"{request.method} {loggable_url(request.url)} {request.failure or 'failed'}"
        timeline.add("network", text, bad=True, page=name)

    def on_dialog(dialog: Dialog) -> None:
        timeline.add("dialog", f"{dialog.type}: {dialog.message}", page=name)

    def on_download(download: Download) -> None:
        timeline.add("download", download.suggested_filename, page=name)

    page.on("console", on_console)
    page.on("pageerror", lambda text: timeline.add("console", text, bad=True, page=name))
    page.on("response", on_response)
    page.on("requestfailed", on_failed)
    page.on("dialog", on_dialog)
    page.on("download", on_download)
    page.on("crash", lambda _: timeline.add("page", "The page crashed.", bad=True, page=name))

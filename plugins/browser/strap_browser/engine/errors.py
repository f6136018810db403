"""Errors of loading a document, and of strap's script in it."""

from strap_browser.cdp.errors import CdpError

ABORTED = "net::ERR_ABORTED"


class NavigationFailed(CdpError):
    """The document did not come; `reason` is Chromium's word for why, as `net::ERR_ABORTED`."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class WouldResend(NavigationFailed):
    """The document is the answer to a form, which would be sent again with this `method`."""

    def __init__(self, method: str) -> None:
        super().__init__(f"It is the answer to a {method}, which is not sent again.")
        self.method = method


class DownloadStarted(CdpError):
    """The response is a file: it is saved, and the page stays where it is."""


class ScriptFailed(CdpError):
    """A script of strap's own failed in the page."""

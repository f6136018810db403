"""Which pages of a run ask for a file, which nobody gives them."""

from strap_browser.cdp.connection import CdpConnection, Params


class Choosers:
    """No window opens for it, in which the user's files are seen and which nobody closes."""

    def __init__(self, cdp: CdpConnection) -> None:
        self._cdp = cdp
        self._asking: set[str] = set()
        """The sessions of pages that have asked since their document came."""
        cdp.on("Page.fileChooserOpened", lambda _, session: self._asking.add(session))
        cdp.on("Page.frameNavigated", self._arrived)

    def listen(self, session: str) -> None:
        """Listen to a page, whose Page domain is enabled."""
        self._cdp.post("Page.setInterceptFileChooserDialog", session, enabled=True)

    def asks(self, session: str) -> bool:
        """Whether the page with this session asks for a file."""
        return session in self._asking

    def _arrived(self, params: Params, session: str) -> None:
        if "parentId" not in params["frame"]:
            self._asking.discard(session)

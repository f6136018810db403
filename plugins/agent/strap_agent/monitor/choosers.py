"""File choosers of the pages of a run: noted, and never opened."""

from strap_browser.api import CdpConnection, Params


class Choosers:
    """No window opens for it, in which the user's files are seen and which nobody closes.

    A frame of another site asks in a session of its own.
    """

    def __init__(self, cdp: CdpConnection) -> None:
        self._cdp = cdp
        self._pages: dict[str, str] = {}
        """The session of the page in which each session is."""
        self._asking: dict[str, str] = {}
        """The session of the page in which each frame is that has asked since it got there."""
        cdp.on("Page.fileChooserOpened", self._opened)
        cdp.on("Page.frameNavigated", self._arrived)

    def listen(self, session: str, parent: str) -> None:
        """Listen to a page, or to a frame of one whose session is `parent`."""
        self._pages[session] = self._pages.get(parent, session)
        self._cdp.post("Page.enable", session)
        self._cdp.post("Page.setInterceptFileChooserDialog", session, enabled=True)

    def asks(self, session: str) -> bool:
        """Whether the page with this session asks for a file."""
        return session in self._asking.values()

    def _opened(self, params: Params, session: str) -> None:
        self._asking[params["frameId"]] = self._pages.get(session, session)

    def _arrived(self, params: Params, session: str) -> None:
        self._asking.pop(params["frame"]["id"], None)
        if "parentId" not in params["frame"]:
            self._asking = {k: page for k, page in self._asking.items() if page != session}

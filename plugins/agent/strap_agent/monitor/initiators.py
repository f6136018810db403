"""From where a watched page asks for something, and whether it is the agent that leads it there."""

from strap_browser.api import Params, PausedRequest, is_web


class Initiators:
    """Keeps the address of what each session belongs to: a page, a frame or a worker."""

    def __init__(self) -> None:
        self._places: dict[str, str] = {}
        self._sessions: dict[str, str] = {}
        """The session of each target."""
        self._above: dict[str, str] = {}
        """The session of the page that made this one."""
        self._tops: dict[str, str] = {}
        """The main frame of each page."""

    def attached(self, info: Params, session: str, parent: str) -> None:
        """Note a new session, of the target that `info` describes."""
        self._sessions[info["targetId"]] = session
        self._above[session] = self._sessions.get(info.get("openerId", ""), parent)
        if info["type"] == "page":
            self._tops[session] = info["targetId"]  # a page and its main frame share their id
        self._places[session] = info["url"]

    def changed(self, info: Params) -> None:
        """Note where a target is now."""
        if info["targetId"] in self._sessions:
            self._places[self._sessions[info["targetId"]]] = info["url"]

    def destroyed(self, target: str) -> None:
        """Forget where a target was; what it made may still ask for something."""
        session = self._sessions.pop(target, "")
        self._tops.pop(session, None)

    def page(self, session: str) -> str:
        """Return the address that requests of `session` come from, '' if it is not known.

        A blank page, and a worker made of a text, are as their maker.
        """
        seen: set[str] = set()
        while session and session not in seen:
            if is_web(place := self._places.get(session, "")):
                return place
            seen.add(session)
            session = self._above.get(session, "")
        return ""

    def led(self, request: PausedRequest) -> bool:
        """Whether a request is the agent's own going to an address.

        What a page leads to names the page as referrer, unless it hides it; then the browser's
        proxy still knows, by headers that are not shown here. The first document of a pop-up is
        its opener's.
        """
        session = request.session.id
        top = request.resource_type == "Document" and request.frame_id == self._tops.get(session)
        headers = {name.lower() for name in request.headers}
        new = not is_web(self._places.get(session, "")) and bool(self._above.get(session))
        return top and not new and "referer" not in headers and not request.redirected_id

"""Sources of requests: the caller of each, as far as the browser tells."""

from collections.abc import Mapping
from functools import partial

from strap_browser.engine.browser_connection import BrowserConnection
from strap_browser.engine.traffic.approvals import RequestSource
from strap_browser.engine.traffic.paused_request import PausedRequest
from strap_browser.pages.caller_pages import CallerPages


def source_of(
    request: PausedRequest,
    sessions: Mapping[str, CallerPages],
    connection: BrowserConnection | None,
) -> RequestSource:
    """Return whose a request is; else it counts as that of the caller who came last."""
    page = connection.page_of(request.frame_id) if connection else None
    for key, session in sessions.items() if page else ():
        for tab in session.tabs.values():
            if tab.page in (page, page.opener if page else None):
                tell = partial(session.conditions.tell, tab=tab)
                return RequestSource(key=key, tell=tell, traffic=tab.page.traffic)
    context = connection.traffic.contexts.get(request.frame_id) if connection else None
    callers = list(sessions.items())
    own = [caller for caller in callers if caller[1].context and caller[1].context.id == context]
    for key, session in (own or callers)[-1:]:
        return RequestSource(key=key, tell=session.conditions.tell)
    return RequestSource()

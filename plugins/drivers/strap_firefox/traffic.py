"""Requests of pages, told as the domains Network and Fetch of the DevTools protocol tell them."""

from collections.abc import Callable
from typing import Any

from strap_firefox.net_errors import net_error
from strap_firefox.session import FirefoxSession

Params = dict[str, Any]
TYPES = {
    "audio": "Media",
    "audioworklet": "Script",
    "document": "Document",
    "embed": "Document",
    "font": "Font",
    "frame": "Document",
    "iframe": "Document",
    "image": "Image",
    "manifest": "Manifest",
    "object": "Document",
    "script": "Script",
    "serviceworker": "Script",
    "sharedworker": "Script",
    "style": "Stylesheet",
    "track": "TextTrack",
    "video": "Media",
    "worker": "Script",
    "xslt": "Document",
}
"""Types of the protocol (`Network.ResourceType`), by a request's destination (Fetch, 2.2.5)."""
INITIATORS = {"fetch": "Fetch", "xmlhttprequest": "XHR", "beacon": "Ping"}


def before_request(firefox: FirefoxSession, params: Params) -> None:
    """A request begins, or is held."""
    request = params["request"]
    page = firefox.contexts.page(params["context"] or "")
    if params["isBlocked"]:
        _hold(firefox, page, params)
    if not firefox.contexts.get(page):
        return
    of_document = bool(params["navigation"]) and not request["url"].startswith("data:")
    context = firefox.contexts.get(params["context"])
    if of_document and context is not None:
        context.request = request["request"]
        if params["navigation"] == context.pending[0]:
            context.pending = params["navigation"], request["url"]
    event = {
        "requestId": request["request"],
        "loaderId": request["request"] if of_document else "",
        "request": {
            "url": request["url"],
            "method": request["method"],
            "headers": _headers(request["headers"]),
            "hasPostData": bool(request["bodySize"]),
        },
        "timestamp": params["timestamp"] / 1000,
        "wallTime": params["timestamp"] / 1000,
        "type": "Document" if of_document else _type(request),
        "frameId": params["context"],
        "redirectHasExtraInfo": False,
    }
    before = firefox.answers.pop(request["request"], None)
    if params["redirectCount"] and before:
        event["redirectResponse"] = before
    firefox.tell(page, "Network.requestWillBeSent", **event)


def _type(request: Params) -> str:
    by = INITIATORS.get(request.get("initiatorType") or "")
    return by or TYPES.get(request.get("destination") or "", "Other")


def response_started(firefox: FirefoxSession, params: Params) -> None:
    """The head of an answer is there."""
    answer = params["response"]
    response = {
        "url": answer["url"],
        "status": answer["status"],
        "statusText": answer["statusText"],
        "headers": _headers(answer["headers"]),
        "mimeType": answer["mimeType"],
    }
    request = params["request"]["request"]
    firefox.answers[request] = response
    if len(firefox.answers) > MOST:
        firefox.answers.pop(next(iter(firefox.answers)))
    if not _redirects(answer):
        if params["navigation"] and (context := firefox.contexts.get(params["context"])):
            context.answered = params["navigation"]
        event = {"requestId": request, "timestamp": params["timestamp"] / 1000}
        page = firefox.contexts.page(params["context"] or "")
        firefox.tell(page, "Network.responseReceived", response=response, **event)


MOST = 1_000
"""Heads of answers that are kept in mind, for redirects."""


def response_completed(firefox: FirefoxSession, event: Params) -> None:
    """An answer is there, whole."""
    page = firefox.contexts.page(event["context"] or "")
    if event["navigation"] and event["response"]["status"] in EMPTY:
        firefox.navigations.end(event["navigation"], {"errorText": "net::ERR_ABORTED"})
        firefox.tell(page, "Page.frameStoppedLoading", frameId=event["context"])
    if not _redirects(event["response"]):
        at = event["timestamp"] / 1000
        request = event["request"]["request"]
        firefox.tell(page, "Network.loadingFinished", requestId=request, timestamp=at)


REDIRECTS = frozenset((301, 302, 303, 307, 308))
EMPTY = frozenset((204, 205))
"""Answers after which a page stays where it is (HTML, 7.4.2.3)."""


def _redirects(answer: Params) -> bool:
    names = (header["name"].lower() for header in answer["headers"])
    return answer["status"] in REDIRECTS and "location" in names


def fetch_error(firefox: FirefoxSession, params: Params) -> None:
    """There is no answer."""
    page = firefox.contexts.page(params["context"] or "")
    failure = net_error(params["errorText"])
    event = {"requestId": params["request"]["request"], "timestamp": params["timestamp"] / 1000}
    cancelled = failure == "net::ERR_ABORTED"
    firefox.tell(page, "Network.loadingFailed", errorText=failure, canceled=cancelled, **event)


def password_asked(firefox: FirefoxSession, event: Params) -> None:
    """A server wants a user name and a password, which nobody gives: its answer is shown."""
    if event["isBlocked"]:
        request = event["request"]["request"]
        firefox.bidi.send("network.continueWithAuth", request=request, action="cancel")


def _hold(firefox: FirefoxSession, page: str, event: Params) -> None:
    request = event["request"]
    if firefox.intercepts.get(page, ("", False))[1] and not event["navigation"]:
        firefox.bidi.send("network.continueRequest", request=request["request"])
        return
    about = {
        "url": request["url"],
        "method": request["method"],
        "headers": _headers(request["headers"]),
    }
    held = {"requestId": request["request"], "frameId": event["context"]}
    firefox.tell(page, "Fetch.requestPaused", request=about, **held)


def _headers(fields: list[Params]) -> dict[str, str]:
    headers: dict[str, str] = {}
    for header in fields:
        name, value = header["name"], str(header["value"].get("value", ""))
        headers[name] = f"{headers[name]}\n{value}" if name in headers else value
    return headers


EVENTS: dict[str, Callable[[FirefoxSession, Params], None]] = {
    "network.authRequired": password_asked,
    "network.beforeRequestSent": before_request,
    "network.fetchError": fetch_error,
    "network.responseCompleted": response_completed,
    "network.responseStarted": response_started,
}

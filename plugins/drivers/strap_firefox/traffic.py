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


def before_request(firefox: FirefoxSession, told: Params) -> None:
    """A request begins, or is held."""
    asked = told["request"]
    page = firefox.contexts.page(told["context"] or "")
    if told["isBlocked"]:
        _hold(firefox, page, told)
    if not firefox.contexts.get(page):
        return
    of_document = bool(told["navigation"]) and not asked["url"].startswith("data:")
    context = firefox.contexts.get(told["context"])
    if of_document and context is not None:
        context.request = asked["request"]
        if told["navigation"] == context.pending[0]:
            context.pending = told["navigation"], asked["url"]
    event = {
        "requestId": asked["request"],
        "loaderId": asked["request"] if of_document else "",
        "request": {
            "url": asked["url"],
            "method": asked["method"],
            "headers": _headers(asked["headers"]),
            "hasPostData": bool(asked["bodySize"]),
        },
        "timestamp": told["timestamp"] / 1000,
        "wallTime": told["timestamp"] / 1000,
        "type": "Document" if of_document else _type(asked),
        "frameId": told["context"],
        "redirectHasExtraInfo": False,
    }
    before = firefox.answers.pop(asked["request"], None)
    if told["redirectCount"] and before:
        event["redirectResponse"] = before
    firefox.tell(page, "Network.requestWillBeSent", **event)


def _type(asked: Params) -> str:
    by = INITIATORS.get(asked.get("initiatorType") or "")
    return by or TYPES.get(asked.get("destination") or "", "Other")


def response_started(firefox: FirefoxSession, told: Params) -> None:
    """The head of an answer is there."""
    answer = told["response"]
    response = {
        "url": answer["url"],
        "status": answer["status"],
        "statusText": answer["statusText"],
        "headers": _headers(answer["headers"]),
        "mimeType": answer["mimeType"],
    }
    request = told["request"]["request"]
    firefox.answers[request] = response
    if len(firefox.answers) > MOST:
        firefox.answers.pop(next(iter(firefox.answers)))
    if not _redirects(answer):
        if told["navigation"] and (context := firefox.contexts.get(told["context"])):
            context.answered = told["navigation"]
        event = {"requestId": request, "timestamp": told["timestamp"] / 1000}
        page = firefox.contexts.page(told["context"] or "")
        firefox.tell(page, "Network.responseReceived", response=response, **event)


MOST = 1_000
"""Heads of answers that are kept in mind, for redirects."""


def response_completed(firefox: FirefoxSession, told: Params) -> None:
    """An answer is there, whole."""
    page = firefox.contexts.page(told["context"] or "")
    if told["navigation"] and told["response"]["status"] in EMPTY:
        firefox.navigations.end(told["navigation"], {"errorText": "net::ERR_ABORTED"})
        firefox.tell(page, "Page.frameStoppedLoading", frameId=told["context"])
    if not _redirects(told["response"]):
        at = told["timestamp"] / 1000
        request = told["request"]["request"]
        firefox.tell(page, "Network.loadingFinished", requestId=request, timestamp=at)


REDIRECTS = frozenset((301, 302, 303, 307, 308))
EMPTY = frozenset((204, 205))
"""Answers after which a page stays where it is (HTML, 7.4.2.3)."""


def _redirects(answer: Params) -> bool:
    names = (each["name"].lower() for each in answer["headers"])
    return answer["status"] in REDIRECTS and "location" in names


def fetch_error(firefox: FirefoxSession, told: Params) -> None:
    """There is no answer."""
    page = firefox.contexts.page(told["context"] or "")
    failure = net_error(told["errorText"])
    event = {"requestId": told["request"]["request"], "timestamp": told["timestamp"] / 1000}
    cancelled = failure == "net::ERR_ABORTED"
    firefox.tell(page, "Network.loadingFailed", errorText=failure, canceled=cancelled, **event)


def password_asked(firefox: FirefoxSession, told: Params) -> None:
    """A server wants a user name and a password, which nobody gives: its answer is shown."""
    if told["isBlocked"]:
        request = told["request"]["request"]
        firefox.bidi.send("network.continueWithAuth", request=request, action="cancel")


def _hold(firefox: FirefoxSession, page: str, told: Params) -> None:
    asked = told["request"]
    if firefox.intercepts.get(page, ("", False))[1] and not told["navigation"]:
        firefox.bidi.send("network.continueRequest", request=asked["request"])
        return
    about = {"url": asked["url"], "method": asked["method"], "headers": _headers(asked["headers"])}
    held = {"requestId": asked["request"], "frameId": told["context"]}
    firefox.tell(page, "Fetch.requestPaused", request=about, **held)


def _headers(told: list[Params]) -> dict[str, str]:
    headers: dict[str, str] = {}
    for each in told:
        name, value = each["name"], str(each["value"].get("value", ""))
        headers[name] = f"{headers[name]}\n{value}" if name in headers else value
    return headers


EVENTS: dict[str, Callable[[FirefoxSession, Params], None]] = {
    "network.authRequired": password_asked,
    "network.beforeRequestSent": before_request,
    "network.fetchError": fetch_error,
    "network.responseCompleted": response_completed,
    "network.responseStarted": response_started,
}

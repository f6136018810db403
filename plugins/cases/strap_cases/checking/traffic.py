"""Checks of what pages asked the network and told their consoles."""

from collections.abc import AsyncIterator, Iterable
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from strap import record
from strap_cases.checking.matching import fits_address, squeezed
from strap_cases.checking.scene import Observed, Scene
from strap_cases.checks import Check, Text

BAD = 400
"""Status of HTTP from which on a request failed (RFC 9110, 15.5 and 15.6)."""
CANCELLED = "ERR_ABORTED"
"""Error of Chromium for a request that the page cancelled, for example by navigating away."""
PAGE = 200
"""Events that one call gives at most."""
KEPT_MESSAGES = 200
"""Messages that a page keeps; with so many there may have been more."""
FEW = 5
"""Requests or messages that a report names."""


@record
class Request:
    """A request, and what became of it."""

    method: str
    url: str
    status: int | None
    failed: bool
    why: str = ""
    """Why there was no answer."""
    base_url: str = ""
    """Address of the application; `line` names the host of a request only if it differs."""

    @property
    def line(self) -> str:
        """Request and its outcome in words."""
        parts, base = urlsplit(self.url), urlsplit(self.base_url)
        host = "" if parts[:2] == base[:2] else f"{parts.scheme}://{parts.netloc}"
        path = f"{host}{parts.path or '/'}"
        return f"{self.method} {path} {self.status or self.why or 'no answer'}"


def lines_of(requests: Iterable[Request]) -> list[str]:
    """Return requests in words, each once: a page and a run may both have seen one."""
    seen = dict[tuple[str, str, int | None], str]()
    for item in requests:
        key = item.method, item.url, item.status
        seen[key] = max(seen.get(key, ""), item.line, key=len)
    return list(seen.values())


@dataclass(kw_only=True, slots=True)
class Traffic:
    """Events of a case so far; `lost` says which are no longer kept."""

    requests: list[Request] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    messages: list[str] = field(default_factory=list)
    dialogs: list[str] = field(default_factory=list)
    lost: str = ""


def different(texts: Iterable[str]) -> list[str]:
    """Return texts with single blanks, without those that are told whole by another one."""
    once = list(dict.fromkeys(map(squeezed, texts)))
    return [item for item in once if not any(item in other and item != other for other in once)]


async def request(check: Check, scene: Scene) -> Observed:
    """Whether a page made a request."""
    traffic, path = await watched(scene), check.arguments["path"]
    assert isinstance(path, Text)
    of_method = [
        item
        for item in traffic.requests
        if item.method == check.arguments["method"] and fits_address(item.url, path)
    ]
    status = check.arguments.get("status")
    met = any(status is None or item.status == status for item in of_method)
    near = of_method or [
        item for item in traffic.requests if item.method == check.arguments["method"]
    ]
    return _known(met, lines_of(near[-FEW:]), traffic)


async def failed_requests(check: Check, scene: Scene) -> Observed:
    """Whether a request failed."""
    traffic = await watched(scene)
    failed = [item for item in traffic.requests if item.failed]
    return _known(bool(failed), lines_of(failed)[:FEW], traffic)


async def console_errors(check: Check, scene: Scene) -> Observed:
    """Whether a page told of errors, or a script of it failed."""
    traffic = await watched(scene)
    return _known(bool(traffic.errors), different(traffic.errors)[:FEW], traffic)


async def console(check: Check, scene: Scene) -> Observed:
    """Whether a page told its console a text."""
    return await _message(check, scene, "messages")


async def dialog(check: Check, scene: Scene) -> Observed:
    """Whether a page opened a dialog that says a text."""
    return await _message(check, scene, "dialogs")


async def _message(check: Check, scene: Scene, kind: str) -> Observed:
    traffic, expected = await watched(scene), check.arguments["text"]
    assert isinstance(expected, Text)
    lines: list[str] = getattr(traffic, kind)
    return _known(any(await scene.matching.which(lines, expected)), lines[-FEW:], traffic)


def _known(met: bool, seen: list[str], traffic: Traffic) -> Observed:
    """Return the observation; a miss is unknown if some events were lost."""
    if not met and traffic.lost:
        return Observed(None, traffic.lost)
    return Observed(met, "; ".join(dict.fromkeys(map(squeezed, seen))) or "none")


async def watched(scene: Scene) -> Traffic:
    """Return what the pages that are open keep, and what the runs saw of all pages."""
    traffic = Traffic()
    for page in await scene.session.pages():
        await _of_page(scene, page, traffic)
    for run in scene.runs:
        async for event in _events(scene, run, traffic):
            _add(event, traffic, scene.base_url)
    return traffic


async def _of_page(scene: Scene, page: str, traffic: Traffic) -> None:
    requests = (await scene.session.on_page("network", target_id=page, limit=1)).data
    for item in requests:
        failure, status = item["failure"] or "", item["status"]
        bad = bool(failure) and CANCELLED not in failure
        traffic.requests.append(
            Request(
                method=item["method"],
                url=item["url"],
                status=status,
                failed=bad or (status or 0) >= BAD,
                why=failure.removeprefix("net::"),
                base_url=scene.base_url,
            )
        )
    if requests and requests[0]["ref"] != "r1":
        traffic.lost = "the page made more requests than are kept"
    messages = (await scene.session.on_page("console", target_id=page, limit=1)).data
    traffic.messages += [message["text"] for message in messages]
    traffic.errors += [message["text"] for message in messages if message["level"] == "error"]
    if len(messages) >= KEPT_MESSAGES:
        traffic.lost = "the page told its console more than is kept"


async def _events(scene: Scene, run: str, traffic: Traffic) -> AsyncIterator[dict[str, Any]]:
    start, more = 0, True
    while more:
        answer = await scene.session.call(
            "browser", "get_run_events", session_id=run, start=start, last_n=PAGE,
            event_types=["console", "network"], include_details=True, max_tokens=100_000,
        )  # fmt: skip
        events = answer.data["events"]
        for event in events:
            yield event
        start, more = start + len(events), "note" in answer.data and bool(events)
    if gone := {kind: n for kind, n in answer.data["dropped"].items() if kind != "screenshots"}:
        traffic.lost = f"the run saw more than is kept ({', '.join(sorted(gone))})"


def _add(event: dict[str, Any], traffic: Traffic, base_url: str) -> None:
    details, bad = event["details"], event.get("has_error", False)
    if event["type"] == "network":
        url = event["summary"].split(" ")[1]
        traffic.requests.append(
            Request(
                method=details["method"],
                url=url,
                status=details["status"],
                failed=bad,
                why=(details["error"] or "").removeprefix("net::"),
                base_url=base_url,
            )
        )
    elif details.get("level") == "dialog":
        traffic.dialogs.append(details["text"])
    else:
        traffic.messages.append(details.get("text", event["summary"]))
        traffic.errors += [details.get("text", event["summary"])] if bad else []

"""Recorder of a run: stores steps, failures, events and pictures."""

import base64
import binascii
import logging
import time
from collections.abc import Callable, Mapping
from math import inf
from typing import Any

from strap_agent.contract import MAX_LINE
from strap_agent.result.compose import Redactor
from strap_agent.result.verdict import Failure, Verdict
from strap_agent.store.records import STORE_ERRORS, Event, ShotKind
from strap_agent.store.store import Store
from strap_agent.store.telling import words
from strap_agent.workers.pool import Message
from strap_browser.api import clip, is_web, loggable_url, unopened

log = logging.getLogger(__name__)
LONGEST = 600
"""Characters of a text among the details of a step."""
BLANK = "about:blank"
BATCH = 50
"""Events written in one transaction, which waits for the disk."""
TOLD = ("goal", "actions", "elements", "boxes", "results", "title", "took")
"""Keys in the details of a step."""
SAMPLE_PACE = 2.0
"""Seconds between two samples of how the page looks."""
MOST_WAITING = 1_000
"""Events kept where the store cannot be written for now."""


class RunRecorder:
    """Takes note of a run and keeps what its answer needs."""

    def __init__(self, session_id: str, store: Store, hide: Redactor) -> None:
        self.failures: list[Failure] = []
        self.failing = False
        self.steps = 0
        self._ended: dict[int, float] = {}
        """When each step ended, in seconds since 1970."""
        self.thinking: float | None = None
        """Since when the model is asked, in seconds since 1970; None while it is not."""
        self.url: str | None = None
        """The last address of the web, with its `title`."""
        self.title: str | None = None
        self._place: tuple[str | None, str | None] = None, None
        """Address and title of the current page, also of one that is none of the web."""
        self.page_id: str | None = None
        self._session_id = session_id
        self._store = store
        self._hide = hide
        self._events: list[Event] = []
        self._model_failure: Failure | None = None
        self._first: bytes | None = None
        """How the first page looked, until there is a picture of a step."""
        self._pictured = False
        self._flush_at = BATCH
        self._closed = False
        self._listener: Callable[[Event], None] | None = None
        self._acting: Callable[[str | None, int | None], None] | None = None
        self._sampled: tuple[float, bytes] = -inf, b""
        """The last sample, and when it was taken."""
        self._private: list[tuple[float, float]] = []
        """From when to when a person had control, in seconds since 1970."""

    def listen(
        self, listener: Callable[[Event], None], acting: Callable[[str | None, int | None], None]
    ) -> None:
        """Tell of each event from now on, with nothing in it that is not to be shown.

        `acting` hears of each action that begins in words, with the backend node id of its element
        on the agent's page where that is known, and (None, None) when it has ended.
        """
        self._listener, self._acting = listener, acting
        self._flush()  # so that the store has what was before

    @property
    def hushed(self) -> bool:
        """Whether a person has control, so that nothing of what the pages say is kept."""
        return bool(self._private) and self._private[-1][1] == inf

    def hush(self, *, hushed: bool) -> None:
        """Keep nothing of what the pages say from now on, or again."""
        now = time.time()
        if hushed and not self.hushed:
            self._private.append((now, inf))
        elif not hushed and self.hushed:
            self._private[-1] = self._private[-1][0], now

    def person(self, what: str) -> None:
        """Note what a person did, or what the agent waits for."""
        self._note(what, bad=False, details={"by": "person"})

    def flow(self, what: str, parts: Mapping[str, Any]) -> None:
        """Note what the information-flow guard decides."""
        self._note(what, bad=parts.get("decision") == "refused", details={"flow": parts})

    def acts(self, message: Message) -> None:
        """An action of the agent begins, or has ended."""
        if self._acting is None:
            return
        action = message.get("action")
        text = None if action is None else self._hide(words(action, message.get("element")))
        self._acting(text, message.get("node"))

    @property
    def has_picture(self) -> bool:
        """Whether there is a picture of the run."""
        return self._pictured or self._first is not None

    def add(self, event: Event) -> None:
        """Note what a page did, under the step that goes on."""
        if self._closed or self._was_private(event.at):
            return
        self._keep(
            Event(
                type=event.type,
                summary=self._hide(event.summary),
                at=event.at,
                step=self._step_at(event.at),
                has_error=event.has_error,
                url=event.url and self._hide(event.url),
                details=self._hide.deep(event.details),
            )
        )
        if len(self._events) >= self._flush_at:
            self._flush()

    def _step_at(self, at: float) -> int:
        """Return the step that went on at a time, of which may be told later."""
        return 1 + max((number for number, end in self._ended.items() if end < at), default=0)

    def sample(self, data: bytes, at: float) -> None:
        """Keep how the page looked `at` (seconds since 1970), if that is new."""
        before, last = self._sampled
        if self._closed or at - before < SAMPLE_PACE or self._was_private(at) or data == last:
            return
        self._sampled = at, data
        self._store_shot(data, self.steps + 1, kind="stream_sample", bad=False)

    def model_failed(self, message: Message) -> None:
        """Note a failed call of the model; whether it failed the step is known later."""
        failure = Failure(
            kind=message["kind"],
            text=clip(self._hide(message["text"]), MAX_LINE),
            status=message["status"],
            step=self.steps + 1,
        )
        status = f" {failure.status}" if failure.status else ""
        self._model_failure = failure
        self._note(f"model failed ({failure.kind}{status}): {failure.text}", bad=True)

    def seen(self, message: Message) -> None:
        """Note what the agent saw first."""
        self._at(message)
        self.page_id = message["target"] or self.page_id
        if is_web(message["url"] or ""):
            self._first = _decoded(message["screenshot"])

    def step(self, message: Message) -> str:
        """Note a step of the agent with its picture; returns it as a line for the caller."""
        number = self.steps = message["number"]
        self._ended[number] = time.time()
        self._at(message)
        self.page_id = message["target"] or self.page_id
        errors = [result for result in message["results"] if "error" in result]
        self._count(errors, number)
        line = self._hide(_line(message, errors))
        details = {key: message[key] for key in TOLD} | {"url": self._place[0]}
        self._note(line, bad=bool(errors), details=_short(self._hide.deep(details)), step=number)
        self._picture(_decoded(message["screenshot"]), number, bad=bool(errors))
        self._flush()
        return line

    def last_page(self, page: dict[str, Any], picture: bytes | None) -> None:
        """Note where the run ended and how it looked there."""
        self._at(page)
        self._picture(picture, self.steps, bad=self.failing)

    def settle(self) -> None:
        """Count a failed call of the model that no step came after."""
        if self._model_failure is not None:
            self.failures.append(self._model_failure)
            self.failing = True

    def ended(self, verdict: Verdict) -> None:
        """Note why the run failed, if it did."""
        if verdict.status == "failed":
            text = self._hide(f"run failed ({verdict.stop_reason}): {verdict.summary}")
            self._note(text, bad=True, step=self.steps)

    def close(self) -> None:
        """Write down what is still in memory; what comes later is not taken."""
        self._picture(self._first, self.steps, bad=self.failing)
        self._flush()
        self._closed = True

    def _was_private(self, at: float) -> bool:
        return any(begin <= at <= end for begin, end in self._private)

    def _at(self, page: Mapping[str, Any]) -> None:
        url = page.get("url") or ""
        if url:
            blank = unopened(url) == "" and not is_web(url)
            shown = BLANK if blank else self._hide(loggable_url(url))
            self._place = shown, self._hide(page["title"] or "")
        if is_web(url):
            self.url, self.title = self._place

    def _count(self, errors: list[dict[str, Any]], number: int) -> None:
        """Keep the failures of a step; a failed call of the model is the cause of its errors."""
        cause, self._model_failure = self._model_failure, None
        self.failing = bool(errors)
        if cause is not None:
            self.failures.append(cause)
            errors = [e for e in errors if e["kind"] not in ("provider", "schema", "action")]
        self.failures += [
            Failure(
                kind=e["kind"],
                text=clip(self._hide(e["error"]), MAX_LINE),
                status=e["status"],
                step=number,
            )
            for e in errors
        ]

    def _note(
        self, summary: str, *, bad: bool, details: Any = None, step: int | None = None
    ) -> None:
        self._keep(
            Event(
                type="agent",
                summary=clip(summary, MAX_LINE),
                at=time.time(),
                step=self.steps + 1 if step is None else step,
                has_error=bad,
                url=self._place[0],
                details=details or {},
            )
        )

    def _keep(self, event: Event) -> None:
        self._events.append(event)
        if self._listener is not None:
            self._listener(event)

    def _picture(self, data: bytes | None, step: int, *, bad: bool) -> None:
        if data is None or self._closed:
            return
        self._first = None
        self._pictured = True
        self._store_shot(data, step, kind="agent_step", bad=bad)

    def _store_shot(self, data: bytes, step: int, *, kind: ShotKind, bad: bool) -> None:
        url, title = self._place
        try:
            self._store.add_shot(
                self._session_id, data, step=step, kind=kind, url=url, title=title, has_error=bad
            )
        except STORE_ERRORS as error:
            log.warning("A picture of a run is not stored: %s", error)

    def _flush(self) -> None:
        """Write the events; where that fails they wait for the next time, the last of them."""
        if not self._events:
            return
        try:
            self._store.add(self._session_id, self._events)
        except STORE_ERRORS as error:
            log.warning("Events of a run are not stored for now: %s", error)
            self._events = self._events[-MOST_WAITING:]
            self._flush_at = len(self._events) + BATCH
        else:
            self._events, self._flush_at = [], BATCH


def _line(message: Message, errors: list[dict[str, Any]]) -> str:
    names = [name for action in message["actions"] for name in action]
    did = message["goal"] or ", ".join(names) or "no action"
    line = f"step {message['number']}: {did}"
    return f"{line}; failed: {errors[0]['error']}" if errors else line


def _short(value: Any) -> Any:
    if isinstance(value, str):
        return value if len(value) <= LONGEST else value[: LONGEST - 1] + "…"
    if isinstance(value, dict):
        return {key: _short(item) for key, item in value.items()}
    return [_short(item) for item in value] if isinstance(value, list) else value


def _decoded(text: str | None) -> bytes | None:
    try:
        return base64.b64decode(text, validate=True) if text else None
    except binascii.Error:
        return None

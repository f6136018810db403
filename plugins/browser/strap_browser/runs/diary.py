"""What happens in a run, as it is stored: steps, failures, events, pictures."""

import base64
import binascii
import time
from typing import Any

from strap_browser.runs.addresses import bare, is_web
from strap_browser.runs.composing import Redactor
from strap_browser.runs.contract import clip
from strap_browser.runs.outcome import Failure
from strap_browser.runs.records import Event
from strap_browser.runs.store import Store
from strap_browser.runs.workers import Message

LONGEST = 600
BATCH = 50


class Diary:
    """Takes note of a run and keeps what its answer needs."""

    def __init__(self, session_id: str, store: Store, hide: Redactor, max_steps: int) -> None:
        self.failures: list[Failure] = []
        self.failing = False
        self.steps = 0
        self.url: str | None = None
        self.title: str | None = None
        self.page_id: str | None = None
        self._session_id = session_id
        self._store = store
        self._hide = hide
        self._max_steps = max_steps
        self._events: list[Event] = []
        self._model_failure: Failure | None = None

    def add(self, event: Event) -> None:
        """Note what a page did, under the step that goes on."""
        self._events.append(
            Event(
                type=event.type,
                summary=self._hide(event.summary),
                at=event.at,
                step=self.steps + 1,
                has_error=event.has_error,
                url=event.url,
                details=self._hide.deep(event.details),
            )
        )
        if len(self._events) >= BATCH:
            self._flush()

    def model_failed(self, message: Message) -> None:
        """Note a failed call of the model; whether it failed the step is known later."""
        failure = Failure(
            kind=message["kind"],
            text=clip(self._hide(message["text"])),
            status=message["status"],
            step=self.steps + 1,
        )
        status = f" {failure.status}" if failure.status else ""
        self._model_failure = failure
        self._note(f"model failed ({failure.kind}{status}): {failure.text}", bad=True)

    def step(self, message: Message) -> str:
        """Note a step of the agent with its picture; returns it as a line for the caller."""
        number = self.steps = message["number"]
        if is_web(message["url"] or ""):
            self.url, self.title = bare(message["url"]), message["title"]
        self.page_id = message["target"] or self.page_id
        errors = [result for result in message["results"] if "error" in result]
        self._count(errors, number)
        said = self._hide(_line(message, errors))
        details = {key: message[key] for key in ("goal", "actions", "results", "title")}
        self._note(said, bad=bool(errors), details=_short(self._hide.deep(details)), step=number)
        self._picture(_decoded(message["screenshot"]), number, bad=bool(errors))
        self._flush()
        return said

    def last_page(self, page: dict[str, Any], picture: bytes | None) -> None:
        """Note where the run ended and how it looked there."""
        if is_web(page.get("url", "")):
            self.url, self.title = bare(page["url"]), page["title"]
        self._picture(picture, self.steps, bad=self.failing)

    def close(self) -> None:
        """Write down what is still in memory."""
        if self._model_failure is not None:
            self.failures.append(self._model_failure)
            self.failing = True
        self._flush()

    def _count(self, errors: list[dict[str, Any]], number: int) -> None:
        """Keep the failures of a step; a failed call of the model is the cause of its errors."""
        cause, self._model_failure = self._model_failure, None
        self.failing = bool(errors)
        if cause is not None:
            self.failures.append(cause)
            errors = [e for e in errors if e["kind"] not in ("provider", "schema", "action")]
        self.failures += [
            Failure(
                kind=e["kind"], text=clip(self._hide(e["error"])), status=e["status"], step=number
            )
            for e in errors
        ]

    def _note(
        self, summary: str, *, bad: bool, details: Any = None, step: int | None = None
    ) -> None:
        self._events.append(
            Event(
                type="agent",
                summary=clip(summary),
                at=time.time(),
                step=self.steps + 1 if step is None else step,
                has_error=bad,
                url=self.url,
                details=details or {},
            )
        )

    def _picture(self, data: bytes | None, step: int, *, bad: bool) -> None:
        if data is not None:
            self._store.add_shot(
                self._session_id, data, step=step, url=self.url, title=self.title, has_error=bad
            )

    def _flush(self) -> None:
        events, self._events = self._events, []
        if events:
            self._store.add(self._session_id, events)


def _line(message: Message, errors: list[dict[str, Any]]) -> str:
    names = [name for action in message["actions"] for name in action]
    did = message["goal"] or ", ".join(names) or "no action"
    line = f"step {message['number']}: {did}"
    return f"{line}; failed: {errors[0]['error']}" if errors else line


def _short(value: Any) -> Any:
    """Cut every string of plain JSON values to what is worth storing."""
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

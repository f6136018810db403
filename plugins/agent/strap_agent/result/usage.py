"""Counting what the models of a run were asked, and the time and tokens that this took."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from strap_agent.contract import Usage


@dataclass(kw_only=True, slots=True)
class UsageCount:
    """Counts of the worker; `is_complete` is False once an answer came without tokens."""

    calls: int = 0
    answers: int = 0
    tokens: dict[str, int] | None = None
    is_complete: bool = True

    def answered(self, tokens: Mapping[str, int] | None) -> None:
        """Add the tokens of an answered call, None where its provider did not tell them."""
        self.answers += 1
        self.is_complete = self.is_complete and tokens is not None
        before = self.tokens or {}
        self.tokens = {name: before.get(name, 0) + count for name, count in (tokens or {}).items()}

    @property
    def usage(self) -> Usage | None:
        """Usage for the answer of the run; None where no model was asked."""
        if not self.calls:
            return None
        tokens = self.tokens if self.is_complete and self.answers else None
        return Usage(model_calls=self.calls, **(tokens or {}))


class StepClock:
    """Clock of each step: seconds of the model, seconds of the page, tokens."""

    def __init__(self, paused: Callable[[], float]) -> None:
        """`paused` returns the seconds of pauses, which are nobody's time."""
        self._paused = paused
        self._since: float | None = None
        self._answer: dict[str, int] | None = None
        """The tokens of the last answer of the step, as far as they were told."""
        self._restart()

    def begin(self) -> None:
        """The model is asked."""
        self._since = time.monotonic()

    def answered(self, tokens: Mapping[str, int] | None = None) -> None:
        """The model has answered, or failed."""
        if self._since is not None:
            self._model += time.monotonic() - self._since
            self._since = None
            self._answer = dict(tokens or {})
        for name, count in (tokens or {}).items():
            self._tokens[name] = self._tokens.get(name, 0) + count

    def dropped(self) -> dict[str, int] | None:
        """Return the tokens of an answer that came to nothing, None where there was none.

        They count for the step that follows.
        """
        dropped, self._answer = self._answer, None
        return dropped

    def step(self) -> dict[str, Any]:
        """Return what the step took that is over: `model_s`, `page_s` and tokens."""
        self.answered()
        paused = self._paused() - self._paused_before
        page = max(0.0, time.monotonic() - self._began - self._model - paused)
        took = {"model_s": round(self._model, 2), "page_s": round(page, 2), **self._tokens}
        self._restart()
        return took

    def _restart(self) -> None:
        self._began, self._model = time.monotonic(), 0.0
        self._paused_before = self._paused()
        self._tokens: dict[str, int] = {}
        self._answer = None

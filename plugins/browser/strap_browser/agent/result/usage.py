"""Counting what the models of a run were asked, and the tokens that this took."""

from collections.abc import Mapping
from dataclasses import dataclass

from strap_browser.agent.contract import Usage


@dataclass(kw_only=True, slots=True)
class UsageCount:
    """What the worker told so far; `told` is False once an answer came without its tokens."""

    calls: int = 0
    answers: int = 0
    tokens: dict[str, int] | None = None
    told: bool = True

    def answered(self, tokens: Mapping[str, int] | None) -> None:
        """Add the tokens of an answered call, None where its provider did not tell them."""
        self.answers += 1
        self.told = self.told and tokens is not None
        before = self.tokens or {}
        self.tokens = {name: before.get(name, 0) + count for name, count in (tokens or {}).items()}

    @property
    def usage(self) -> Usage | None:
        """What the answer of the run says of it; None where no model was asked."""
        if not self.calls:
            return None
        tokens = self.tokens if self.told and self.answers else None
        return Usage(model_calls=self.calls, **(tokens or {}))

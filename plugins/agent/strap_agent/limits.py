"""The limits of a run: those of the call, else of the configuration, and what cuts them."""

from typing import Any

from strap import Caller, record
from strap_agent.contract import Timeouts
from strap_browser.api import AgentSettings

UNSEEN = 50.0
"""Seconds within which to answer a client that sees no progress: many give up at 60."""
LATEST = 55.0
"""Seconds within which such a client gets an answer also from a run that waits for a person."""
APPROVAL = 120.0
"""Seconds for an answer of the client's own model: a person may have to approve it."""


@record
class Limits:
    """Seconds and steps; `warnings` say which of them are not what was asked for."""

    budget_s: float
    step_timeout_s: float
    llm_timeout_s: float
    max_steps: int
    answer_within: float | None = None
    """Seconds after which the caller is answered, also where the run goes on; None: at its end."""
    warnings: tuple[str, ...] = ()

    def timeouts(self) -> Timeouts:
        """The limits as the answer tells them."""
        return Timeouts(
            budget_s=self.budget_s,
            step_timeout_s=self.step_timeout_s,
            max_steps=self.max_steps,
        )


def limits(
    params: Any,
    settings: AgentSettings,
    caller: Caller,
    *,
    seen: bool,
    client_model: bool,
    detached: bool = False,
) -> Limits:
    """Return the limits of a call with `params`.

    `seen` tells whether the client sees progress, `client_model` whether its own model is used,
    `detached` whether it is answered at once.
    """
    budget = params.budget_s or settings.budget_s
    warnings = []
    unseen = not (seen or detached) and caller.transport in ("stdio", "http")
    if budget > UNSEEN and unseen:
        warnings.append(
            f"budget_s is {UNSEEN:g} instead of {budget:g}: the client asked for no progress"
            " notifications, and such clients often give up after 60 s."
        )
        budget = UNSEEN
    least = APPROVAL if client_model else 0
    step = params.step_timeout_s or max(settings.step_timeout_s, least)
    return Limits(
        budget_s=budget,
        step_timeout_s=step,
        llm_timeout_s=params.llm_timeout_s or max(settings.llm_timeout_s or step, least),
        max_steps=params.max_steps or settings.max_steps,
        answer_within=LATEST if unseen else None,
        warnings=tuple(warnings),
    )

"""How much of an agent's answer is given at once; what is longer is kept with the run."""

from collections.abc import Callable

from strap import cut, record
from strap_agent.result.verdict import Verdict
from strap_agent.store.records import STORE_ERRORS

LONGEST = 20_000
"""Characters of a result."""


@record
class BoundedResult:
    """The result as it is answered; `start` is where to read on, None if that is all."""

    result: str | None
    start: int | None = None
    warnings: tuple[str, ...] = ()


def bound(
    verdict: Verdict, keep: Callable[[str], None], hide: Callable[[str], str], *,
    fits: bool, max_tokens: int | None,
) -> BoundedResult:  # fmt: skip
    """Return the result without keys; an answer that `fits` a schema is never cut."""
    result = verdict.result and hide(verdict.result)
    whole = result or (verdict.answer_text and hide(verdict.answer_text))
    if not whole or (result and fits):
        return BoundedResult(result=result)
    shown = result and _beginning(result, max_tokens)
    if shown == whole:
        return BoundedResult(result=result)
    length = f"{len(whole):,} characters"
    line = f"result is the beginning of {length}" if shown else f"The answer has {length}"
    try:
        keep(whole)
    except STORE_ERRORS as error:
        return BoundedResult(
            result=shown, warnings=(f"{line}; it could not be kept ({type(error).__name__}).",)
        )
    line += "; the whole is kept with the run, and next_actions names how to read it."
    return BoundedResult(result=shown, start=len(shown or ""), warnings=(line,))


def _beginning(text: str, max_tokens: int | None) -> str:
    head = text[:LONGEST]
    return head if max_tokens is None else cut(head, max_tokens)[0]

"""Usage of models for cases, from the answers of runs."""

from collections.abc import Iterable, Mapping

COUNTED = ("model_calls", "input_tokens", "cached_tokens", "output_tokens")
Usage = Mapping[str, int | None]
"""Calls and tokens, as `usage` of a run; None where the provider did not tell."""
NONE: Usage = dict.fromkeys(COUNTED, 0)


def together(usages: Iterable[Usage]) -> dict[str, int | None]:
    """Return the sums; None where one part is not known."""
    sums: dict[str, int | None] = dict(NONE)
    for usage in usages:
        for name in COUNTED:
            before, more = sums[name], usage[name]
            sums[name] = None if before is None or more is None else before + more
    return sums


def tokens(usage: Usage) -> int | None:
    """Return the tokens of questions and answers together; None where they are not known."""
    sent, answered = usage["input_tokens"], usage["output_tokens"]
    return None if sent is None or answered is None else sent + answered

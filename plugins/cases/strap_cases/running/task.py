"""Tasks for the agent: the steps, how to finish, what to look for."""

from collections.abc import Sequence

FINISH = """
Then finish, with success=true whenever you know how it went. The last line of `text` is one of
these, alone:
<status>completed</status> if every step was done and the page did what the steps say
<status>failed</status> if a step could not be done, or the page did something else
<status>not-finished</status> if you could not get to the end"""
ANSWER = """
Before that line answer each of these from what the page shows now, a line each, such as
`1: yes - what is seen` or `1: no - what is seen`:"""
LOOK = """Look at the page as it is. Do not click, type or go anywhere. Is this so?
Finish at once with success=true and a line for each, such as `1: yes - what is seen` or
`1: no - what is seen`:"""


def for_segment(steps: str, expectations: Sequence[str] = ()) -> str:
    """Return the task of a segment; the last one has the expectations."""
    parts = [ANSWER.strip("\n"), *numbered(expectations)] if expectations else []
    return "\n".join([steps, FINISH.strip("\n"), *parts])


def for_judge(expectations: Sequence[str]) -> str:
    """Return what the judge is asked of the page."""
    return "\n".join([LOOK, *numbered(expectations)])


def numbered(expectations: Sequence[str]) -> list[str]:
    """Return a line for each, with its number."""
    return [f"{number}: {expectation}" for number, expectation in enumerate(expectations, 1)]

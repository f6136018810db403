"""The judge: sees the page and what is expected, never what the agent said, and must not act."""

from typing import Any

from strap import StrapError
from strap_cases.cases import Case, Filled
from strap_cases.running.session import CaseSession
from strap_cases.running.task import for_judge
from strap_cases.running.usage import NONE, Usage
from strap_cases.status_tag import answers

STEPS = 3
"""Steps of the judge: it looks, and finishes."""


async def judge(
    session: CaseSession, case: Case, filled: Filled
) -> tuple[dict[str, Any], list[str], Usage]:
    """Ask the judge; returns notes, its run, its usage. A judge that changed the page is void."""
    expected = filled.expectations or (f"This was done: {case.name}",)
    before = await _outline(session)
    try:
        answer = (
            await session.on_page("eval", url="", task=for_judge(expected), max_steps=STEPS)
        ).data
    except StrapError as error:
        return {"judge_broken": str(error)}, [], NONE
    run, usage = [answer["session_id"]], answer.get("usage", NONE)
    if answer["status"] != "success":
        return {"judge_broken": f"the judge: {answer['summary']}"}, run, usage
    if await _outline(session) != before:
        return {"judge_broken": "the judge changed the page"}, run, usage
    verdicts = answers(answer["result"] or "", len(expected))
    verdict = False if False in verdicts else (True if all(verdicts) else None)
    return {"judge": verdict, "expectations": verdicts if filled.expectations else ()}, run, usage


async def _outline(session: CaseSession) -> tuple[str, str]:
    snapshot = await session.on_page("snapshot", max_tokens=100_000)
    return snapshot.data["url"], snapshot.text

"""Why an agent stopped, in the forms that models write it."""

import re
from typing import cast

from strap import record
from strap_agent.contract import StopReason

SIGNS = r"\u200b\u2060\ufeff\ufe0f\U0001f6d1\u26d4\u26a0\u2757"
"""Signs to halt and of warning, and what nobody sees."""
MARKS = rf"[\s{SIGNS}>*_`#~\"'\u201c\u201d\u2018\u2019(\[<-]*+"
"""Marks that models put around words: quotes, emphasis, headings, items of lists, signs."""
COLON = rf"{MARKS}[:\uff1a]{MARKS}"
LABEL = (
    r"(?:(?:final|overall|task)[ \t]++)?"
    r"(?:answer|conclusion|outcome|response|result|status|verdict)"
    rf"(?:{COLON}|[ \t]*+[\u2013\u2014-]++{MARKS})"
)
"""Labels of a line that says how a run ended, as in "Status: STOP: …"."""
WHENCE = (
    r"(?:(?:hence|so|therefore|thus|unfortunately),?[ \t]++)?"
    r"(?:(?:I|we)[ \t]++(?:had[ \t]+to|have[ \t]+to|must|need[ \t]+to|should|will)[ \t]++)?"
)
"""How models say themselves that they stop, right before they do."""
LEAD = rf"^{MARKS}(?:\d+[.)]{MARKS})?(?:{LABEL})?{WHENCE}{MARKS}"
REASON = r"login[ _-]?required|bot[ _-]?wall|impossible[ _-]?task|incomplete"
AFTER = r"[ \t*_`\"'\u201c\u201d\u2018\u2019)\]>]*[.:,;\u2013\u2014-]*[ \t]*"
BETWEEN = (
    rf"(?:(?:{MARKS}(?:reason|code|status))?{COLON}(?:reason{COLON})?"
    r"|[\s*_`\u2013\u2014\u2192,.!=>(\[\]-]++(?=[a-z]+_[a-z])|[\s*_`]*\((?=incomplete\)))"
)
"""A colon; where there is none, only the word itself as it was given can be meant."""
STOP = re.compile(rf"{LEAD}STOP{BETWEEN}({REASON})(?!_?[^\W_]){AFTER}(.*)$", re.IGNORECASE)
PARTIAL = re.compile(rf"{LEAD}PARTIAL[ \t*_`]*[:\uff1a][ \t*_]*(.*)$", re.IGNORECASE)
MOST_LINES = 1_000
"""Lines at the beginning that are looked at; an answer may have a million."""
FENCE = re.compile(r"^\s*```\w*\s*$")


@record
class Stop:
    """Stop that a text reports: the reason, why in the agent's words, the part of an answer.

    `is_explicit` is whether it has a stop line at all.
    """

    is_explicit: bool
    reason: StopReason
    why: str
    part: str


def stop_in(text: str) -> Stop:
    """Read the text of an agent that is done: its stop line, and what comes after `PARTIAL:`."""
    lines = text.strip().split("\n", MOST_LINES)
    at = next((n for n, line in enumerate(lines) if STOP.match(line)), None)
    if at is None:
        why, part = _parts(lines)
        return Stop(is_explicit=False, reason="not_finished", why=why, part=part)
    match = STOP.match(lines[at])
    assert match is not None
    before, part_before = _parts(lines[:at])
    after, part_after = _parts([match[2], *lines[at + 1 :]])
    return Stop(
        is_explicit=True,
        reason=_reason(match[1]),
        why=f"{before}\n{after}".strip(),
        part=part_before or part_after,
    )


def _reason(word: str) -> StopReason:
    reason = re.sub(r"[ -]", "_", word.lower())
    whole = {"loginrequired": "login_required", "botwall": "bot_wall"}
    whole |= {"impossibletask": "impossible_task", "incomplete": "not_finished"}
    return cast("StopReason", whole.get(reason, reason))


def _parts(lines: list[str]) -> tuple[str, str]:
    """Return what comes before a line `PARTIAL:`, without fences, and what comes from there on."""
    for number, line in enumerate(lines):
        if match := PARTIAL.match(line):
            part = "\n".join([match[1], *lines[number + 1 :]]).strip()
            return _unfenced(lines[:number]), part
    return _unfenced(lines), ""


def _unfenced(lines: list[str]) -> str:
    return "\n".join(line for line in lines if not FENCE.match(line)).strip()

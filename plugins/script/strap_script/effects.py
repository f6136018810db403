"""Effects of a call as the fields of a `wait`."""

import re
from itertools import islice

from strap.targets.grammar import Part
from strap_browser.api import CallNote
from strap_script.values import Values

OWN = frozenset(("navigate", "new_page", "reload", "back", "forward", "wait", "evaluate", "resize"))
"""Actions whose answers say by themselves whether they did what they were to do."""
_OF_RUN = re.compile(r"\d{3,}|[0-9a-f]{8,}|(?=\w*\d)(?=\w*[a-z])[\w-]{12,}", re.IGNORECASE)
"""Parts of a path that may be another one the next time: numbers, hashes, ids."""


def wait_line(note: CallNote, values: Values) -> dict[str, str]:
    """Return the fields of the `wait` for what a call came to, {} where that is nothing."""
    outcome = note.outcome
    if outcome is None or note.call.action in OWN:
        return {}
    arguments: dict[str, str] = {}
    if outcome.path:
        arguments["url"] = _lasting(outcome.path)
    named = (values.shown(text) for text in outcome.texts)
    if text := next(filter(None, named), ""):
        arguments["text"] = text
    elif _is_other(outcome.shown, note) and not outcome.path:
        arguments["ref"] = values.plain(outcome.shown, "ref")
    for request in islice(outcome.requests, 1):
        method, _, path = request.partition(" ")
        arguments["request"] = f"{method} {_lasting(path)}"
    return arguments


def _is_other(shown: str, note: CallNote) -> bool:
    """Whether what appeared is not the element itself, which was there before."""
    own = {str(Part(role=part.role, name=part.name)) for part in note.evidence.values()}
    return bool(shown) and shown not in own


def _lasting(path: str) -> str:
    """Return a path with `*` for the parts that are of this run."""
    parts = path.replace("{", "*").split("/")
    return "/".join("*" if _OF_RUN.fullmatch(part) else part for part in parts)

"""Selection of calls for a script: those that acted and had an effect."""

from collections.abc import Sequence

from strap_browser.api import CallNote, arrivals_in

ACTS = frozenset(
    (
        *("navigate", "back", "forward", "reload", "new_page", "close_page", "resize"),
        *("click", "fill", "type", "press", "select", "drag", "upload", "dialog", "evaluate"),
    )
)
IF_FRUITFUL = frozenset(("hover", "scroll"))
"""Actions that a script has where something came of them: all actions scroll by themselves."""
LASTING = ("text", "ref", "selector")
"""Fields of a `wait` for something that can be named."""


def chosen(notes: Sequence[CallNote], *, keep_all: bool) -> list[CallNote]:
    """Return the calls that a script has, without those that others undid."""
    known = [note for note in notes if note.call.action in ACTS | IF_FRUITFUL or _waits(note)]
    if keep_all:
        return known
    result: list[CallNote] = []
    for note in known:
        action = note.call.action
        if action in IF_FRUITFUL and not came_to_something(note):
            continue
        if action == "back" and result and _led_away(result[-1]):
            result.pop()
            continue
        if action == "fill":
            result = _without_earlier(result, note)
        result.append(note)
    return result


def came_to_something(note: CallNote) -> bool:
    """Whether the answer told of an effect."""
    outcome = note.outcome
    return outcome is not None and bool(
        outcome.path or outcome.texts or outcome.shown or outcome.requests
    )


def _waits(note: CallNote) -> bool:
    params = note.call.params
    if note.call.action != "wait":
        return False
    arrivals = arrivals_in(getattr(params, "value", None) or "")
    return bool(arrivals) or any(getattr(params, name, None) for name in LASTING)


def _led_away(note: CallNote) -> bool:
    """Whether nothing is left of a click once the page is back."""
    outcome = note.outcome
    return (
        note.call.action == "click"
        and outcome is not None
        and bool(outcome.path)
        and not outcome.requests
    )


def _without_earlier(notes: list[CallNote], note: CallNote) -> list[CallNote]:
    """Return the calls without an earlier `fill` of the same field, if only fills came between."""
    field = _field_of(note)
    for at in range(len(notes) - 1, -1, -1):
        other = notes[at]
        if other.call.action != "fill" or came_to_something(other):
            break
        if field and _field_of(other) == field and other.path == note.path:
            return notes[:at] + notes[at + 1 :]
    return notes


def _field_of(note: CallNote) -> str:
    return next((evidence.raw for evidence in note.evidence.values()), "")

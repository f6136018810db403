"""Actions of a run in words, for its report and for the live view."""

from collections import defaultdict
from collections.abc import Mapping
from typing import Any

from strap import record
from strap_browser.api import clip

OUTCOME = 300
"""Characters of what came of an action."""
NOT_DONE = "not carried out"
WORDS = {
    "ask_person": "ask a person: {reason}",
    "click": "click {it}",
    "close": "close a tab",
    "done": "say that the task is done",
    "dropdown_options": "look at the options of {it}",
    "extract": "read from the page: {query}",
    "find_text": 'look for "{text}"',
    "go_back": "go back",
    "input": 'enter "{text}" in {it}',
    "navigate": "go to {url}",
    "screenshot": "take a picture",
    "select_dropdown": 'choose "{text}" in {it}',
    "send_keys": "press {keys}",
    "switch": "go to another tab",
    "wait": "wait {seconds} s",
}
"""How the actions of browser-use are told; others by their names."""
LONGEST = 120
"""Characters of a field or a name within such words."""
Answer = Mapping[str, Any]
Box = tuple[float, float, float, float]
"""Left, top, width and height, as parts of a picture's width and height."""


@record
class Act:
    """An action of a step: what it was, what came of it, and where on the step's picture."""

    text: str
    outcome: str = ""
    bad: bool = False
    box: Box | None = None


def acts_of(details: Mapping[str, Any]) -> list[Act]:
    """Return the actions of a step from the details of its event."""
    return [
        Act(text=words(action, element), box=_box(box), **_outcome(result))
        for action, element, box, result in zip(
            _dicts(details.get("actions")),
            *(_endless(details.get(name)) for name in ("elements", "boxes", "results")),
            strict=False,
        )
    ]


def words(action: Mapping[str, Any], element: Mapping[str, Any] | None) -> str:
    """Return an action of browser-use in words, with the element that it was meant for."""
    name, fields = next(iter(action.items()), ("nothing", {}))
    values = fields if isinstance(fields, dict) else {}
    if name == "scroll":
        return f"scroll {'up' if values.get('down') is False else 'down'}"
    if name not in WORDS or not values:
        return name.replace("_", " ")
    shown = defaultdict(str, {key: clip(str(value), LONGEST) for key, value in values.items()})
    shown["it"] = called(element, values)
    return WORDS[name].format_map(shown)


def called(element: Mapping[str, Any] | None, fields: Mapping[str, Any] = {}) -> str:
    """Return what an element is called: by role and name, else by what is known of it."""
    if not element:
        x, y = fields.get("coordinate_x"), fields.get("coordinate_y")
        return "an element" if x is None or y is None else f"the place {x}, {y}"
    what = str(element.get("role") or element.get("tag") or "element")
    if name := clip(str(element.get("name") or ""), LONGEST):
        return f'{what} "{name}"'
    known = (str(element.get(key) or "") for key in ("testid", "id", "name_attr"))
    return f"{what} {clip(next(filter(None, known), ''), LONGEST)}".rstrip()


def took_of(details: Mapping[str, Any]) -> str:
    """Return what a step took, in words; '' where nobody knows."""
    took = details.get("took")
    if not isinstance(took, dict):
        return ""
    parts = [
        f"{who} {took[key]:.1f} s"
        for who, key in (("model", "model_s"), ("page", "page_s"))
        if isinstance(took.get(key), int | float)
    ]
    tokens = [took.get(f"{way}put_tokens") for way in ("in", "out")]
    if all(isinstance(count, int) for count in tokens):
        parts.append(f"{tokens[0]:,} tokens in, {tokens[1]:,} out")
    return " · ".join(parts)


def summary_of(answer: Answer) -> str:
    """Return the summary of an answer, '' where it only repeats the result."""
    result, summary = answer.get("result") or "", answer.get("summary") or ""
    repeats = bool(result) and clip(result, len(summary)) == clip(summary, len(summary))
    return "" if repeats else summary


def _outcome(result: Any) -> dict[str, Any]:
    if not isinstance(result, dict):
        return {"outcome": NOT_DONE}
    text = clip(str(result.get("error") or result.get("text") or ""), OUTCOME)
    return {"outcome": text, "bad": "error" in result}


def _box(value: Any) -> Box | None:
    """Return a box as it was stored, None for anything else."""
    if not isinstance(value, list) or len(value) != 4:
        return None
    if not all(isinstance(part, int | float) for part in value):
        return None
    left, top, width, height = (float(part) for part in value)
    seen = left < 1 and top < 1 and left + width > 0 and top + height > 0
    return (left, top, width, height) if seen and width > 0 and height > 0 else None


def _dicts(value: Any) -> list[dict[str, Any]]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def _endless(value: Any) -> list[Any]:
    """Return a list with nothing after its end."""
    return [*(value if isinstance(value, list) else ()), *[None] * 200]

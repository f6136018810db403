"""The layout of what the viewport shows, in words: order, columns, overlaps, colours."""

from itertools import combinations
from typing import TYPE_CHECKING, Any

from strap import count_tokens
from strap_browser.actions.pictures.places import Placed, placed
from strap_browser.common.text import clip, quoted
from strap_browser.engine.frames.geometry import Box
from strap_browser.snapshot.snapshot import namer

if TYPE_CHECKING:
    from strap_browser.interaction.page_state import PageState
    from strap_browser.snapshot.snapshot import Snapshot

MOST_TOKENS = 950
"""Tokens of the whole answer, with room for events of the page."""
MOST = 200
"""Elements that are told of."""
MOST_PROBLEMS = 12
NAME = 30
"""Characters of a name."""
OVERLAP = 0.2
"""Of the smaller one: what overlaps less touches only."""


async def layout_of(state: "PageState", taken: "Snapshot", tokens: int) -> list[str]:
    """Return lines that say where on the screen things are, within `tokens`."""
    view = (await state.ask("view"))["view"]
    places, _ = await placed(state, taken, (0, 0, *view), hit=False, most=MOST)
    inner = [one for one in places if not state.is_framed(one.item.ref)]
    told = await state.ask("layout", refs=[one.item.ref for one in inner])
    facts = {one.item.ref: fact for one, fact in zip(inner, told["facts"], strict=True) if fact}
    name = namer(taken, state.refs)

    def called(one: Placed) -> str:
        words = quoted(clip(one.item.name or one.item.body, NAME))
        return " ".join(filter(None, (one.item.label, words, name(one.item.ref, one.item))))

    lines = [*_frame(told), *_problems(places, facts, called), *_colours(places, facts, name)]
    left = min(tokens, MOST_TOKENS) - count_tokens("\n".join(lines))
    rows = [_row(row, called) for row in _rows(places)]
    for done, row in enumerate(rows):
        left -= count_tokens(row) + 1
        if left < 0:
            return [*lines, f"… {len(rows) - done} rows more below: `snapshot` shows them."]
        lines.append(row)
    return lines


def _frame(told: dict[str, Any]) -> list[str]:
    (width, height), (wide, high) = told["view"], told["page"]
    way = "right to left" if told["direction"] == "rtl" else "left to right"
    size = f"Viewport {width} x {height} px at {told['scroll'][1]} of {high} px down, {way}."
    if wide > width + 1:
        size += f" The page is {wide} px wide."
    lines = [size]
    for title in ("areas", "columns"):
        spans = (f"{name} {_span(*box)}" for name, *box in told[title])
        if text := "; ".join(spans):
            lines.append(f"{title.capitalize()}: {text}")
    return lines


def _span(left: float, top: float, width: float, height: float) -> str:
    return f"x {left:.0f}-{left + width:.0f} y {top:.0f}-{top + height:.0f}"


def _problems(places: list[Placed], facts: dict[str, Any], called: Any) -> list[str]:
    found = []
    for one in places:
        fact = facts.get(one.item.ref, {})
        if fact.get("by"):
            found.append(f"Covered: {called(one)} by {fact['by']}")
        if fact.get("cut"):
            found.append(f"Cut off: {called(one)}, {fact['cut']} px of its text")
        if fact.get("ratio", 21) < fact.get("least", 0):
            found.append(
                f"Low contrast: {called(one)} {fact['ratio']}:1, {fact['ink']} on {fact['paper']}"
            )
    for one, other in combinations(places, 2):
        small, large = sorted((one, other), key=lambda each: each.size)
        share = _shared(one.box, other.box) / small.size
        if OVERLAP <= share < 1:  # what is all inside another belongs to it, as in a card
            found.append(f"Overlap: {called(small)} and {called(large)}, {share:.0%}")
    more = [f"… {len(found) - MOST_PROBLEMS} more of these."] if len(found) > MOST_PROBLEMS else []
    return found[:MOST_PROBLEMS] + more


def _shared(one: Box, other: Box) -> float:
    across = min(one[0] + one[2], other[0] + other[2]) - max(one[0], other[0])
    down = min(one[1] + one[3], other[1] + other[3]) - max(one[1], other[1])
    return max(across, 0) * max(down, 0)


def _colours(places: list[Placed], facts: dict[str, Any], name: Any) -> list[str]:
    """Say which colours there are, the most frequent first, with some of what has them."""
    groups: dict[tuple[str, str, float], list[str]] = {}
    for one in places:
        if (fact := facts.get(one.item.ref)) and "ratio" in fact:
            key = fact["ink"], fact["paper"], fact["ratio"]
            groups.setdefault(key, []).append(name(one.item.ref, one.item))
    order = sorted(groups.items(), key=lambda each: -len(each[1]))
    shown = (
        f"{ink} on {paper} {ratio}:1 {' '.join(refs[:3])}{' …' if len(refs) > 3 else ''}"
        for (ink, paper, ratio), refs in order[:5]
    )
    text = "; ".join(shown)
    return [f"Colours: {text}"] if text else []


def _rows(places: list[Placed]) -> list[list[Placed]]:
    """Return the elements in rows from top to bottom, as the eye takes them."""
    rows: list[list[Placed]] = []
    for one in sorted(places, key=lambda each: (each.box[1] + each.box[3] / 2, each.box[0])):
        middle = one.box[1] + one.box[3] / 2
        last = rows[-1][0].box if rows else None
        if last is not None and last[1] <= middle <= last[1] + last[3] and one.box[3] < 4 * last[3]:
            rows[-1].append(one)
        else:
            rows.append([one])
    for row in rows:
        row.sort(key=lambda each: each.box[0])
    return rows


def _row(row: list[Placed], called: Any) -> str:
    top, bottom = min(o.box[1] for o in row), max(o.box[1] + o.box[3] for o in row)
    parts = (f"{called(o)} x {o.box[0]:.0f}-{o.box[0] + o.box[2]:.0f}" for o in row)
    return f"y {top:.0f}-{bottom:.0f}: {', '.join(parts)}"

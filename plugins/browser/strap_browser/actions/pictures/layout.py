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
KINDS = "Covered", "Cut off", "Low contrast", "Overlap"
MOST_PROBLEMS = 12
"""Elements that are told with each."""
NAME = 30
"""Characters of a name."""
OVERLAP = 0.2
"""Share of the smaller element: one that overlaps less touches only."""


async def layout_of(state: "PageState", taken: "Snapshot", tokens: int) -> list[str]:
    """Return lines that say where on the screen things are, within `tokens`."""
    view = (await state.ask("view"))["view"]
    places, _ = await placed(state, taken, (0, 0, *view), hit=False, most=MOST)
    inner = [one for one in places if not state.is_framed(one.item.ref)]
    told = await state.ask("layout", refs=[one.item.ref for one in inner])
    facts = {one.item.ref: fact for one, fact in zip(inner, told["facts"], strict=True) if fact}
    name = namer(taken, state.refs)

    def ref(one: Placed) -> str:
        return name(one.item.ref, one.item)

    def called(one: Placed, before: Placed | None) -> str:
        words = quoted(clip(one.item.name or one.item.body, NAME))
        label = one.label if before is None or before.label != one.label else ""
        return " ".join(filter(None, (label, words, ref(one))))

    rows = [_row(row, called) for row in _rows(places)]  # which number the refs
    lines = [*_frame(told), *_problems(places, facts, ref), *_colours(places, facts, name)]
    lines += ["Rows, y: role name ref x"] if rows else []
    left = min(tokens, MOST_TOKENS) - count_tokens("\n".join(lines))
    for done, row in enumerate(rows):
        left -= count_tokens(row) + 1
        if left < 0:
            return [*lines, f"… {len(rows) - done} rows more below: `snapshot` shows them."]
        lines.append(row)
    return lines


def _frame(told: dict[str, Any]) -> list[str]:
    (width, height), (wide, high) = told["view"], told["page"]
    way = ", right to left" if told["direction"] == "rtl" else ""
    size = f"Viewport {width} x {height} px at {told['scroll'][1]} of {high} px down{way}."
    if wide > width + 1:
        size += f" The page is {wide} px wide."
    return [size, *(_spans(title, told[title]) for title in ("areas", "columns") if told[title])]


def _spans(title: str, parts: list[tuple[str, float, float, float, float]]) -> str:
    """Say where parts of the page are; what all have in common, as columns their heights, once."""
    downs = [f"y {top:.0f}-{top + height:.0f}" for _, _, top, _, height in parts]
    common = f" {downs[0]}" if len({*downs}) == 1 else ""
    spans = (
        f"{name} x {left:.0f}-{left + width:.0f}{'' if common else ' ' + down}"
        for (name, left, _, width, _), down in zip(parts, downs, strict=True)
    )
    return f"{title.capitalize()}{common}: {'; '.join(spans)}"


def _problems(places: list[Placed], facts: dict[str, Any], ref: Any) -> list[str]:
    """Return a line for each kind of problem, with refs: the rows tell their names."""
    found: dict[str, list[str]] = {kind: [] for kind in KINDS}
    for one in places:
        fact = facts.get(one.item.ref, {})
        if fact.get("by"):
            found["Covered"].append(f"{ref(one)} by {fact['by']}")
        if fact.get("cut"):
            found["Cut off"].append(f"{ref(one)} {fact['cut']} px of its text")
        if fact.get("ratio", 21) < fact.get("least", 0):
            colours = f"{_short(fact['ink'])} on {_short(fact['paper'])}"
            found["Low contrast"].append(f"{ref(one)} {fact['ratio']}:1, {colours}")
    for one, other in combinations(places, 2):
        small, large = sorted((one, other), key=lambda each: each.size)
        share = _shared(one.box, other.box) / small.size
        if OVERLAP <= share < 1:  # what is all inside another belongs to it, as in a card
            found["Overlap"].append(f"{ref(small)} and {ref(large)} {share:.0%}")
    return [
        f"{kind}: {'; '.join(each[:MOST_PROBLEMS])}"
        + (f"; … {len(each) - MOST_PROBLEMS} more" if len(each) > MOST_PROBLEMS else "")
        for kind, each in found.items()
        if each
    ]


def _short(colour: str) -> str:
    """Return a colour in three digits where it has a short form."""
    red, green, blue = (colour[at : at + 2] for at in (1, 3, 5))
    is_short = all(part[0] == part[1] for part in (red, green, blue))
    return f"#{red[0]}{green[0]}{blue[0]}" if is_short else colour


def _shared(one: Box, other: Box) -> float:
    across = min(one[0] + one[2], other[0] + other[2]) - max(one[0], other[0])
    down = min(one[1] + one[3], other[1] + other[3]) - max(one[1], other[1])
    return max(across, 0) * max(down, 0)


def _colours(places: list[Placed], facts: dict[str, Any], name: Any) -> list[str]:
    """Say which colours there are, the most frequent first, with some of what has them.

    One on the same ground as the last is told without it.
    """
    groups: dict[tuple[str, str, float], list[str]] = {}
    for one in places:
        if (fact := facts.get(one.item.ref)) and "ratio" in fact:
            key = _short(fact["ink"]), _short(fact["paper"]), round(fact["ratio"], 1)
            groups.setdefault(key, []).append(name(one.item.ref, one.item))
    order = sorted(groups.items(), key=lambda each: -len(each[1]))
    told, last = list[str](), ""
    for (ink, paper, ratio), refs in order[:5]:
        on = "" if paper == last else f" on {paper}"
        told.append(f"{ink}{on} {ratio:g} {' '.join(refs[:3])}{' …' if len(refs) > 3 else ''}")
        last = paper
    return [f"Colours and contrast: {'; '.join(told)}"] if told else []


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
    parts = (
        f"{called(one, before)} {one.box[0]:.0f}-{one.box[0] + one.box[2]:.0f}"
        for before, one in zip([None, *row], row, strict=False)
    )
    return f"y {top:.0f}-{bottom:.0f}: {', '.join(parts)}"

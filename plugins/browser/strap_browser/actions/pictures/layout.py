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
    inner = [place for place in places if not state.is_framed(place.item.ref)]
    data = await state.ask("layout", refs=[place.item.ref for place in inner])
    facts = {item.item.ref: fact for item, fact in zip(inner, data["facts"], strict=True) if fact}
    name = namer(taken, state.refs)

    def ref(place: Placed) -> str:
        return name(place.item.ref, place.item)

    def called(place: Placed, before: Placed | None) -> str:
        words = quoted(clip(place.item.name or place.item.body, NAME))
        label = place.label if before is None or before.label != place.label else ""
        return " ".join(filter(None, (label, words, ref(place))))

    rows = [_row(row, called) for row in _rows(places)]  # which number the refs
    lines = [*_frame(data), *_problems(places, facts, ref), *_colours(places, facts, name)]
    lines += ["Rows, y: role name ref x"] if rows else []
    left = min(tokens, MOST_TOKENS) - count_tokens("\n".join(lines))
    for done, row in enumerate(rows):
        left -= count_tokens(row) + 1
        if left < 0:
            return [*lines, f"… {len(rows) - done} rows more below: `snapshot` shows them."]
        lines.append(row)
    return lines


def _frame(data: dict[str, Any]) -> list[str]:
    (width, height), (wide, high) = data["view"], data["page"]
    way = ", right to left" if data["direction"] == "rtl" else ""
    size = f"Viewport {width} x {height} px at {data['scroll'][1]} of {high} px down{way}."
    if wide > width + 1:
        size += f" The page is {wide} px wide."
    return [size, *(_spans(title, data[title]) for title in ("areas", "columns") if data[title])]


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
    problems: dict[str, list[str]] = {kind: [] for kind in KINDS}
    for place in places:
        fact = facts.get(place.item.ref, {})
        if fact.get("by"):
            problems["Covered"].append(f"{ref(place)} by {fact['by']}")
        if fact.get("cut"):
            problems["Cut off"].append(f"{ref(place)} {fact['cut']} px of its text")
        if fact.get("ratio", 21) < fact.get("least", 0):
            colours = f"{_short(fact['ink'])} on {_short(fact['paper'])}"
            problems["Low contrast"].append(f"{ref(place)} {fact['ratio']}:1, {colours}")
    for place, other in combinations(places, 2):
        small, large = sorted((place, other), key=lambda pair: pair.size)
        share = _shared(place.box, other.box) / small.size
        if OVERLAP <= share < 1:  # what is all inside another belongs to it, as in a card
            problems["Overlap"].append(f"{ref(small)} and {ref(large)} {share:.0%}")
    return [
        f"{kind}: {'; '.join(texts[:MOST_PROBLEMS])}"
        + (f"; … {len(texts) - MOST_PROBLEMS} more" if len(texts) > MOST_PROBLEMS else "")
        for kind, texts in problems.items()
        if texts
    ]


def _short(colour: str) -> str:
    """Return a colour in three digits where it has a short form."""
    red, green, blue = (colour[at : at + 2] for at in (1, 3, 5))
    is_short = all(part[0] == part[1] for part in (red, green, blue))
    return f"#{red[0]}{green[0]}{blue[0]}" if is_short else colour


def _shared(box: Box, other: Box) -> float:
    across = min(box[0] + box[2], other[0] + other[2]) - max(box[0], other[0])
    down = min(box[1] + box[3], other[1] + other[3]) - max(box[1], other[1])
    return max(across, 0) * max(down, 0)


def _colours(places: list[Placed], facts: dict[str, Any], name: Any) -> list[str]:
    """Say which colours there are, the most frequent first, with some of what has them.

    One on the same ground as the last is told without it.
    """
    groups: dict[tuple[str, str, float], list[str]] = {}
    for place in places:
        if (fact := facts.get(place.item.ref)) and "ratio" in fact:
            key = _short(fact["ink"]), _short(fact["paper"]), round(fact["ratio"], 1)
            groups.setdefault(key, []).append(name(place.item.ref, place.item))
    order = sorted(groups.items(), key=lambda group: -len(group[1]))
    colours, last = list[str](), ""
    for (ink, paper, ratio), refs in order[:5]:
        on = "" if paper == last else f" on {paper}"
        colours.append(f"{ink}{on} {ratio:g} {' '.join(refs[:3])}{' …' if len(refs) > 3 else ''}")
        last = paper
    return [f"Colours and contrast: {'; '.join(colours)}"] if colours else []


def _rows(places: list[Placed]) -> list[list[Placed]]:
    """Return the elements in rows from top to bottom, as the eye takes them."""
    rows: list[list[Placed]] = []
    for place in sorted(places, key=lambda item: (item.box[1] + item.box[3] / 2, item.box[0])):
        middle = place.box[1] + place.box[3] / 2
        last = rows[-1][0].box if rows else None
        if (
            last is not None
            and last[1] <= middle <= last[1] + last[3]
            and place.box[3] < 4 * last[3]
        ):
            rows[-1].append(place)
        else:
            rows.append([place])
    for row in rows:
        row.sort(key=lambda item: item.box[0])
    return rows


def _row(row: list[Placed], called: Any) -> str:
    top, bottom = min(o.box[1] for o in row), max(o.box[1] + o.box[3] for o in row)
    parts = (
        f"{called(place, before)} {place.box[0]:.0f}-{place.box[0] + place.box[2]:.0f}"
        for before, place in zip([None, *row], row, strict=False)
    )
    return f"y {top:.0f}-{bottom:.0f}: {', '.join(parts)}"

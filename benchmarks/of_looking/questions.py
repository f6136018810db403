"""Questions about what a picture shows, answered from `snapshot value=layout` alone.

The pages are laid out at random. The right answers are made of the boxes, hit tests and colours
that the page itself tells; a program that reads the lines of the layout answers, and nothing else.
Questions of what a layout does not tell, as of pictures and shapes, are not among them.
"""

import json
import random
import re
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

from benchmarks.bench import Bench, Table
from benchmarks.of_looking.looking import browser
from tests.site.server import serve

SEED = 59
WIDTH, HEIGHT = 1280, 720
PICTURE_TOKENS = WIDTH * HEIGHT / 750
"""Tokens of a picture of the viewport, as Anthropic counts them."""
WORDS = ("Save", "Open", "Print", "Send", "Copy", "Sort", "Help", "Share", "Undo", "Login", "Cart")
MORE = ("Maps", "News", "Docs", "Chat", "Call", "Plan", "Tags", "Team", "Work", "Mail", "Blog")
COLOURS = ("#003366", "#7a1f1f", "#1f5f2f", "#333333", "#5a2a82")
TRUTH = """(() => { const all = [...document.querySelectorAll('button, a, input')].map((one) => {
  const { left, top, width, height } = one.getBoundingClientRect();
  const hit = document.elementFromPoint(left + width / 2, top + height / 2);
  const shown = left + width > 0 && top + height > 0 && left < innerWidth && top < innerHeight;
  return { name: one.getAttribute('aria-label') || one.textContent, left, top, width, height, shown,
    covered: !!hit && shown && !one.contains(hit), cut: one.scrollWidth - one.clientWidth > 1,
    ink: getComputedStyle(one).color };
}); return JSON.stringify({ all, columns: document.querySelectorAll('.column').length,
  pages: Math.round(document.documentElement.scrollHeight / innerHeight) }); })()"""
Truth = dict[str, Any]
Question = tuple[str, Callable[["Reader"], Any], Any]
"""Question, how a reader answers it, and the right answer."""


class Reader:
    """Reads a layout; an element is known by its name."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.boxes: dict[str, tuple[float, float, float, float]] = {}
        self.rows: list[list[str]] = []
        for line in text.splitlines():
            if not (row := re.match(r"y (-?\d+)-(-?\d+): ", line)):
                continue
            found = re.findall(r'"([^"]+)" (e\d+) (-?\d+)-(-?\d+)', line)
            self.rows.append([name for name, *_ in found])
            top, bottom = map(float, row.groups())
            for name, _, left, right in found:
                self.boxes[name] = float(left), top, float(right), bottom
        self.refs = {ref: name for name, ref in re.findall(r'"([^"]+)" (e\d+)', text)}

    def said(self, kind: str) -> list[str]:
        """Return what the line of a kind says."""
        line = re.search(rf"^{kind}[^:]*: (.*)", self.text, re.MULTILINE)
        return line[1].split("; ") if line else []

    def named(self, part: str) -> set[str]:
        """Return the names of the elements that a part of a line is about."""
        return {self.refs[ref] for ref in re.findall(r"\be\d+", part)}

    def ink(self, name: str) -> str:
        """Return the colour of the text of an element."""
        groups = (group for group in self.said("Colours") if name in self.named(group))
        return next(groups, "").partition(" ")[0]


async def measured(bench: Bench) -> Table:
    drawn = random.Random(SEED)
    pages = [_page(drawn) for _ in range(bench.runs(20, 5))]
    right, asked, tokens = Counter[str](), Counter[str](), list[int]()
    with serve({f"/{n}": page for n, page in enumerate(pages)}) as site:
        async with browser() as call:
            await call("resize", width=WIDTH, height=HEIGHT)
            for number in range(len(pages)):
                await call("navigate", url=f"{site}/{number}")
                told = (await call("snapshot", value="layout")).text
                truth = json.loads((await call("evaluate", text=TRUTH)).data["result"])
                tokens.append(bench.tokens(told))
                reader = Reader(told)
                for words, answered, wanted in _asked(truth, drawn):
                    kind, answer = words.split(" ")[0], answered(reader)
                    asked[kind] += 1
                    right[kind] += answer == wanted
                    if answer != wanted:
                        print(f"page {number}: {words}: {answer!r}, not {wanted!r}\n{told}")
    rows = [[kind, f"{right[kind]}/{asked[kind]}"] for kind in sorted(asked)]
    mean = sum(tokens) / len(tokens)
    note = f"A layout has {mean:.0f} tokens, {mean / PICTURE_TOKENS:.0%} of those of a picture."
    note += f" It has at most {max(tokens)}; a picture has {PICTURE_TOKENS:.0f}."
    return Table(
        title=f"Questions about {len(pages)} pages, answered from their layout in words",
        columns=("asked for", "right"),
        rows=[*rows, ["all", f"{right.total()}/{asked.total()}"]],
        notes=[note],
    )


def _page(drawn: random.Random) -> str:
    """Return a page with some twenty elements: two or three columns, and some placed anywhere."""
    names = drawn.sample(WORDS + MORE, 20)
    columns = drawn.choice((0, 2, 3))
    parts = list[str]()
    for at in range(columns):
        inner = "".join(_element(drawn, names.pop()) for _ in range(3))
        parts.append(f"<section class=column style='flex:{at + 1};height:400px'>{inner}</section>")
    body = f"<div style='display:flex'>{''.join(parts)}</div>" if parts else ""
    row = "".join(f"<a href=#>{names.pop()}</a> " for _ in range(4))
    body = f"<nav style='height:40px'>{row}</nav>{body}"
    for _ in range(5):
        left, top = drawn.randrange(0, 1_100, 20), drawn.randrange(460, 680, 20)
        width, height = drawn.randrange(60, 240, 7), drawn.randrange(24, 60, 3)
        body += _element(
            drawn,
            names.pop(),
            f"position:absolute;left:{left}px;top:{top}px;width:{width}px;height:{height}px",
        )
    body += "<div style='height:900px'></div>" + _element(drawn, names.pop())
    return f"<!doctype html><html lang=en><title>A</title><body style='margin:0'>{body}"


def _element(drawn: random.Random, name: str, style: str = "margin:8px") -> str:
    style += f";color:{drawn.choice(COLOURS)};background:#fff;border:1px solid"
    if drawn.random() < 0.15:
        style += ";width:34px;overflow:hidden;white-space:nowrap"
        name = f"{name} all of them"
    kind = "button" if drawn.random() < 0.7 else "a href=#"
    if kind != "button" and "absolute" not in style:
        style += ";display:inline-block"
    return f"<{kind} style='{style}'>{name}</{kind.partition(' ')[0]}>"


def _asked(truth: Truth, drawn: random.Random) -> Iterator[Question]:
    """Yield five questions of five kinds, yes and no alike where both are right somewhere."""
    kinds: dict[str, dict[bool, list[Question]]] = {}
    for question in _questions(truth, drawn):
        words, _, wanted = question
        kinds.setdefault(words.split(" ")[0], {}).setdefault(bool(wanted), []).append(question)
    for kind in drawn.sample(sorted(kinds), 5):
        yield drawn.choice(drawn.choice([*kinds[kind].values()]))


def _questions(truth: Truth, drawn: random.Random) -> Iterator[Question]:
    """Yield all questions about a page: the random ones among them have two elements each."""
    all_of_them: list[dict[str, Any]] = truth["all"]
    shown = [one for one in all_of_them if one["shown"]]
    names = [one["name"] for one in shown]
    for one, other in (drawn.sample(shown, 2) for _ in range(6)):
        yield from _of_two(one, other)
    for name, kind, key in (
        ("leftmost", min, lambda b: b[0]),
        ("rightmost", max, lambda b: b[2]),
        ("widest", max, lambda b: b[2] - b[0]),
    ):
        yield from _extreme(name, kind, key, shown)
    yield (
        "outside the viewport",
        lambda reader: {one["name"] for one in all_of_them} - reader.boxes.keys(),
        {one["name"] for one in all_of_them} - set(names),
    )
    covered = {one["name"] for one in shown if one["covered"]}
    yield (
        "covered",
        lambda reader: reader.named(
            "".join(re.findall(r"e\d+ by", " ".join(reader.said("Covered"))))
        ),
        covered,
    )
    cut = {one["name"] for one in shown if one["cut"]}
    yield "cut off", lambda reader: reader.named("; ".join(reader.said("Cut off"))), cut
    yield (
        "columns",
        lambda reader: len(reader.said("Columns")) or 1,
        truth["columns"] or 1,
    )
    yield (
        "pages high",
        lambda reader: round(int(re.findall(r"of (\d+) px down", reader.text)[0]) / HEIGHT),
        truth["pages"],
    )
    one = drawn.choice(shown)
    yield f"ink of {one['name']}", lambda reader: reader.ink(one["name"]), _hex(one["ink"])


def _of_two(one: dict[str, Any], other: dict[str, Any]) -> Iterator[Question]:
    a, b = one["name"], other["name"]
    yield (
        f"left: is {a} left of {b}",
        lambda reader: reader.boxes[a][0] < reader.boxes[b][0],
        one["left"] < other["left"],
    )
    if not _same_row(one, other):
        yield (
            f"above: is {a} above {b}",
            lambda reader: [*reader.boxes].index(a) < [*reader.boxes].index(b),
            one["top"] + one["height"] / 2 < other["top"] + other["height"] / 2,
        )
    yield (
        f"row: are {a} and {b} in one",
        lambda reader: any({a, b} <= {*row} for row in reader.rows),
        _same_row(one, other),
    )
    yield (
        f"overlap: do {a} and {b}",
        lambda reader: any({a, b} == reader.named(pair) for pair in reader.said("Overlap")),
        _overlap(one, other),
    )


def _extreme(
    word: str, kind: Callable[..., Any], key: Callable[[Any], float], shown: list[dict[str, Any]]
) -> Iterator[Question]:
    def size(each: dict[str, Any]) -> float:
        right, bottom = each["left"] + each["width"], each["top"] + each["height"]
        return key((each["left"], each["top"], right, bottom))

    best = kind(shown, key=size)
    if sum(abs(size(one) - size(best)) <= 1 for one in shown) == 1:  # else there are several
        yield (
            word,
            lambda reader: kind(reader.boxes, key=lambda name: key(reader.boxes[name])),
            best["name"],
        )


def _same_row(one: dict[str, Any], other: dict[str, Any]) -> bool:
    first, second = sorted((one, other), key=lambda each: each["top"] + each["height"] / 2)
    middle = second["top"] + second["height"] / 2
    return bool(first["top"] <= middle <= first["top"] + first["height"])


def _overlap(one: dict[str, Any], other: dict[str, Any]) -> bool:
    def shared(low: str, size: str) -> float:
        ends = min(one[low] + one[size], other[low] + other[size])
        return max(0.0, ends - max(one[low], other[low]))

    area = shared("left", "width") * shared("top", "height")
    return bool(area >= 0.2 * min(one["width"] * one["height"], other["width"] * other["height"]))


def _hex(colour: str) -> str:
    parts = [f"{int(part):02x}" for part in re.findall(r"\d+", colour)[:3]]
    is_short = all(part[0] == part[1] for part in parts)
    return "#" + "".join(part[0] if is_short else part for part in parts)

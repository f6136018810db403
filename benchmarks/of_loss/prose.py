"""Pages as the benchmark `loss` makes them: a menu, prose, and something in it."""

import random
from dataclasses import dataclass

NOUNS = [
    "mill",
    "valley",
    "harbour",
    "bridge",
    "kettle",
    "lantern",
    "orchard",
    "ferry",
    "barn",
    "quarry",
    "lighthouse",
    "garden",
    "market",
    "tower",
    "river",
    "stable",
    "weaver",
    "pantry",
    "cellar",
    "workshop",
    "meadow",
    "canal",
    "village",
    "forest",
    "station",
    "archive",
]
_VERBS = [
    "carried",
    "repaired",
    "measured",
    "painted",
    "opened",
    "counted",
    "moved",
    "covered",
    "cleaned",
    "weighed",
]
_ADVERBS = [
    "slowly",
    "twice",
    "again",
    "carefully",
    "before",
    "noon",
    "in",
    "spring",
    "without",
    "help",
    "for",
    "years",
]
_MENU = "".join(f'<li><a href="/part/{n}">Part {n}</a></li>' for n in range(12))


@dataclass(frozen=True, kw_only=True)
class Case:
    """A page; `kind` is what it tries, `wanted` what its main part has to have."""

    name: str
    kind: str
    html: str
    wanted: tuple[str, ...]


class Prose:
    """Paragraphs that differ from each other, the same in each run."""

    def __init__(self, seed: str) -> None:
        self._random = random.Random(seed)

    def text(self, sentences: int = 4) -> str:
        return " ".join(self._sentence() for _ in range(sentences))

    def paragraphs(self, count: int) -> str:
        return "\n".join(f"<p>{self.text()}</p>" for _ in range(count))

    def _sentence(self) -> str:
        pick = self._random.choice
        first, second, third = (pick(NOUNS) for _ in range(3))
        number = self._random.randint(2, 99)
        return (
            f"The {first} {pick(_VERBS)} {number} parts of the {second} {pick(_ADVERBS)}, and the "
            f"{third} {pick(_VERBS)} the rest of them {pick(_ADVERBS)}."
        )


def page(body: str, head: str = "") -> str:
    return (
        f"<!doctype html><html lang=en><head><title>The long manual</title>{head}</head><body>"
        f"<nav><ul>{_MENU}</ul></nav>{body}<footer><p>Example Works 2026</p></footer></body></html>"
    )


def article(inner: str) -> str:
    return page(f"<main><article><h1>The long manual</h1>{inner}</article></main>")

"""Nearest passages: those with most of the words, where none has all of them."""

import math
import re
import time
from collections.abc import Iterator, Sequence
from heapq import nlargest
from itertools import chain

from strap.documents.content import Content
from strap.documents.passages import (
    AROUND,
    SECONDS,
    Passage,
    Passages,
    fitting,
    line_start,
    too_long,
)

LONGEST = 4 * AROUND
"""Characters of a block: a piece of the document that is compared with others."""
MOST = 5
"""Passages that are shown."""
_SHARE = 3
"""A passage has at least one in so many of the words."""
_SATURATION = 1.2
"""How soon further occurrences of a word count for little: `k1` of BM25."""
_PLURAL = 4
"""Letters from which on an `s` at the end of a word may be missing."""
_LINE = re.compile(r"[^\n]*\n|[^\n]+")
_WORD = re.compile(r"\w+")

Counts = tuple[int, ...]
"""How often a block has each of the words."""


def nearest_passages(document: Content, text: str, start: int, max_tokens: int) -> Passages | None:
    """Return the best passages by BM25; None where no block has a third of the words."""
    words = list(dict.fromkeys(_WORD.findall(text.casefold())))
    until = time.monotonic() + SECONDS
    counted = list(_counted(document.text, words, start, until))
    weights = _weights([counts for counts, _ in counted], len(words))
    enough = len(words) / _SHARE
    scored = (
        (_score(counts, weights), -block.start, block)
        for counts, block in counted
        if sum(map(bool, counts)) >= enough
    )
    best = [block for score, _, block in nlargest(MOST, scored) if score]
    if not best:
        return None
    summary = f"No place has all the words of {text!r} in {len(document.text):,} characters"
    shown = fitting(document, [_from_hit(document.text, b, words) for b in best], max_tokens)
    head = f"{document.head}\n\n{summary}; those with the most, best first:"
    return Passages(text="\n\n".join((head, *map(str, shown))), passages=shown)


def _counted(
    text: str, words: Sequence[str], start: int, until: float
) -> Iterator[tuple[Counts, Passage]]:
    patterns = [(stem, re.compile(rf"\b{stem}")) for stem in map(_stem, words)]
    for block in _blocks(text, start):
        if time.monotonic() > until:
            raise too_long(text)
        folded = text[block.start : block.end].casefold()
        hits = ((stem in folded and pattern.findall(folded)) or () for stem, pattern in patterns)
        yield tuple(map(len, hits)), block


def _stem(word: str) -> str:
    is_plural = len(word) >= _PLURAL and word.endswith("s") and not word.endswith("ss")
    return word[:-1] if is_plural else word


def _from_hit(text: str, block: Passage, words: Sequence[str]) -> Passage:
    """Return the block, cut to at most `AROUND` before the first of the words."""
    pattern = re.compile("|".join(rf"\b{_stem(word)}" for word in words), re.IGNORECASE)
    hit = pattern.search(text, block.start, block.end)
    if hit is None or hit.start() - block.start <= AROUND:
        return block
    return Passage(start=line_start(text, hit.start()), end=block.end)


def _weights(counted: Sequence[Counts], words: int) -> list[float]:
    """The weight of each word by the number of blocks that have it, as in BM25."""
    total = len(counted)
    having = [sum(1 for counts in counted if counts[word]) for word in range(words)]
    return [math.log(1 + (total - had + 0.5) / (had + 0.5)) for had in having]


def _score(counts: Counts, weights: Sequence[float]) -> float:
    return sum(
        weight * count * (_SATURATION + 1) / (count + _SATURATION)
        for weight, count in zip(weights, counts, strict=True)
    )


def _blocks(text: str, start: int) -> Iterator[Passage]:
    begin = end = start
    is_heading = False
    for line in chain(_LINE.finditer(text, start), (None,)):
        content = line.group() if line else ""
        is_blank = not content.strip()
        if line is None or (is_blank and not is_heading) or line.end() - begin > LONGEST:
            yield from _pieces(text, begin, end)
            begin = end
        if line is not None:
            end = line.end()
            is_heading = content.startswith("#") or (is_blank and is_heading)


def _pieces(text: str, begin: int, end: int) -> Iterator[Passage]:
    while begin < end and text[begin] == "\n":
        begin += 1
    for at in range(begin, end, LONGEST):
        yield Passage(start=at, end=min(at + LONGEST, end))

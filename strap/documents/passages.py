"""Finding passages in a long document: where a text occurs, each with the lines around it."""

import re
import time
from collections.abc import Iterator, Sequence
from itertools import takewhile

from strap.api.results import count_tokens, cut
from strap.documents.content import Content
from strap.errors import ActionError, UsageError
from strap.records import record
from strap.text import counted

AROUND = 300
"""Characters before and after a hit that belong to its passage, as far as its lines reach."""
SHORTEST_LINE = 80
"""A hit in a shorter line, as a heading is, brings the text that follows it."""
MAX_HITS = 10_000
SECONDS = 3.0
"""How long a search may take."""
_PIECE = 200_000
"""Characters that are searched at a time: meanwhile nothing else runs in this process."""
_NOTE = 60  # tokens of the lines that are not passages
_LEAST = 60


@record
class Passage:
    """A piece of the document, by character."""

    start: int
    end: int


@record
class Shown:
    """A passage as an answer has it: as much of its text as there is room for."""

    start: int
    text: str

    def __str__(self) -> str:
        return f"[start={self.start}] {self.text}"


@record
class Passages:
    """The answer with the passages that it shows, and where to search on, if anywhere."""

    text: str
    passages: tuple[Shown, ...] = ()
    next_start: int | None = None


def refuse_blank(text: str | None) -> None:
    """Raise `UsageError` for a text to find that has no words; with None nothing is to be found."""
    if text is not None and not text.strip():
        raise UsageError("text is empty.", hint="Give the words to find.")


def matching_passages(
    document: Content, text: str, start: int, max_tokens: int, *, beyond: bool = False
) -> Passages | None:
    """Return the answer with the passages from `start` on.

    The words of `text` may be apart by any white space, in any case. Where they do not occur like
    that, paragraphs that have all of them are shown. None if there are none either. `beyond` tells
    that `document` is a whole page of which the main part was asked for.
    """
    words, until = text.split(), time.monotonic() + SECONDS
    passages = list(_passages(document.text, _hits(document.text, words, start, until), start))
    what = repr(text)
    if not passages and len(words) > 1:
        passages = list(_with_all(document.text, words, start, until))
        what = f"all the words of {text!r}"
    if not passages:
        return None
    noun = "passage" if len(passages) == 1 else "passages"
    summary = f"{len(passages)} {noun} with {what} in {len(document.text):,} characters"
    if beyond:
        summary += " of the whole page, none in its main part; read on with value=page"
    shown = fitting(document, passages, max_tokens)
    left = passages[len(shown) :]
    answer = "\n\n".join((f"{document.head}\n\n{summary}:", *map(str, shown)))
    if not left:
        return Passages(text=answer, passages=shown)
    fields = f"{'value=page and ' if beyond else ''}start={left[0].start}"
    answer += f"\n\n[{len(left)} more. Next: the same call with {fields}]"
    return Passages(text=answer, passages=shown, next_start=left[0].start)


def no_match(document: Content, text: str, start: int, *, beyond: bool = False) -> str:
    """Return the answer where there are no passages; `beyond` is as in `matching_passages`."""
    where = f"in the characters from {start:,} on" if start else "in it"
    where = "in the whole page" if beyond else where
    more = "value=page for what is around the main part" if document.partial else ""
    size = counted(len(document.text), "character")
    ways = ["fewer words", *filter(None, [more]), "no text to read it"]
    return f"{document.head}\n\n{text!r} does not occur {where} ({size}). Try {', or '.join(ways)}."


def _phrase(words: list[str]) -> re.Pattern[str]:
    return re.compile(r"\s++".join(map(re.escape, words)), re.IGNORECASE)


def _hits(text: str, words: list[str], start: int, until: float) -> Iterator[re.Match[str]]:
    first, phrase = words[0], _phrase(words)
    beginning = _phrase([first])
    while (at := _search(beginning, len(first), text, start, len(text), until)) is not None:
        hit = phrase.match(text, at)
        start = hit.end() if hit else at + 1
        if hit:
            yield hit


def _search(
    word: re.Pattern[str], length: int, text: str, start: int, end: int, until: float
) -> int | None:
    """Return where a word is from `start` to `end`, or None; raises `ActionError` after `until`."""
    for at in range(start, end, _PIECE):
        if time.monotonic() > until:
            raise too_long(text)
        if hit := word.search(text, at, min(end, at + _PIECE + length - 1)):
            return hit.start()
    return None


def too_long(text: str) -> ActionError:
    """The error for a search that is given up."""
    return ActionError(
        f"Searching {len(text):,} characters takes longer than {SECONDS:g} s.",
        hint="Give fewer words, or a start further on.",
        code="too_long",
    )


def _passages(text: str, hits: Iterator[re.Match[str]], start: int) -> Iterator[Passage]:
    begin = end = -1
    for number, hit in enumerate(hits):
        if number >= MAX_HITS:
            break
        if hit.start() < end:
            end = max(end, hit.end())
            continue
        if end >= 0:
            yield Passage(start=begin, end=end)
        begin = max(line_start(text, hit.start()), end, start)
        end = _passage_end(text, hit)
    if end >= 0:
        yield Passage(start=begin, end=end)


def line_start(text: str, at: int) -> int:
    """Return the start of the line around `at`, at most `AROUND` before it."""
    newline = text.rfind("\n", max(at - AROUND, 0), at)
    return max(at - AROUND, 0) if newline < 0 else newline + 1


def _passage_end(text: str, hit: re.Match[str]) -> int:
    limit = min(hit.end() + AROUND, len(text))
    newline = text.find("\n", hit.end(), limit)
    if newline < 0:
        return limit
    if newline - text.rfind("\n", 0, hit.start()) > SHORTEST_LINE:
        return newline
    following = re.compile(r"\n+[^\n]*").match(text, newline, limit)
    return following.end() if following else newline


def _with_all(text: str, words: list[str], start: int, until: float) -> Iterator[Passage]:
    patterns = [(_phrase([word]), len(word)) for word in dict.fromkeys(words)]
    for paragraph in re.finditer(r"(?:[^\n]+\n?)+", text[start:]):
        begin, end = paragraph.start() + start, paragraph.end() + start
        hits = (_search(*pattern, text, begin, end, until) for pattern in patterns)
        places = list(takewhile(lambda place: place is not None, hits))
        if len(places) == len(patterns):
            first = min(place for place in places if place is not None)
            at = max(line_start(text, first), begin)
            yield Passage(start=at, end=min(end, at + 4 * AROUND))


def fitting(document: Content, passages: Sequence[Passage], max_tokens: int) -> tuple[Shown, ...]:
    """The first of the passages that an answer of `max_tokens` has room for."""
    room = max(max_tokens - count_tokens(document.head) - _NOTE, _LEAST)
    shown: list[Shown] = []
    for passage in passages:
        text = document.text[passage.start : passage.end].strip("\n").rstrip()
        place = f"[start={passage.start}] "
        cost = count_tokens(place + text) + 1
        if cost > room and shown:
            break
        fits = cut(place + text, room)[0][len(place) :]
        shown.append(Shown(start=passage.start, text=fits))
        room -= cost
    return tuple(shown)

"""Search results as text: who answered, then title, URL, date and snippet of each."""

from collections.abc import Iterator
from dataclasses import asdict
from itertools import repeat
from typing import Any

from strap import DEFAULT_MAX_TOKENS, Result, count_tokens, record
from strap_search.common.text import strip_markup
from strap_search.engine import Engine, Hit, Picture, Query
from strap_search.failures import instead
from strap_search.paging import ResultPage

_ROOM_FOR_NOTE = 40


@record
class Extract:
    """Extract of a result: passages with their `start`, or a note on why there are none."""

    passages: tuple[tuple[int, str], ...] = ()
    note: str = ""


@record
class Answer:
    """Hits for `query`, with `extracts` of the first; `note` is shown before them."""

    engine: Engine
    query: Query
    page: ResultPage
    limit: int
    extracts: tuple[Extract, ...] = ()
    note: str = ""


def spare(answer: Answer, max_tokens: int | None) -> int:
    """Return the tokens that an answer without extracts leaves of `max_tokens`."""
    text = "\n".join((_head(answer), *_blocks(answer), *_end(answer)))
    return (max_tokens or DEFAULT_MAX_TOKENS) - count_tokens(text)


def render(answer: Answer, *, others: tuple[str, ...], max_tokens: int | None) -> Result:
    """Render the results in `max_tokens`; `others` are suggested where nothing was found."""
    page, data = answer.page, _data(answer)
    head, end = _head(answer), _end(answer)
    if not page.hits:
        advice = "" if page.skipped else f" Use fewer or other words.{instead(others)}"
        return Result(text="\n".join((f"{head}.{advice}", *end)), data=data)
    blocks = _blocks(answer)
    room = (max_tokens or DEFAULT_MAX_TOKENS) - count_tokens("\n".join((head, *end)))
    shown = _fitting(blocks, room)
    if shown < len(blocks):
        needed = count_tokens("\n".join((head, *blocks, *end))) + _ROOM_FOR_NOTE
        end = (*end, f"[Shown: {shown} of {len(blocks)}. For all: max_tokens={needed}]")
    return Result(text="\n".join((head, *blocks[:shown], *end)), data=data)


def _head(answer: Answer) -> str:
    engine, query = answer.engine, answer.query
    kind = "" if query.kind == "web" else f" {query.kind}"
    remark = f"; {engine.remark}" if engine.remark else ""
    line = (
        f"{engine.name}{kind} (index: {engine.index}{remark}): {_count(answer.page)} "
        f"for {strip_markup(query.text, 80)!r}"
    )
    return f"{answer.note}\n{line}" if answer.note else line


def _count(page: ResultPage) -> str:
    count, skipped = len(page.hits), page.skipped
    if not skipped:
        return f"{count} result{'s' * (count > 1)}" if count else "no results"
    if count:
        return f"results {skipped + 1} to {skipped + count}"
    return f"no more than {skipped} result{'s' * (skipped > 1)}"


def _results(answer: Answer) -> Iterator[tuple[Hit, Extract | None]]:
    unread = repeat(None, len(answer.page.hits) - len(answer.extracts))
    return zip(answer.page.hits, (*answer.extracts, *unread), strict=True)


def _blocks(answer: Answer) -> list[str]:
    numbered = enumerate(_results(answer), answer.page.skipped + 1)
    return [_block(number, hit, extract or Extract()) for number, (hit, extract) in numbered]


def _block(number: int, hit: Hit, extract: Extract) -> str:
    about = ": ".join(filter(None, (str(hit.date), hit.snippet)))
    note = f"({extract.note})" if extract.note else ""
    passages = (_indented(f"[start={start}] {text}") for start, text in extract.passages)
    picture = _shown(hit.picture) if hit.picture is not None else ""
    lines = (f"{number}. {hit.title}", hit.url, picture, about, note, *passages)
    return "\n".join(filter(None, lines))


def _shown(picture: Picture) -> str:
    size = f" ({picture.width} x {picture.height})" if picture.width and picture.height else ""
    return f"image: {picture.url}{size}"


def _indented(text: str) -> str:
    """The lines of a passage, apart from those of the results: a page cannot pass for one."""
    return "\n".join(f"   {line}" for line in text.splitlines() if line.strip())


def _end(answer: Answer) -> tuple[str, ...]:
    page = answer.page
    strays = f"[Left out, because not of {answer.query.site}: {page.strays}]"
    return (
        *((strays,) if page.strays else ()),
        *((f"[{len(page.hits)} of {answer.limit}, then: {page.failure}]",) * bool(page.failure)),
    )


def _fitting(blocks: list[str], room: int) -> int:
    """Return how many blocks fit, at least one; all of them need no room for a note."""
    sizes = [count_tokens(f"{block}\n") for block in blocks]
    if sum(sizes) <= room:
        return len(blocks)
    room -= _ROOM_FOR_NOTE
    for count, size in enumerate(sizes):
        room -= size
        if room < 0:
            return max(count, 1)
    return len(blocks)


def _data(answer: Answer) -> dict[str, Any]:
    engine, query, page = answer.engine, answer.query, answer.page
    return {
        "engine": engine.name,
        "index": engine.index,
        "query": query.words,
        "kind": query.kind,
        "skipped": page.skipped,
        "results": [
            {"title": h.title, "url": h.url, "snippet": h.snippet, "date": h.date}
            | (asdict(h.picture, dict_factory=_named) if h.picture else {})
            | _read(extract)
            for h, extract in _results(answer)
        ],
        "failure": page.failure.code if page.failure else None,
    }


def _named(fields: list[tuple[str, Any]]) -> dict[str, Any]:
    """The fields of a picture among those of its result, where `url` is the page."""
    return {"image" if name == "url" else name: value for name, value in fields}


def _read(extract: Extract | None) -> dict[str, Any]:
    if extract is None:
        return {}
    passages = [{"start": start, "text": text} for start, text in extract.passages]
    return {"passages": passages, "note": extract.note}

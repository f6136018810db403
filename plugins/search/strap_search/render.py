"""Search results as text: who answered, then title, URL and snippet of each."""

from typing import Any

from strap import DEFAULT_MAX_TOKENS, Result, count_tokens
from strap_search.engines import Engine, Hit, plain
from strap_search.failures import either
from strap_search.paging import Found

_ROOM_FOR_NOTE = 40


def render(
    engine: Engine,
    found: Found,
    *,
    query: str,
    limit: int,
    others: tuple[str, ...],
    max_tokens: int | None,
) -> Result:
    """Render what `engine` found, bounded to `max_tokens`; what does not fit can be asked for.

    `others` are the engines to suggest where nothing was found.
    """
    head = _head(engine, query, len(found.hits))
    if not found.hits:
        advice = f"Use fewer or other words{either(others)}."
        return Result(text=f"{head}. {advice}", data=_data(engine, query, found))
    blocks = [_block(number, hit) for number, hit in enumerate(found.hits, 1)]
    end = _shortfall(found, limit)
    room = (max_tokens or DEFAULT_MAX_TOKENS) - count_tokens("\n".join((head, *end)))
    shown = _fitting(blocks, room)
    if shown < len(blocks):
        needed = count_tokens("\n".join((head, *blocks, *end))) + _ROOM_FOR_NOTE
        end = (*end, f"[Shown: {shown} of {len(blocks)}. For all: max_tokens={needed}]")
    text = "\n".join((head, *blocks[:shown], *end))
    return Result(text=text, data=_data(engine, query, found))


def _head(engine: Engine, query: str, count: int) -> str:
    remark = f"; {engine.remark}" if engine.remark else ""
    results = f"{count} result{'s' * (count > 1)}" if count else "no results"
    index = f"(index: {engine.index}{remark})"
    return f"{engine.name} {index}: {results} for {plain(query, 80)!r}"


def _block(number: int, hit: Hit) -> str:
    return "\n".join(filter(None, (f"{number}. {hit.title}", hit.url, hit.snippet)))


def _shortfall(found: Found, limit: int) -> tuple[str, ...]:
    if found.failure is not None:
        return (f"[{len(found.hits)} of {limit}, then: {found.failure}]",)
    return ()


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


def _data(engine: Engine, query: str, found: Found) -> dict[str, Any]:
    return {
        "engine": engine.name,
        "index": engine.index,
        "query": query,
        "results": [{"title": h.title, "url": h.url, "snippet": h.snippet} for h in found.hits],
        "failure": found.failure.code if found.failure else None,
    }

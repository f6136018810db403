"""One search, from what is wished for to the answer."""

import asyncio
from dataclasses import replace

from strap import ActionError, Context, Result
from strap_search import failures
from strap_search.capabilities import Requirements, build_query, missing_features, unsupported
from strap_search.paging import PageCursor
from strap_search.reading import read
from strap_search.render import Answer, render, spare
from strap_search.state import SearchState

SHARE = 0.9
"""Part of the time limit that a search gets: its own time-out says more than the router's."""
ENGINE_SHARE = 0.6
"""Part of that which the engine gets where pages are read as well."""


async def search(
    engine: str, wish: Requirements, ctx: Context[SearchState], *, pages: int, seconds: float
) -> Result:
    """Ask the engine of this name, and no other; raises what `search.query` raises.

    The first `pages` results are read as well.
    """
    state, deadline = ctx.state, asyncio.get_running_loop().time() + SHARE * seconds
    try:
        cursor = await _cursor(engine, wish, ctx)
        found = await cursor.window(
            skip=(wish.page - 1) * wish.limit,
            limit=wish.limit,
            seconds=SHARE * seconds * (ENGINE_SHARE if pages else 1),
            report=ctx.progress,
        )
    except ActionError as error:
        raise failures.or_use(error, await state.others(engine, wish)) from None
    others = () if found.hits else await state.others(engine, wish)
    answer = Answer(engine=cursor.engine, query=cursor.query, found=found, limit=wish.limit)
    if pages and found.hits:
        room = spare(answer, ctx.max_tokens)
        extracts = await read(found.hits[:pages], wish.words, ctx, room=room, deadline=deadline)
        answer = replace(answer, extracts=extracts)
    return render(answer, others=others, max_tokens=ctx.max_tokens)


async def _cursor(engine: str, wish: Requirements, ctx: Context[SearchState]) -> PageCursor:
    """Return that of the page before, for a later page, else a new one."""
    state = ctx.state
    way = await state.way(engine)
    problems = tuple(missing_features(wish, way))
    if problems:
        raise unsupported(engine, way, problems, await state.others(engine, wish))
    asked = build_query(wish, way, state.settings)
    key = ctx.caller.principal, way, asked
    cursor = state.trails.recall(key) if wish.page > 1 else None
    if cursor is None:
        cursor = PageCursor(await state.open(way), asked, state.pace(way))
    state.trails.keep(key, cursor)
    return cursor

"""One search, from what is wished for to the answer."""

import asyncio
from dataclasses import replace

from strap import ActionError, Context, Result, record
from strap_search import failures
from strap_search.capabilities import Requirements, build_query, missing_features, unsupported
from strap_search.paging import PageCursor
from strap_search.read_results import read
from strap_search.render import Answer, render, spare
from strap_search.state import SearchState
from strap_search.terms import DEFAULT_ENGINE

SHARE = 0.9
"""Part of the time limit that a search gets: its own time-out says more than the router's."""
ENGINE_SHARE = 0.6
"""Part of that which the engine gets where pages are read as well."""


@record
class Search:
    """A search; `engine` None is the default, the first `pages` results are read as well."""

    engine: str | None
    requirements: Requirements
    ctx: Context[SearchState]
    pages: int
    deadline: float


async def search(
    engine: str | None,
    requirements: Requirements,
    ctx: Context[SearchState],
    *,
    pages: int,
    seconds: float,
) -> Result:
    """Ask the engine of this name; without one the default, or the next if its pages changed."""
    deadline = asyncio.get_running_loop().time() + SHARE * seconds
    request = Search(
        engine=engine, requirements=requirements, ctx=ctx, pages=pages, deadline=deadline
    )
    answer = await _answer(request)
    others = (
        () if answer.page.hits else await ctx.state.others(engine or DEFAULT_ENGINE, requirements)
    )
    if pages and answer.page.hits:
        hits, room = answer.page.hits[:pages], spare(answer, ctx.max_tokens)
        extracts = await read(hits, requirements.words, ctx, room=room, deadline=deadline)
        answer = replace(answer, extracts=extracts)
    return render(answer, others=others, max_tokens=ctx.max_tokens)


async def _answer(request: Search) -> Answer:
    engine = request.engine or DEFAULT_ENGINE
    try:
        return await _answer_of(engine, request)
    except ActionError as error:
        others = await request.ctx.state.others(engine, request.requirements)
        failure = failures.or_use(error, others)
        if error.code != failures.CHANGED or request.engine is not None or not others:
            raise failure from None
    try:
        answer = await _answer_of(others[0], request)
    except ActionError:
        raise failure from None
    return replace(answer, note=f"{failure.message} engine={others[0]!r} was asked in its place.")


async def _answer_of(engine: str, request: Search) -> Answer:
    requirements, left = request.requirements, request.deadline - asyncio.get_running_loop().time()
    cursor = await _cursor(engine, requirements, request.ctx)
    page = await cursor.window(
        skip=(requirements.page - 1) * requirements.limit,
        limit=requirements.limit,
        seconds=left * (ENGINE_SHARE if request.pages else 1),
        report=request.ctx.progress,
    )
    return Answer(engine=cursor.engine, query=cursor.query, page=page, limit=requirements.limit)


async def _cursor(engine: str, requirements: Requirements, ctx: Context[SearchState]) -> PageCursor:
    state = ctx.state
    engine_class = await state.resolve(engine)
    problems = tuple(missing_features(requirements, engine_class))
    if problems:
        raise unsupported(engine, engine_class, problems, await state.others(engine, requirements))
    engine_query = build_query(requirements, engine_class, state.settings)
    key = ctx.caller.principal, engine_class, engine_query
    cursor = state.trails.recall(key) if requirements.page > 1 else None
    if cursor is None:
        cursor = PageCursor(await state.open(engine_class), engine_query, state.pace(engine_class))
    state.trails.keep(key, cursor)
    return cursor

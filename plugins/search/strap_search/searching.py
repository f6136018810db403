"""One call of `search.query`, from its parameters to its answer."""

from strap import ActionError, Context, Result
from strap_search import failures
from strap_search.capabilities import Requirements, build_query, missing_features, unsupported
from strap_search.paging import PageCursor
from strap_search.query import QueryParams
from strap_search.render import Answer, render
from strap_search.state import SearchState

_SHARE = 0.9
"""Part of the time limit that the engine gets: its own time-out says more than the router's."""


async def run(params: QueryParams, ctx: Context[SearchState], *, seconds: float) -> Result:
    """Ask the engine that the caller names, and no other; raises what the action raises."""
    state, wish = ctx.state, _wish(params)
    try:
        trail = await _trail(params, ctx)
        found = await trail.window(
            skip=(params.page - 1) * params.limit,
            limit=params.limit,
            seconds=_SHARE * seconds,
            report=ctx.progress,
        )
    except ActionError as error:
        raise failures.or_use(error, await state.others(params.engine, wish)) from None
    others = () if found.hits else await state.others(params.engine, wish)
    answer = Answer(engine=trail.engine, query=trail.query, found=found, limit=params.limit)
    return render(answer, others=others, max_tokens=ctx.max_tokens)


async def _trail(params: QueryParams, ctx: Context[SearchState]) -> PageCursor:
    """Return the trail of the page before, for a later page, else a new one."""
    state, wish = ctx.state, _wish(params)
    way = await state.way(params.engine)
    problems = tuple(missing_features(wish, way))
    if problems:
        raise unsupported(params.engine, way, problems, await state.others(params.engine, wish))
    asked = build_query(wish, way, state.settings)
    key = ctx.caller.principal, way, asked
    trail = state.trails.recall(key) if params.page > 1 else None
    if trail is None:
        trail = PageCursor(await state.open(way), asked, state.pace(way))
    state.trails.keep(key, trail)
    return trail


def _wish(params: QueryParams) -> Requirements:
    return Requirements(
        words=params.query,
        kind=params.kind,
        time_range=params.time_range,
        region=params.region,
        safe=params.safe,
        site=params.site,
        limit=params.limit,
        page=params.page,
    )

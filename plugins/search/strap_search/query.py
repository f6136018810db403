"""The resource `search` and its action `query`."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from pydantic import Field, field_validator

from strap import ActionError, Context, Environment, Params, Resource, Result, action
from strap_search import failures
from strap_search.capabilities import Requirements, build_query, missing_features, unsupported
from strap_search.common import regions, urls
from strap_search.engine import MAX_QUERY, MAX_RESULTS, Kind, Safe, TimeRange
from strap_search.paging import PageCursor
from strap_search.registry import installed
from strap_search.render import Answer, render
from strap_search.settings import SearchSettings
from strap_search.state import SearchState

TIMEOUT = 30.0
SHARE = 0.9
"""Part of the time limit that the engine gets: its own time-out says more than the router's."""


@asynccontextmanager
async def _open(environment: Environment) -> AsyncIterator[SearchState]:
    async with SearchState(environment.settings, environment.guard) as engines:
        yield engines


search = Resource(
    name="search",
    summary="Search the web: DuckDuckGo, Google and others",
    settings=SearchSettings,
    open=_open,
)


def _list_engines(schema: dict[str, Any]) -> None:
    """Let `help` list the engines that are installed; the state decides what is valid."""
    schema["enum"] = installed().names


class QueryParams(Params):
    """The parameters of `search.query`."""

    query: str = Field(max_length=MAX_QUERY)
    """Words to search for."""
    engine: str = Field(default="duckduckgo", json_schema_extra=_list_engines)
    """Who is asked; an engine that needs a key answers what to set."""
    limit: int = Field(default=10, ge=1, le=50)
    """Number of results."""
    page: int = Field(default=1, ge=1, le=MAX_RESULTS)
    """Which `limit` results: with limit=10, page=2 gives results 11 to 20."""
    kind: Kind = "web"
    """Pages of the web, or news with their dates."""
    time_range: TimeRange | None = None
    """Only what is at most that old."""
    region: str | None = None
    """Country and language as in us-en or de-at; wt-wt for the whole world."""
    safe: Safe | None = None
    """Filter for adult content; moderate unless given, where the engine has it."""
    site: str | None = Field(default=None, max_length=253)
    """Only results of this host and those below it, as in example.com or example.com/docs."""

    @field_validator("query")
    @classmethod
    def _words(cls, query: str) -> str:
        words = " ".join(query.split())
        if not words:
            raise ValueError("must not be empty")
        return words

    @field_validator("region")
    @classmethod
    def _region(cls, region: str | None) -> str | None:
        if region is not None:
            regions.canonical(region)
        return region

    @field_validator("site")
    @classmethod
    def _site(cls, site: str | None) -> str | None:
        return urls.site(site) if site is not None else None


@action(search, effect="read", timeout=TIMEOUT)
async def query(params: QueryParams, ctx: Context[SearchState]) -> Result:
    """Search the web: title, URL, snippet and date of each result, in the engine's order.

    The first line says who answered, from whose index. What an engine cannot do is refused
    before it is asked; nothing is asked elsewhere than at `engine`.
    """
    state, wish = ctx.state, _wish(params)
    try:
        trail = await _trail(params, ctx)
        found = await trail.window(
            skip=(params.page - 1) * params.limit,
            limit=params.limit,
            seconds=SHARE * (params.timeout or TIMEOUT),
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

"""The resource `search` and its action `query`."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from pydantic import Field, field_validator

from strap import ActionError, Context, Environment, Params, Resource, Result, action
from strap_search import failures
from strap_search.engines import EngineName, Engines
from strap_search.paging import collect
from strap_search.render import render
from strap_search.settings import SearchSettings

TIMEOUT = 30.0
_SHARE = 0.9
"""Part of the time limit that the engine gets: its own time-out says more than the router's."""


@asynccontextmanager
async def _open(environment: Environment) -> AsyncIterator[Engines]:
    async with Engines(environment.settings) as engines:
        yield engines


search = Resource(name="search", summary="Search the web.", settings=SearchSettings, open=_open)


class Query(Params):
    """The parameters of `search.query`."""

    query: str = Field(max_length=499)
    """Words to search for."""
    engine: EngineName = "duckduckgo"
    """Who is asked: `duckduckgo` or `google`."""
    limit: int = Field(default=10, ge=1, le=50)
    """Number of results."""

    @field_validator("query")
    @classmethod
    def _words(cls, query: str) -> str:
        words = " ".join(query.split())
        if not words:
            raise ValueError("must not be empty")
        return words


@action(search, effect="read", timeout=TIMEOUT)
async def query(params: Query, ctx: Context[Engines]) -> Result:
    """Search the web: title, URL and snippet of each result, in the engine's order."""
    others = ctx.state.others(params.engine)
    try:
        engine = await ctx.state.pick(params.engine)
        found = await collect(
            engine,
            params.query,
            limit=params.limit,
            seconds=_SHARE * (params.timeout or TIMEOUT),
            progress=ctx.progress,
        )
    except ActionError as error:
        raise failures.or_use(error, others) from None
    return render(
        engine,
        found,
        query=params.query,
        limit=params.limit,
        others=others,
        max_tokens=ctx.max_tokens,
    )

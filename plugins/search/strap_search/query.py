"""The action `search.query`."""

from typing import TYPE_CHECKING, Any

from pydantic import Field, field_validator

from strap import Context, Params, Result, action
from strap_search.common import regions, urls
from strap_search.terms import DEFAULT_ENGINE, MAX_QUERY, MAX_RESULTS, Kind, Safe, TimeRange

if TYPE_CHECKING:
    from strap_search.state import SearchState

TIMEOUT = 30.0


def _list_engines(schema: dict[str, Any]) -> None:
    """Let `help` list the engines that are installed; the state decides what is valid."""
    from strap_search.registry import installed

    schema["enum"] = installed().names


class QueryParams(Params):
    """The parameters of `search.query`."""

    query: str = Field(max_length=MAX_QUERY)
    """Words to search for."""
    engine: str = Field(default=DEFAULT_ENGINE, json_schema_extra=_list_engines)
    """Search engine; one that needs a key answers what to set."""
    limit: int = Field(default=10, ge=1, le=50)
    """Number of results."""
    page: int = Field(default=1, ge=1, le=MAX_RESULTS)
    """Page of results: with limit=10, page=2 gives results 11 to 20."""
    kind: Kind = "web"
    """Pages of the web, news with their dates, or images with the pages that show them."""
    time_range: TimeRange | None = None
    """Only what is at most that old."""
    region: str | None = None
    """Country and language as in us-en or de-at; wt-wt for the whole world."""
    safe: Safe | None = None
    """Filter for adult content; moderate unless given, where the engine has it."""
    site: str | None = Field(default=None, max_length=512)
    """Only results of this host and those below it, as in example.com or example.com/docs; of
    several: a.example,b.example; all but one: -a.example."""
    read: int = Field(default=0, ge=0, le=10)
    """How many of the first results are read: the passages of their pages about the query."""

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
        return urls.sites(site) if site is not None else None


ENGINES = "https://search/"
"""The address that stands for all engines in the setting `flows`."""


@action("search", effect="read", timeout=TIMEOUT)
async def query(params: QueryParams, ctx: "Context[SearchState]") -> Result:
    """Search the web: title, URL, snippet and date of each result, in the engine's order.

    The first line says who answered, from whose index. What an engine cannot do is refused
    before it is asked; nothing is asked elsewhere than at `engine`. Where none is named and the
    page of the first has changed its form, the next one is asked, and the answer says so. With
    `read` the pages of the first results are fetched too: below each stand its passages with the
    words of the query, each with the `start` that `http.fetch` reads on from.
    """
    from strap_search.capabilities import Requirements
    from strap_search.search_call import search as ask

    await ctx.flow.send(ENGINES)
    requirements = Requirements(
        words=params.query,
        kind=params.kind,
        time_range=params.time_range,
        region=params.region,
        safe=params.safe,
        site=params.site,
        limit=params.limit,
        page=params.page,
    )
    seconds = params.timeout or TIMEOUT
    engine = params.engine if "engine" in params.model_fields_set else None
    return await ask(engine, requirements, ctx, pages=params.read, seconds=seconds)

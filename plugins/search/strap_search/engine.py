"""Interface of a search engine: its queries, its results, its features."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from contextlib import AbstractAsyncContextManager
from typing import TYPE_CHECKING, ClassVar, Protocol, TypeVar

from strap import Space, record
from strap_search.terms import MAX_QUERY, MAX_RESULTS, Kind, Safe, TimeRange

if TYPE_CHECKING:
    from strap import Guard
    from strap_search.settings import SearchSettings

Value = TypeVar("Value")


@record
class Query:
    """Query to an engine, within the `Features` of that engine.

    `region` is `country-language` (ISO 3166-1, ISO 639-1) as in `gb-en`, None for the whole
    world; `site` hosts, perhaps with a path, parted by commas, those with a `-` before them left
    out, as in `docs.example.com/guide,example.org,-old.example.org`.
    """

    words: str
    kind: Kind = "web"
    time_range: TimeRange | None = None
    region: str | None = None
    safe: Safe | None = None
    site: str | None = None

    @property
    def text(self) -> str:
        """The words, with the sites as the operators that most engines understand."""
        scope = " OR ".join(f"site:{site}" for site in self.sites)
        scope = f"({scope})" if len(self.sites) > 1 else scope
        return " ".join(filter(None, (self.words, scope, *(f"-site:{e}" for e in self.excluded))))

    @property
    def sites(self) -> tuple[str, ...]:
        """The sites that results may be of; empty for any."""
        named = (self.site or "").split(",")
        return tuple(item for item in named if item and not item.startswith("-"))

    @property
    def excluded(self) -> tuple[str, ...]:
        """The sites that results may not be of."""
        return tuple(item[1:] for item in (self.site or "").split(",") if item.startswith("-"))

    @property
    def country(self) -> str | None:
        """ISO 3166-1 code in lower case."""
        return self.region.partition("-")[0] if self.region else None

    @property
    def language(self) -> str | None:
        """ISO 639-1 code."""
        return self.region.partition("-")[2] if self.region else None


@record
class Features:
    """Features of an engine for one kind of search; an empty field means unsupported.

    regions: whole regions (`de-at`) or countries (`at`); None for any.
    site: whether it takes `Query.site`, in `Query.text` or in its own way.
    most: results that can be reached by paging.
    longest: characters of `Query.text` that it takes.
    """

    time_ranges: tuple[TimeRange, ...] = ()
    safe: tuple[Safe, ...] = ()
    regions: frozenset[str] | None = frozenset()
    site: bool = True
    most: int = MAX_RESULTS
    longest: int = MAX_QUERY

    def serves(self, region: str) -> bool:
        """Whether results can be asked for `region`."""
        return self.regions is None or bool({region, region[:2]} & self.regions)


@record
class Picture:
    """URL of a picture, and its size in pixels, 0 if unknown."""

    url: str
    width: int = 0
    height: int = 0


@record
class Hit:
    """One result as the engine gives it; strap cleans the texts and drops what is no web page.

    `url` exactly as the site writes it; `date` as a Unix time, in ISO 8601 or RFC 5322 form, or
    in the engine's own words (`2 hours ago`). Of images `url` is the page that shows the `picture`.
    `space` is the network of who lists it: it is read in no more private one.
    """

    title: str
    url: str
    snippet: str = ""
    date: str | float = ""
    picture: Picture | None = None
    space: Space = Space.PUBLIC


@record
class Page:
    """Results in the engine's order; `following` asks for the next page, None at the end."""

    hits: tuple[Hit, ...] = ()
    following: Mapping[str, str] | None = None


def numbered(hits: tuple[Hit, ...], number: int, *, full: int) -> Page:
    """Return page `number` of an engine that does not say whether there are more.

    One with less than half of the `full` number of results is taken for the last: each request
    costs money, or wears out the patience of a keyless engine.
    """
    more = 2 * len(hits) >= full
    return Page(hits=hits, following={"page": str(number + 1)} if more else None)


class EngineContext(Protocol):
    """Settings, guard and resources that all engines of a process share."""

    settings: "SearchSettings"
    guard: "Guard"
    """Decides which addresses APIs may be at."""

    async def kept(
        self, name: str, make: Callable[[], AbstractAsyncContextManager[Value]]
    ) -> Value:
        """Return what `make` opens: made once, off the loop; closed with the process."""


class Engine(ABC):
    """A way to search. One object serves one query, page by page: it may keep an identity.

    Subclass it and name the class in the entry-point group `strap.search_engines`.
    """

    name: ClassVar[str]
    """Name of the service that answers."""
    index: ClassVar[str]
    """Name of the index that results come from."""
    features: ClassVar[Mapping[Kind, Features]]
    """Features for each supported kind of search."""
    remark: ClassVar[str] = ""
    """Remark about this way of searching, shown with every answer."""
    keyless: ClassVar[bool] = False
    """Whether it is asked without an account: such requests are spread over time."""

    @classmethod
    def resolve(cls, settings: "SearchSettings") -> "type[Engine]":
        """Return the class for these settings; raises `ActionError` if one is missing."""
        return cls

    def __init__(self, engines: EngineContext) -> None:
        self.engines = engines

    @abstractmethod
    async def search(self, query: Query, after: Page | None = None) -> Page:
        """Return the page that follows `after`, the first one by default.

        Raises `ActionError` as `strap_search.failures` makes them.
        """

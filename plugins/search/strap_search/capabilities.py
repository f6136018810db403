"""Fitting a query to what an engine can do: what it cannot is said before anything is asked."""

from collections.abc import Iterable, Iterator

from strap import UsageError, record
from strap_search.common import regions
from strap_search.engine import Engine, Features, Query
from strap_search.failures import instead
from strap_search.settings import SearchSettings
from strap_search.terms import Kind, Safe, TimeRange


@record
class Requirements:
    """What a caller asks for; None where the engine or the operator decides."""

    words: str
    kind: Kind = "web"
    time_range: TimeRange | None = None
    region: str | None = None
    safe: Safe | None = None
    site: str | None = None
    limit: int = 10
    page: int = 1


def build_query(wish: Requirements, way: type[Engine], settings: SearchSettings) -> Query:
    """Return the query for an engine that can do all that is wished."""
    features = way.features[wish.kind]
    region = regions.canonical(wish.region or settings.region)
    if wish.region is None and region is not None and not features.serves(region):
        region = None
    safe: Safe | None = "moderate" if "moderate" in features.safe else None
    return Query(
        words=wish.words,
        kind=wish.kind,
        time_range=wish.time_range,
        region=region,
        safe=wish.safe or safe,
        site=wish.site,
    )


def unsupported(
    engine: str, way: type[Engine], problems: tuple[str, ...], others: tuple[str, ...]
) -> UsageError:
    """Return the error that names all that the engine cannot do, and the `others` that can."""
    who = repr(engine) if engine == way.name else f"{engine!r} ({way.name})"
    return UsageError(
        f"engine={who} cannot do {'; '.join(problems)}.",
        hint=f"Change that or leave it out.{instead(others)}",
        code="unsupported",
    )


def missing_features(wish: Requirements, way: type[Engine]) -> Iterator[str]:
    """Yield what `way` cannot do of the wish."""
    features = way.features.get(wish.kind)
    if features is None:
        yield f"kind={wish.kind!r}{_only(way.features)}"
        return
    if wish.time_range and wish.time_range not in features.time_ranges:
        yield f"time_range={wish.time_range!r}{_only(features.time_ranges)}"
    if wish.safe and wish.safe not in features.safe:
        yield f"safe={wish.safe!r}{_only(features.safe)}"
    if wish.region and not _serves(features, wish.region):
        yield f"region={wish.region!r}"
    if wish.site and not features.site:
        yield f"site={wish.site!r}"
    yield from _sizes(wish, features)


def _sizes(wish: Requirements, features: Features) -> Iterator[str]:
    last = wish.limit * wish.page
    if last > features.most:
        yield f"page={wish.page} with limit={wish.limit} (its results end at {features.most})"
    length = len(Query(words=wish.words, site=wish.site).text)
    if length > features.longest:
        yield f"a query of {length} characters (at most {features.longest})"


def _serves(features: Features, region: str) -> bool:
    canonical = regions.canonical(region)
    return canonical is None or features.serves(canonical)


def _only(values: Iterable[str]) -> str:
    names = ", ".join(map(repr, values))
    return f" (only {names})" if names else ""

"""Fitting a query to what an engine can do: what it cannot is said before anything is asked."""

from collections.abc import Iterable, Iterator

from strap import UsageError, record
from strap_search.common import regions
from strap_search.engine import Engine, Features, Query
from strap_search.failures import instead
from strap_search.settings import SearchSettings
from strap_search.terms import Safe


@record
class Requirements(Query):
    """Query as the caller asks for it; None leaves a choice to the engine or the operator."""

    limit: int = 10
    page: int = 1


def build_query(
    requirements: Requirements, engine_class: type[Engine], settings: SearchSettings
) -> Query:
    """Return the query for an engine that can do all that is wished."""
    features = engine_class.features[requirements.kind]
    region = regions.canonical(requirements.region or settings.region)
    if requirements.region is None and region is not None and not features.serves(region):
        region = None
    safe: Safe | None = "moderate" if "moderate" in features.safe else None
    return Query(
        words=requirements.words,
        kind=requirements.kind,
        time_range=requirements.time_range,
        region=region,
        safe=requirements.safe or safe,
        site=requirements.site,
    )


def unsupported(
    engine: str, engine_class: type[Engine], problems: tuple[str, ...], others: tuple[str, ...]
) -> UsageError:
    """Return the error that names all that the engine cannot do, and the `others` that can."""
    who = repr(engine) if engine == engine_class.name else f"{engine!r} ({engine_class.name})"
    return UsageError(
        f"engine={who} cannot do {'; '.join(problems)}.",
        hint=f"Change that or leave it out.{instead(others)}",
        code="unsupported",
    )


def missing_features(requirements: Requirements, engine_class: type[Engine]) -> Iterator[str]:
    """Yield what `engine_class` cannot do of the requirements."""
    features = engine_class.features.get(requirements.kind)
    if features is None:
        yield f"kind={requirements.kind!r}{_only(engine_class.features)}"
        return
    if requirements.time_range and requirements.time_range not in features.time_ranges:
        yield f"time_range={requirements.time_range!r}{_only(features.time_ranges)}"
    if requirements.safe and requirements.safe not in features.safe:
        yield f"safe={requirements.safe!r}{_only(features.safe)}"
    if requirements.region and not _serves(features, requirements.region):
        yield f"region={requirements.region!r}"
    if requirements.site and not features.site:
        yield f"site={requirements.site!r}"
    yield from _sizes(requirements, features)


def _sizes(requirements: Requirements, features: Features) -> Iterator[str]:
    last = requirements.limit * requirements.page
    if last > features.most:
        asked_for = f"page={requirements.page} with limit={requirements.limit}"
        yield f"{asked_for} (its results end at {features.most})"
    length = len(requirements.text)
    if length > features.longest:
        yield f"a query of {length} characters (at most {features.longest})"


def _serves(features: Features, region: str) -> bool:
    canonical = regions.canonical(region)
    return canonical is None or features.serves(canonical)


def _only(values: Iterable[str]) -> str:
    names = ", ".join(map(repr, values))
    return f" (only {names})" if names else ""

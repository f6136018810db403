"""The search engines of strap, and for those of others what an engine is made of."""

from strap_search.engine import Engine, EngineContext, Features, Hit, Page, Query, numbered
from strap_search.terms import MAX_QUERY, MAX_RESULTS, SAFE, TIME_RANGES, Kind, Safe, TimeRange

__all__ = [
    "MAX_QUERY",
    "MAX_RESULTS",
    "SAFE",
    "TIME_RANGES",
    "Engine",
    "EngineContext",
    "Features",
    "Hit",
    "Kind",
    "Page",
    "Query",
    "Safe",
    "TimeRange",
    "numbered",
]

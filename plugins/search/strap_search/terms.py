"""Terms and limits of a query, with any engine."""

from typing import Literal

Kind = Literal["web", "news", "images"]
TimeRange = Literal["day", "week", "month", "year"]
Safe = Literal["strict", "moderate", "off"]

TIME_RANGES: tuple[TimeRange, ...] = ("day", "week", "month", "year")
SAFE: tuple[Safe, ...] = ("strict", "moderate", "off")
DEFAULT_ENGINE = "duckduckgo"
"""Engine used when the caller names none."""
MAX_RESULTS = 100
"""Results of one query that can be reached by paging, with any engine."""
MAX_QUERY = 499
"""Most characters of a query; DuckDuckGo takes no more."""

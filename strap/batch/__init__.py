"""Batches: thousands of calls from a table, resumable, with a row of results for each."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from strap.batch.column_calls import Calls

__all__ = ["Calls"]


def __getattr__(name: str) -> Any:
    """Import what pipelines use when they do (PEP 562)."""
    if name not in __all__:
        raise AttributeError(f"module 'strap.batch' has no attribute {name!r}")
    from strap.batch.column_calls import Calls

    return Calls

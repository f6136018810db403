"""One frozen `Config`: file < environment < flags.

What is here is imported on first use: secrets and proxies are needed where no configuration is
read, such as in the agent's worker, and pydantic takes its time.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from strap.config.loading import Config, default_home, load

__all__ = ["Config", "default_home", "load"]


def __getattr__(name: str) -> Any:
    """Import a name of `loading` when it is first used (PEP 562)."""
    if name not in __all__:
        raise AttributeError(f"module 'strap.config' has no attribute {name!r}")
    return getattr(import_module("strap.config.loading"), name)

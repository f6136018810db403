"""Import parts of the MCP SDK without its package initialisers, which import everything."""

import sys
from importlib.machinery import ModuleSpec, SourceFileLoader
from importlib.util import find_spec
from types import ModuleType
from typing import Any

NAMES = ("mcp", "mcp.server")
"""Their `__init__` imports the client and the high-level server: a quarter of the import time."""


class _Package(ModuleType):
    """A package whose `__init__` runs when something is asked of it that is not a submodule."""

    def __init__(self, spec: ModuleSpec) -> None:
        super().__init__(spec.name)
        self.__spec__ = spec
        self.__loader__ = spec.loader
        self.__file__ = spec.origin
        self.__package__ = spec.name
        self.__path__ = list(spec.submodule_search_locations or ())

    def __getattr__(self, name: str) -> Any:
        loader, private = self.__loader__, name.startswith("__") and name != "__all__"
        if private or not isinstance(loader, SourceFileLoader):
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")
        self.__class__ = ModuleType  # type: ignore[assignment]
        loader.exec_module(self)
        return getattr(self, name)


def defer_initialisers() -> None:
    """Put packages that initialise themselves on demand where the SDK's are not imported yet."""
    for name in NAMES:
        spec = find_spec(name) if name not in sys.modules else None
        if spec is not None:
            module = _Package(spec)
            sys.modules[name] = module
            parent, _, child = name.rpartition(".")
            if parent:
                setattr(sys.modules[parent], child, module)

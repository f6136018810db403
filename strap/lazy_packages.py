"""Import parts of packages without their initialisers, which import everything."""

import sys
from importlib.machinery import ModuleSpec, SourceFileLoader
from importlib.util import find_spec
from threading import RLock
from types import ModuleType
from typing import Any

_lock = RLock()


class _Package(ModuleType):
    """A package whose `__init__` runs when something is asked of it that is not a submodule."""

    def __init__(self, spec: ModuleSpec) -> None:
        super().__init__(spec.name)
        self.__spec__ = spec
        self.__loader__ = spec.loader
        self.__file__ = spec.origin
        self.__package__ = spec.name
        self.__path__ = list(spec.submodule_search_locations or ())
        self._is_begun = False

    def __getattr__(self, name: str) -> Any:
        loader, private = self.__loader__, name.startswith("__") and name != "__all__"
        if private or not isinstance(loader, SourceFileLoader):
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")
        with _lock:  # whoever comes meanwhile waits until it is whole
            if not self._is_begun:
                self._is_begun = True
                loader.exec_module(self)
                self.__class__ = ModuleType  # type: ignore[assignment]
        return ModuleType.__getattribute__(self, name)


def defer_initialisers(*names: str) -> None:
    """Put packages that initialise themselves on demand where these are not imported yet."""
    for name in names:
        spec = find_spec(name) if name not in sys.modules else None
        if spec is not None and isinstance(spec.loader, SourceFileLoader):
            module = _Package(spec)
            sys.modules[name] = module
            parent, _, child = name.rpartition(".")
            if parent:
                setattr(sys.modules[parent], child, module)

"""`record`: a class that holds values, made at a tenth of what `dataclasses` takes for one.

A record is what `dataclass(frozen=True, kw_only=True, slots=True)` makes, also to what that module
does with it, and to classes that inherit from it; one that is not frozen is what `frozen=False,
eq=False` makes. That compiles six methods for each class, half a
millisecond to one in all, and some hundred classes are made before a first page; here all records
share theirs. In return an instance takes half as long again (3 µs for ten fields): what is made by
the thousand, as the nodes of a page, is a `dataclass`. So is what has an `InitVar`.
"""

from collections.abc import Callable
from dataclasses import MISSING, FrozenInstanceError, dataclass, field, fields, is_dataclass
from functools import partial
from reprlib import recursive_repr
from typing import Any, TypeVar, dataclass_transform, overload

Class = TypeVar("Class", bound=type)
_set = object.__setattr__


@overload
def record(cls: Class, /) -> Class: ...
@overload
def record(*, frozen: bool = True) -> Callable[[Class], Class]: ...
@dataclass_transform(frozen_default=True, kw_only_default=True, field_specifiers=(field,))
def record(cls: Any = None, /, *, frozen: bool = True) -> Any:
    """Make `cls` a record: its annotations are the fields, as for a frozen `dataclass`.

    They are given by name. Dataclasses may inherit from it, and it from frozen ones. It takes no
    `InitVar`. One that is not `frozen` may change, and is equal to itself alone.
    """
    if cls is None:
        return partial(record, frozen=frozen)
    _add(cls, _METHODS | (_VALUE if frozen else {}))
    # To say that it is frozen costs two compiled methods: it is said where a base demands it.
    inherits = frozen and any(map(is_dataclass, cls.__bases__))
    make = dataclass(init=False, repr=False, eq=False, frozen=inherits, kw_only=True, slots=True)
    made: Any = make(cls)
    if inherits:
        del made.__setattr__, made.__delattr__
    _add(made, _FREEZING if frozen else {})
    params = made.__dataclass_params__
    params.init = params.repr = True
    params.eq = params.frozen = frozen
    made.__record__ = _Shape(made)
    return made


def _add(cls: type, methods: dict[str, Any]) -> None:
    for name, method in methods.items():
        if vars(cls).get(name) is None:  # it has none of its own
            setattr(cls, name, method)


class _Shape:
    """Facts about the fields of a record that its methods need."""

    def __init__(self, cls: type) -> None:
        all_of_it = fields(cls)
        self.cls = cls
        self.is_checked = hasattr(cls, "__post_init__")
        self.names = {spec.name for spec in all_of_it}
        self.shown = [spec.name for spec in all_of_it if spec.repr]
        self.compared = [spec.name for spec in all_of_it if spec.compare]
        self.hashed = [e.name for e in all_of_it if (e.compare if e.hash is None else e.hash)]
        self.defaults = {e.name: e.default for e in all_of_it if e.default is not MISSING}
        self.factories = {
            e.name: e.default_factory for e in all_of_it if e.default_factory is not MISSING
        }
        self.not_given = {spec.name for spec in all_of_it if not spec.init}
        self.filled = self.names - (self.not_given - self.defaults.keys() - self.factories.keys())
        """The fields that have a value once it is made; `__post_init__` may set the others."""


class _Signature:
    """The signature of a record, for `help()` and its like, made when somebody asks for it."""

    def __get__(self, instance: Any, cls: type) -> Any:
        from inspect import Parameter, Signature

        if cls.__init__ is not _init:  # type: ignore[misc]
            raise AttributeError("a class with an __init__ of its own has the signature of that")

        def parameter(spec: Any) -> Parameter:
            default = Parameter.empty if spec.default is MISSING else spec.default
            if spec.default_factory is not MISSING:
                default = spec.default_factory
            return Parameter(
                spec.name, Parameter.KEYWORD_ONLY, default=default, annotation=spec.type
            )

        return Signature([parameter(spec) for spec in fields(cls) if spec.init])


def _init(self: Any, /, *unnamed: Any, **named: Any) -> None:
    shape: _Shape = self.__record__
    values = shape.defaults | named
    for name, factory in shape.factories.items():
        if name not in named:
            values[name] = factory()
    if unnamed or values.keys() != shape.filled or not shape.not_given.isdisjoint(named):
        raise TypeError(_difference(type(self).__name__, shape, unnamed, named))
    for name, value in values.items():
        _set(self, name, value)
    if shape.is_checked:
        self.__post_init__()


def _difference(cls: str, shape: _Shape, unnamed: Any, named: Any) -> str:
    if unnamed:
        return f"{cls}() takes its fields by name, and {len(unnamed)} were given without one"
    taken = shape.names - shape.not_given
    if unknown := sorted(named.keys() - taken):
        return f"{cls}() got an unexpected keyword argument {unknown[0]!r}"
    missing = taken - named.keys() - shape.defaults.keys() - shape.factories.keys()
    return f"{cls}() is missing {', '.join(map(repr, sorted(missing)))}"


@recursive_repr()
def _repr(self: Any) -> str:
    shown = (f"{name}={getattr(self, name)!r}" for name in self.__record__.shown)
    return f"{type(self).__qualname__}({', '.join(shown)})"


def _values(self: Any, names: list[str]) -> tuple[Any, ...]:
    return tuple(getattr(self, name) for name in names)


def _eq(self: Any, other: Any) -> Any:
    if type(other) is not type(self):
        return NotImplemented
    compared = self.__record__.compared
    return _values(self, compared) == _values(other, compared)


def _hash(self: Any) -> int:
    return hash(_values(self, self.__record__.hashed))


def _is_fixed(self: Any, name: str) -> bool:
    """Whether nobody may change it: of a plain class that inherits, only the fields are."""
    shape: _Shape = self.__record__
    return name in shape.names or type(self) is shape.cls


def _setattr(self: Any, name: str, value: Any) -> None:
    if _is_fixed(self, name):
        raise FrozenInstanceError(f"cannot assign to field {name!r}")
    _set(self, name, value)


def _delattr(self: Any, name: str) -> None:
    if _is_fixed(self, name):
        raise FrozenInstanceError(f"cannot delete field {name!r}")
    object.__delattr__(self, name)


def _getstate(self: Any) -> list[Any]:
    return [getattr(self, spec.name) for spec in fields(self)]


def _setstate(self: Any, state: list[Any]) -> None:
    """Take what `pickle` and `copy` noted of an instance."""
    for spec, value in zip(fields(self), state, strict=True):
        _set(self, spec.name, value)


_METHODS = {
    "__init__": _init,
    "__repr__": _repr,
    "__getstate__": _getstate,
    "__setstate__": _setstate,
    "__signature__": _Signature(),
}
_VALUE = {"__eq__": _eq, "__hash__": _hash}
_FREEZING = {"__setattr__": _setattr, "__delattr__": _delattr}

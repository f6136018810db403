"""`record`: a class that holds values, made at a tenth of what `dataclasses` takes for one.

A record is what `dataclass(frozen=True, kw_only=True, slots=True)` makes, also to `replace`,
`asdict` and `fields` of `dataclasses`. That compiles six methods for each class, half a millisecond
to one in all, and some hundred classes are made before a first page; here all records share theirs.
In return an instance takes half as long again (3 µs for ten fields): what is made by the thousand,
as the nodes of a page, is a `dataclass`.
"""

from dataclasses import MISSING, FrozenInstanceError, dataclass, field, fields
from reprlib import recursive_repr
from typing import Any, TypeVar, dataclass_transform

Class = TypeVar("Class", bound=type)
_set = object.__setattr__


@dataclass_transform(frozen_default=True, kw_only_default=True, field_specifiers=(field,))
def record(cls: Class) -> Class:
    """Make `cls` a record: its annotations are the fields, as for a `dataclass`."""
    for name, method in _METHODS.items():
        if vars(cls).get(name) is None:  # it has none of its own
            setattr(cls, name, method)
    made: Any = dataclass(init=False, repr=False, eq=False, kw_only=True, slots=True)(cls)
    made.__record__ = _Shape(made)
    return made  # type: ignore[no-any-return]


class _Shape:
    """What the methods of a record need to know of its fields."""

    def __init__(self, cls: type) -> None:
        all_of_it = fields(cls)
        self.is_checked = hasattr(cls, "__post_init__")
        self.names = {each.name for each in all_of_it}
        self.shown = [each.name for each in all_of_it if each.repr]
        self.compared = [each.name for each in all_of_it if each.compare]
        self.defaults = {e.name: e.default for e in all_of_it if e.default is not MISSING}
        self.factories = {
            e.name: e.default_factory for e in all_of_it if e.default_factory is not MISSING
        }


class _Signature:
    """The signature of a record, for `help()` and its like, made when somebody asks for it."""

    def __get__(self, instance: Any, cls: type) -> Any:
        from inspect import Parameter, Signature

        def parameter(each: Any) -> Parameter:
            default = Parameter.empty if each.default is MISSING else each.default
            if each.default_factory is not MISSING:
                default = each.default_factory
            return Parameter(
                each.name, Parameter.KEYWORD_ONLY, default=default, annotation=each.type
            )

        return Signature([parameter(each) for each in fields(cls)])


def _init(self: Any, /, **given: Any) -> None:
    shape: _Shape = self.__record__
    values = shape.defaults | given
    for name, factory in shape.factories.items():
        if name not in given:
            values[name] = factory()
    if values.keys() != shape.names:
        raise TypeError(_difference(type(self).__name__, values.keys(), shape.names))
    for name, value in values.items():
        _set(self, name, value)
    if shape.is_checked:
        self.__post_init__()


def _difference(cls: str, given: Any, names: set[str]) -> str:
    if unknown := sorted(given - names):
        return f"{cls}() got an unexpected keyword argument {unknown[0]!r}"
    return f"{cls}() is missing {', '.join(map(repr, sorted(names - given)))}"


@recursive_repr()
def _repr(self: Any) -> str:
    shown = (f"{name}={getattr(self, name)!r}" for name in self.__record__.shown)
    return f"{type(self).__qualname__}({', '.join(shown)})"


def _compared(self: Any) -> tuple[Any, ...]:
    return tuple(getattr(self, name) for name in self.__record__.compared)


def _eq(self: Any, other: object) -> bool:
    return _compared(self) == _compared(other) if type(other) is type(self) else NotImplemented


def _hash(self: Any) -> int:
    return hash(_compared(self))


def _setattr(self: Any, name: str, value: Any) -> None:
    raise FrozenInstanceError(f"cannot assign to field {name!r}")


def _delattr(self: Any, name: str) -> None:
    raise FrozenInstanceError(f"cannot delete field {name!r}")


def _setstate(self: Any, state: tuple[None, dict[str, Any]]) -> None:
    """Take what `pickle` and `copy` noted of an instance."""
    for name, value in state[1].items():
        _set(self, name, value)


_METHODS = {
    "__init__": _init,
    "__repr__": _repr,
    "__eq__": _eq,
    "__hash__": _hash,
    "__setattr__": _setattr,
    "__delattr__": _delattr,
    "__setstate__": _setstate,
    "__signature__": _Signature(),
}

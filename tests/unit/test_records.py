"""A record is what a frozen dataclass with slots is, in everything that anybody may do with one."""

import copy
import dataclasses
import inspect
import pickle
from dataclasses import FrozenInstanceError, asdict, dataclass, field, fields, replace
from typing import Any, Generic, TypeVar

import pytest

from strap import record

Kind = TypeVar("Kind")


@record
class Point:
    """A place."""

    x: int
    y: int = 0
    tags: list[str] = field(default_factory=list, compare=False)
    note: str = field(default="", repr=False)


@dataclass(frozen=True, kw_only=True, slots=True)
class Known:
    """The same, as `dataclasses` makes it."""

    x: int
    y: int = 0
    tags: list[str] = field(default_factory=list, compare=False)
    note: str = field(default="", repr=False)


@record
class Named(Point, Generic[Kind]):
    """A place of some kind."""

    kind: Kind
    y: int = 7


@record
class Positive:
    """A number above zero."""

    number: int

    def __post_init__(self) -> None:
        if self.number <= 0:
            raise ValueError("too small")


SAMPLES = [{"x": 1}, {"x": 1, "y": 2, "tags": ["a"], "note": "n"}, {"x": "no int", "note": "z"}]


@pytest.mark.parametrize("given", SAMPLES)
def test_it_looks_and_compares_like_a_dataclass(given: dict[str, Any]) -> None:
    one, other = Point(**given), Known(**given)
    assert repr(one) == repr(other).replace("Known", "Point")
    assert asdict(one) == asdict(other)
    assert hash(one) == hash(other)
    assert one == Point(**given)
    assert one != other
    assert one == replace(one, tags=["else"])
    assert one != replace(one, note="else")


def test_default_factories_make_each_its_own() -> None:
    Point(x=1).tags.append("a")
    assert Point(x=1).tags == []


def test_a_subclass_has_the_fields_of_both() -> None:
    assert [each.name for each in fields(Named)] == ["x", "y", "tags", "note", "kind"]
    named = Named(x=1, kind="hill")
    assert (named.x, named.y, named.kind) == (1, 7, "hill")
    assert named != Point(x=1, y=7)
    assert replace(named, x=3) == Named(x=3, kind="hill")


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({}, r"Point\(\) is missing 'x'"),
        ({"y": 1}, r"Point\(\) is missing 'x'"),
        ({"x": 1, "z": 2}, r"unexpected keyword argument 'z'"),
        ({"self": 1}, r"unexpected keyword argument 'self'"),
    ],
)
def test_wrong_fields_are_named(given: dict[str, Any], told: str) -> None:
    with pytest.raises(TypeError, match=told):
        Point(**given)


def test_what_it_defines_itself_stays() -> None:
    @record
    class Key:  # noqa: PLW1641 - that of records
        """A key that is shown to nobody."""

        text: str

        def __repr__(self) -> str:
            return "Key(…)"

        def __eq__(self, other: object) -> bool:
            return isinstance(other, Key) and self.text.lower() == other.text.lower()

    assert repr(Key(text="secret")) == "Key(…)"
    assert Key(text="a") == Key(text="A")
    assert isinstance(hash(Key(text="a")), int)


def test_it_may_check_itself() -> None:
    assert Positive(number=1).number == 1
    with pytest.raises(ValueError, match="too small"):
        Positive(number=0)
    with pytest.raises(ValueError, match="too small"):
        replace(Positive(number=1), number=-1)


def test_positions_are_refused() -> None:
    with pytest.raises(TypeError):
        Point(1)  # type: ignore[misc]


def test_nothing_of_it_changes() -> None:
    point = Point(x=1)
    with pytest.raises(FrozenInstanceError, match="cannot assign to field 'x'"):
        point.x = 2  # type: ignore[misc]
    with pytest.raises(FrozenInstanceError, match="cannot assign to field 'z'"):
        point.z = 2  # type: ignore[attr-defined]
    with pytest.raises(FrozenInstanceError, match="cannot delete field 'x'"):
        del point.x
    assert point == Point(x=1)
    assert not hasattr(point, "__dict__")


@pytest.mark.parametrize("protocol", range(2, pickle.HIGHEST_PROTOCOL + 1))
def test_it_is_pickled_and_copied(protocol: int) -> None:
    one = Named(x=1, tags=["a"], kind=("hill",))
    for same in (pickle.loads(pickle.dumps(one, protocol)), copy.copy(one), copy.deepcopy(one)):
        assert same == one
        assert same.tags == ["a"]


def test_it_tells_its_signature() -> None:
    told, known = (inspect.signature(each).parameters for each in (Point, Known))
    assert list(told) == list(known)
    assert all(told[name].annotation == known[name].annotation for name in known)
    assert [told[name].default for name in ("x", "y", "note")] == [inspect.Parameter.empty, 0, ""]
    assert all(each.kind is inspect.Parameter.KEYWORD_ONLY for each in told.values())
    assert dataclasses.is_dataclass(Point)
    assert Point.__doc__ == "A place."


def test_one_that_holds_itself_can_be_shown() -> None:
    point = Point(x=1)
    point.tags.append(point)  # type: ignore[arg-type]
    assert "..." in repr(point)

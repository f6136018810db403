"""A record is what a frozen dataclass with slots is, in everything that anybody may do with one."""

import copy
import dataclasses
import inspect
import pickle
from dataclasses import FrozenInstanceError, asdict, dataclass, field, fields, replace
from typing import Any, Generic, TypeVar

import pytest
from pydantic import TypeAdapter

from strap import Result, record

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
    with pytest.raises(TypeError, match=r"Point\(\) takes its fields by name"):
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


@pytest.mark.parametrize("base", [Point, Known])
@pytest.mark.parametrize("slots", [True, False])
def test_frozen_dataclasses_inherit_from_it(base: Any, slots: bool) -> None:
    @dataclass(frozen=True, kw_only=True, slots=slots)
    class Marked(base):  # type: ignore[misc]
        colour: str = "red"

    one = Marked(x=1, colour="blue")
    assert repr(one).endswith("Marked(x=1, y=0, tags=[], colour='blue')")
    assert (one.x, one.tags, one.colour) == (1, [], "blue")
    assert one == replace(Marked(x=1), colour="blue")
    assert one != Marked(x=1)
    assert hash(one) == hash(Marked(x=1, colour="blue"))
    assert list(inspect.signature(Marked).parameters) == ["x", "y", "tags", "note", "colour"]
    for name in ("x", "colour"):
        with pytest.raises(FrozenInstanceError):
            setattr(one, name, 2)
    assert copy.deepcopy(one) == one


def test_answers_can_be_told_more_of() -> None:
    @dataclass(frozen=True, kw_only=True, slots=True)
    class Sourced(Result):
        source: str = ""

    told = Sourced(text="a", source="b")
    assert isinstance(told, Result)
    assert asdict(told) == asdict(Result(text="a")) | {"source": "b"}
    assert TypeAdapter(Sourced).validate_python({"text": "a"}) == Sourced(text="a")


@pytest.mark.parametrize("base", [Point, Known])
def test_none_that_changes_inherits_from_it(base: Any) -> None:
    with pytest.raises(TypeError, match="cannot inherit non-frozen dataclass from a frozen one"):

        @dataclass
        class Marked(base):  # type: ignore[misc]
            colour: str = "red"


def test_it_inherits_from_frozen_dataclasses_alone() -> None:
    @dataclass
    class Open:
        x: int = 0

    @record
    class Marked(Known):
        colour: str = "red"

    one = Marked(x=1)
    assert pickle.loads(pickle.dumps(Named(x=1, kind=2))) == Named(x=1, kind=2)
    assert copy.copy(one) == one == Marked(x=1, colour="red")
    assert repr(one).endswith("Marked(x=1, y=0, tags=[], colour='red')")
    with pytest.raises(FrozenInstanceError):
        one.x = 2  # type: ignore[misc]
    with pytest.raises(TypeError, match="cannot inherit frozen dataclass from a non-frozen one"):
        record(type("Shut", (Open,), {"__annotations__": {}}))


@pytest.mark.parametrize("base", [Point, Known])
def test_plain_classes_inherit_from_it(base: Any) -> None:
    class Own(base):  # type: ignore[misc]
        def __init__(self, where: int) -> None:
            super().__init__(x=where)

    class Loose(base):  # type: ignore[misc]
        """Has a `__dict__`."""

    assert list(inspect.signature(Own).parameters) == ["where"]
    assert list(inspect.signature(Loose).parameters) == ["x", "y", "tags", "note"]
    assert Own(3).x == 3
    with pytest.raises(FrozenInstanceError):
        Loose(x=1).x = 2


def test_a_plain_class_that_inherits_holds_what_is_no_field() -> None:
    class Loose(Point):
        """Has a `__dict__`."""

    loose: Any = Loose(x=1)
    loose.seen = True
    assert loose.seen
    del loose.seen
    assert not hasattr(loose, "seen")
    with pytest.raises(FrozenInstanceError):
        del loose.x


@pytest.mark.parametrize("make", [record, dataclass(frozen=True, kw_only=True, slots=True)])
def test_fields_are_what_they_are_said_to_be(make: Any) -> None:
    @make
    class Sized:
        text: str
        loads: list[int] = field(default_factory=list, hash=False)
        size: int = field(init=False)
        kind: str = field(default="plain", init=False)

        def __post_init__(self) -> None:
            object.__setattr__(self, "size", len(self.text))

    one = Sized(text="abc", loads=[1])
    assert (one.size, one.kind) == (3, "plain")
    assert hash(one) == hash(Sized(text="abc", loads=[2]))
    assert one != Sized(text="abc", loads=[2])
    assert list(inspect.signature(Sized).parameters) == ["text", "loads"]
    for name in ("size", "kind"):
        with pytest.raises(TypeError, match=f"unexpected keyword argument '{name}'"):
            Sized(text="abc", **{name: 1})
    with pytest.raises(TypeError, match=r"missing.*'text'"):
        Sized()
    with pytest.raises((TypeError, ValueError), match="init=False"):
        replace(one, size=2)


def test_it_says_of_itself_what_a_dataclass_does() -> None:
    for name in ("init", "repr", "eq", "order", "unsafe_hash", "frozen"):
        told, known = (each.__dataclass_params__ for each in (Point, Known))  # type: ignore[attr-defined]
        assert getattr(told, name) == getattr(known, name), name


@record(frozen=False)
class Count:
    """A number that grows."""

    number: int = 0
    notes: list[str] = field(default_factory=list)


def test_one_that_is_not_frozen_changes_and_is_equal_to_itself_alone() -> None:
    first, second = Count(), Count()
    first.number += 1
    first.notes.append("a")
    assert (first, second) == (first, second)
    assert first != second != Count()
    assert len({first, second, first}) == 2
    assert (first.number, second.number, second.notes) == (1, 0, [])
    assert repr(first) == "Count(number=1, notes=['a'])" == repr(Count(**asdict(first)))
    assert replace(first, number=9).number == 9
    assert pickle.loads(pickle.dumps(first)).notes == ["a"]
    with pytest.raises(AttributeError):
        first.other = 1  # type: ignore[attr-defined]
    with pytest.raises(TypeError, match="unexpected keyword argument 'other'"):
        Count(other=1)  # type: ignore[call-arg]

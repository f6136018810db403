"""Shapes read from annotations are those that pydantic generates."""

from typing import Annotated, Literal, Optional

import pytest
from pydantic import Field, PositiveInt

from strap import Params, StringMap
from strap.api.actions import declaration
from strap.api.field_types import generated, shapes
from strap.config import load
from strap.routing.assembly import make_router
from tests.contract import full_surface


class Usual(Params):
    text: str
    number: Annotated[int, Field(gt=0)] = 1
    ratio: float | None = None
    switch: Optional[bool] = None  # noqa: UP045
    kind: Literal["a", "b"] = "a"
    tags: list[str] | None = None
    numbers: list[int] = Field(default_factory=list)
    headers: StringMap | None = None
    class_: str = Field(default="", alias="class")


class Unusual(Params):
    count: PositiveInt = 1
    short: list[Annotated[str, Field(max_length=5)]] | None = None
    digit: Literal[1, 2] = 1


def without_enums(model):
    return {
        name: {key: value for key, value in shape.items() if key != "enum"}
        for name, shape in generated(model).items()
    }


@pytest.mark.parametrize("model", [Usual, Unusual, Params])
def test_annotations_give_what_pydantic_generates(model):
    assert shapes(model) == without_enums(model)


def test_so_do_those_of_every_action(tmp_path):
    config = load(environ={}, directory=tmp_path, home=tmp_path)
    installed = make_router(config).catalog.actions.values()
    planned = map(declaration, full_surface.strap_register_actions(config))
    for action in (*installed, *planned):
        assert shapes(action.params) == without_enums(action.params), action.qualified

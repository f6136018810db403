"""Strings below fields are their documentation."""

from pydantic import BaseModel, ConfigDict, Field, create_model

from strap import Params
from strap.routing.field_docs import field_docs


class Base(BaseModel):
    inherited: int = 1
    """Text of the
    base."""
    replaced: int = 1
    """Text of the base."""


class Model(Base):
    """A model."""

    model_config = ConfigDict(extra="forbid")
    """Not a field."""
    replaced: int = 2
    """Text of the model."""
    bare: int = 3
    described: int = Field(default=4, description="In the call.")
    """Below."""


def test_strings_below_fields_are_found():
    assert field_docs(Model) == {
        "inherited": "Text of the base.",
        "replaced": "Text of the model.",
        "bare": "",
        "described": "In the call.",
    }


def test_a_model_without_source_has_none_of_its_own():
    made = create_model("Made", __base__=Params, extra_field=(int, 1))
    assert field_docs(made)["extra_field"] == ""
    assert field_docs(made)["timeout"] == field_docs(Params)["timeout"] != ""

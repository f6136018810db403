"""The JSON shape of every field of an action, read from its annotation.

Pydantic's schema generator knows every type and takes milliseconds a model, which all together
would delay the first call by more than the rest of the loading of plugins; it is asked only where
an annotation is none of the usual ones.
"""

from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from strap.api.params import Params, fields_of
from strap.errors import StartupError

KEYS = ("type", "items", "additionalProperties")
"""Keys that must be equal in every action for fields of the same name."""

_SCALARS = {str: "string", int: "integer", float: "number", bool: "boolean"}
Shape = dict[str, Any]


def shapes(model: type[Params]) -> dict[str, Shape]:
    """The JSON type of each field of `model`, with `null` left out: absent says the same.

    Raises `StartupError` for a field that is neither scalar, list of scalars nor string map.
    """
    by_field = {name: _read(info.annotation) for name, info in fields_of(model).items()}
    if None not in by_field.values():
        return {name: shape for name, shape in by_field.items() if shape is not None}
    return {
        name: {key: shape[key] for key in KEYS if key in shape}
        for name, shape in generated(model).items()
    }


def generated(model: type[Params]) -> dict[str, Shape]:
    """The same by way of pydantic's generator, with the values of an `enum`."""
    schema = model.model_json_schema()
    return {name: _flat(model, name, field) for name, field in schema["properties"].items()}


def _read(annotation: Any) -> Shape | None:
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return _read(arguments[0])
    if origin in (Union, UnionType):
        options = [option for option in arguments if option is not NoneType]
        return _read(options[0]) if len(options) == 1 else None
    if origin is Literal and all(isinstance(value, str) for value in arguments):
        return {"type": "string"}
    if origin is list and arguments[0] in _SCALARS:
        return {"type": "array", "items": {"type": _SCALARS[arguments[0]]}}
    if origin is dict and arguments == (str, str):
        return {"type": "object", "additionalProperties": {"type": "string"}}
    return {"type": _SCALARS[annotation]} if annotation in _SCALARS else None


def _flat(model: type[Params], name: str, field: Shape) -> Shape:
    options = [o for o in field.get("anyOf", [field]) if o.get("type") != "null"]
    shape = {key: options[0][key] for key in (*KEYS, "enum") if key in options[0]}
    item = shape.get("items", shape.get("additionalProperties", {"type": "string"}))
    scalar = isinstance(item, dict) and item.get("type") in _SCALARS.values()
    if len(options) != 1 or "type" not in shape or not scalar or "properties" in options[0]:
        raise StartupError(
            f"Field {name!r} of {model.__module__}.{model.__qualname__} is not flat.",
            hint="Use a scalar, a list of scalars or strap.StringMap.",
        )
    return {key: {"type": item["type"]} if value is item else value for key, value in shape.items()}

"""The documentation of the fields of a model: the string below each field, read when it is asked.

Pydantic can read those strings too, but when the class is made: that takes milliseconds a model,
on every start, for a text that is hardly ever asked for.
"""

import ast
import inspect
from itertools import pairwise
from textwrap import dedent

from pydantic import BaseModel


def field_docs(model: type[BaseModel]) -> dict[str, str]:
    """Return the documentation of each field by its name in Python, in one line.

    `Field(description=…)` wins over the string below the field; empty where there is neither.
    """
    docs: dict[str, str] = {}
    for owner in reversed(model.__mro__):
        if issubclass(owner, BaseModel) and owner is not BaseModel:
            docs |= _strings(owner)
    return {
        name: " ".join((info.description or docs.get(name, "")).split())
        for name, info in model.model_fields.items()
    }


def _strings(owner: type) -> dict[str, str]:
    try:
        body = ast.parse(dedent(inspect.getsource(owner))).body[0]
    except (OSError, TypeError, SyntaxError):
        return {}  # made without source
    statements = body.body if isinstance(body, ast.ClassDef) else []
    return {
        field.target.id: text.value.value
        for field, text in pairwise(statements)
        if isinstance(field, ast.AnnAssign)
        and isinstance(field.target, ast.Name)
        and isinstance(text, ast.Expr)
        and isinstance(text.value, ast.Constant)
        and isinstance(text.value.value, str)
    }

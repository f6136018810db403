"""Settings that are lists of names."""

from typing import Any

from pydantic import BeforeValidator


def _split(value: Any) -> Any:
    return value.replace(",", " ").split() if isinstance(value, str) else value


split_names = BeforeValidator(_split)
"""For `Annotated`: in the environment, names stand with commas or spaces between them."""

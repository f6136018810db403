"""Settings that are lists of names."""

import json
from contextlib import suppress
from typing import Any

from pydantic import BeforeValidator


def _split(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    if value.lstrip().startswith("["):
        with suppress(ValueError, RecursionError):
            return json.loads(value)
    return value.replace(",", " ").split()


split_names = BeforeValidator(_split)
"""For `Annotated`: the environment has names with commas or spaces between them, or as JSON."""

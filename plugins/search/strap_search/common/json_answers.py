"""The JSON that services answer with, as far as it is read."""

import json
from typing import Any

from strap.json.values import has_too_many_values


def read_json(body: bytes) -> Any:
    """Return the value in `body`; raises `ValueError`, also for more values than answers have."""
    if has_too_many_values(body):
        raise ValueError("It has too many values.")
    return json.loads(body)

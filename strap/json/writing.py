"""JSON for others to read: RFC 8259 has no NaN and no Infinity, which Python writes as numbers."""

import json
from collections.abc import Callable
from typing import Any


def to_json(
    value: Any, *, compact: bool = False, default: Callable[[Any], Any] | None = None
) -> str:
    """Return `value` as JSON in one line; numbers that are not finite are null, as in JavaScript.

    `compact` leaves out the blanks; `default` returns what is written in place of another class.
    Raises `TypeError` for a class or a key that JSON has no form for, `ValueError` for a value that
    contains itself.
    """

    def written(value: Any, *, allow_nan: bool) -> str:
        separators = (",", ":") if compact else None
        return json.dumps(
            value,
            allow_nan=allow_nan,
            default=default,
            ensure_ascii=False,
            separators=separators,
        )

    try:
        return written(value, allow_nan=False)
    except ValueError:
        finite = json.loads(written(value, allow_nan=True), parse_constant=lambda _: None)
        return written(finite, allow_nan=False)

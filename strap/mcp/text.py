"""Text that UTF-8 can carry."""

import re
from typing import Any

_LONE = re.compile("[\ud800-\udfff]")


def mend(text: str) -> str:
    """Replace lone surrogates, which UTF-8 cannot carry, by U+FFFD."""
    return text if text.isascii() else _LONE.sub("\ufffd", text)


def mend_all(value: Any) -> Any:
    """Mend every string in plain JSON data, keys included."""
    if isinstance(value, str):
        return mend(value)
    if isinstance(value, list):
        return [mend_all(item) for item in value]
    if isinstance(value, dict):
        return {mend(key): mend_all(item) for key, item in value.items()}
    return value

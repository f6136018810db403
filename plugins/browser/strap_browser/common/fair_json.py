"""Large JSON in threads: the parser in C would let no other thread go on until its end."""

import json
from json.scanner import py_make_scanner  # type: ignore[attr-defined]
from pathlib import Path
from typing import Any

MOST_STATE = 10_000_000
"""Bytes of a saved login state."""


class FairDecoder(json.JSONDecoder):
    """Takes values apart one by one, in Python: some ten times as long, and nobody waits for it."""

    def __init__(self) -> None:
        super().__init__()
        self.scan_once = py_make_scanner(self)


def read_fairly(content: bytes) -> Any:
    """Return the value in JSON; raises `ValueError`, also where it is nested too deeply."""
    try:
        return FairDecoder().decode(content.decode())
    except RecursionError:
        raise ValueError("It is nested too deeply.") from None


def write_fairly(value: Any) -> bytes:
    """Return a value as JSON in one line."""
    return "".join(json.JSONEncoder().iterencode(value)).encode()


def read_login(file: Path) -> dict[str, Any] | None:
    """Return the login state in a file of Playwright's format, None if it is none.

    Raises `FileNotFoundError`.
    """
    try:
        if file.stat().st_size > MOST_STATE:
            return None
        state = read_fairly(file.read_bytes())
    except FileNotFoundError:
        raise
    except (OSError, ValueError):
        return None
    is_state = isinstance(state, dict) and isinstance(state.get("cookies"), list)
    return state if is_state else None

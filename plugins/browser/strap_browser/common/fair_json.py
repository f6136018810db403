"""Large JSON in threads: the parser in C would let no other thread go on until its end."""

import json
from json.scanner import py_make_scanner  # type: ignore[attr-defined]
from typing import Any


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

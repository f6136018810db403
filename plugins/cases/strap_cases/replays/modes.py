"""Whether a case is replayed, and whether what the agent did is recorded."""

import os
from typing import Literal

from strap_cases.cases import Case

Mode = Literal["auto", "read", "only", "off"]


def mode_of(case: Case, mode: Mode | None) -> Mode:
    """Return the mode of a case: `mode` wins, but `off` in its file and `only` stay.

    By default recordings are read and written, and where `CI` is set only read.
    """
    own = case.settings.replay
    if mode == "only":
        return mode
    if own == "off":
        return own
    if mode is not None:
        return mode
    if own is None or own == "derived":
        return "read" if "CI" in os.environ else "auto"
    return own

"""Whether a case is replayed, and whether what the agent did is recorded."""

import os
from typing import Literal

from strap_cases.cases import Case

Mode = Literal["auto", "read", "only", "off"]


def mode_of(case: Case, given: Mode | None) -> Mode:
    """Return the mode of a case: what is `given` wins, but `off` in its file and `only` stay.

    By default recordings are read and written, and where `CI` is set only read.
    """
    own = case.settings.replay
    if given == "only":
        return given
    if own == "off":
        return own
    if given is not None:
        return given
    if own is None or own == "derived":
        return "read" if "CI" in os.environ else "auto"
    return own

"""The settings with which tests launch a browser."""

import os
from collections.abc import Mapping
from typing import Any

from strap import ActionError
from strap_browser.chromium.executables import find_executable
from strap_browser.settings.managed import SHELL

CHANNEL = os.environ.get("STRAP_BROWSER__CHANNEL")
"""The browser to test with, where it is not the one that strap finds."""


def _lightest() -> str | None:
    if CHANNEL:
        return CHANNEL
    try:
        find_executable(channel=SHELL)
    except ActionError:
        return None
    return SHELL


# A port of its own for every browser: tests run side by side.
SETTINGS: Mapping[str, Any] = {"headless": True, "port": 0, "channel": CHANNEL}
ANY_BROWSER: Mapping[str, Any] = {**SETTINGS, "channel": _lightest()}
"""Settings for tests that any browser will do for: a headless shell takes half the CPU time."""


def with_own(settings: Mapping[str, Any], own: Mapping[str, Any]) -> dict[str, Any]:
    """Those settings with `own` ones, which may name another browser."""
    another = {"channel": None} if "executable" in own else {}
    return {**settings, **another, **own}

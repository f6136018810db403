"""The settings with which tests launch a browser."""

import os
from typing import Any

CHANNEL = os.environ.get("STRAP_BROWSER__CHANNEL")
"""The browser to test with, where it is not the one that strap finds."""

# A port of its own for every browser: tests run side by side.
SETTINGS = {"headless": True, "port": 0} | ({"channel": CHANNEL} if CHANNEL else {})


def browser_settings(**own: Any) -> dict[str, Any]:
    """Those with `own` ones, which may name another browser."""
    return SETTINGS | ({"channel": None} if "executable" in own else {}) | own

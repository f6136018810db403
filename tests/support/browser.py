"""The settings with which tests launch a browser."""

import os

CHANNEL = os.environ.get("STRAP_BROWSER__CHANNEL")
"""The browser to test with, where it is not the one that strap finds."""

# A port of its own for every browser: tests run side by side.
SETTINGS = {"headless": True, "port": 0} | ({"channel": CHANNEL} if CHANNEL else {})

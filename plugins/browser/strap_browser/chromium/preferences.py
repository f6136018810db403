"""The preferences of a managed profile: nothing that is typed is kept, and nobody is asked.

It is imported before everything else, so it imports little.
"""

import json
import os
from contextlib import suppress
from typing import Any

OFF: dict[str, Any] = {
    "autofill": {"credit_card_enabled": False, "enabled": False, "profile_enabled": False},
    "credentials_enable_autosignin": False,
    "credentials_enable_service": False,
    "profile": {"password_manager_enabled": False, "password_manager_leak_detection": False},
}
"""Preferences that save no forms, cards or passwords, by Chromium's `pref_names`."""

UNASKED = "negotiate"
"""Ways to log in over HTTP (`auth.schemes`) about which Chromium asks nobody.

Of the others it asks in a dialog, without a window too, where nobody ever answers it: the page that
came with the question is not shown, and what scripts and frames ask for never ends.
"""
ASKED = "basic,digest,ntlm,negotiate"
"""Chromium's own value."""


def keep_nothing(data: str) -> None:
    """Turn that off in the user data directory `data`, which no browser uses; raises `OSError`."""
    _set(os.path.join(data, "Default"), "Preferences", OFF)


def ask_nobody(data: str, *, headless: bool) -> None:
    """Set what a browser on `data` asks a person about; raises `OSError`."""
    _set(data, "Local State", {"auth": {"schemes": UNASKED if headless else ASKED}})


def _set(folder: str, name: str, values: dict[str, Any]) -> None:
    path = os.path.join(folder, name)
    before = _read(path)
    merged = _merged(before, values)
    if merged == before:
        return
    os.makedirs(folder, mode=0o700, exist_ok=True)
    part = f"{path}.strap"
    with open(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
        json.dump(merged, file)
    os.replace(part, path)


def _read(path: str) -> dict[str, Any]:
    with suppress(OSError, ValueError), open(path, encoding="utf-8") as file:
        content = json.load(file)
        if isinstance(content, dict):
            return content
    return {}


def _merged(known: dict[str, Any], values: dict[str, Any]) -> dict[str, Any]:
    merged = dict(known)
    for key, value in values.items():
        if isinstance(value, dict):
            inner = known.get(key)
            merged[key] = _merged(inner if isinstance(inner, dict) else {}, value)
        else:
            merged[key] = value
    return merged

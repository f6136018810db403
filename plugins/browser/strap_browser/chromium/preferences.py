"""The preferences of a managed profile: Chromium is to keep nothing that is typed into forms.

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
"""What to keep of forms, cards and passwords, by Chromium's `pref_names`."""


def keep_nothing(data: str) -> None:
    """Turn that off in the user data directory `data`, which no browser uses; raises `OSError`."""
    folder = os.path.join(data, "Default")
    path = os.path.join(folder, "Preferences")
    before = _read(path)
    wanted = _merged(before, OFF)
    if wanted == before:
        return
    os.makedirs(folder, mode=0o700, exist_ok=True)
    part = f"{path}.strap"
    with open(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
        json.dump(wanted, file)
    os.replace(part, path)


def _read(path: str) -> dict[str, Any]:
    with suppress(OSError, ValueError), open(path, encoding="utf-8") as file:
        found = json.load(file)
        if isinstance(found, dict):
            return found
    return {}


def _merged(known: dict[str, Any], wanted: dict[str, Any]) -> dict[str, Any]:
    merged = dict(known)
    for key, value in wanted.items():
        if isinstance(value, dict):
            inner = known.get(key)
            merged[key] = _merged(inner if isinstance(inner, dict) else {}, value)
        else:
            merged[key] = value
    return merged

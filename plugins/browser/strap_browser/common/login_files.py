"""Saved logins: storage states of Playwright's format, encrypted at rest."""

from contextlib import suppress
from pathlib import Path
from typing import Any

from strap import ActionError, Config, Diagnosis
from strap.credentials.sealed_files import (
    OVERHEAD,
    is_sealed,
    opened,
    protection,
    write_sealed,
)
from strap_browser.common.fair_json import read_fairly

MOST_STATE = 10_000_000
"""Bytes of a saved login state."""


def login_file(home: Path, state_id: str) -> Path:
    """Return where a login of this name is saved."""
    return home / "states" / f"{state_id}.json"


def read_login(file: Path) -> dict[str, Any] | None:
    """Return the login state in a file, None if it is none; a plain file is encrypted then.

    Raises `FileNotFoundError`, and `ActionError` "state" for what cannot be decrypted.
    """
    try:
        if file.stat().st_size > MOST_STATE + OVERHEAD:
            return None
        content = file.read_bytes()
        state = read_fairly(opened(file, content))
    except FileNotFoundError:
        raise
    except (OSError, ValueError):
        return None
    if not isinstance(state, dict) or not isinstance(state.get("cookies"), list):
        return None
    if not is_sealed(content):
        with suppress(OSError, ActionError):  # it could be read: that is what was asked for
            write_sealed(file, content, instead_of=content)
    return state


def diagnose(config: Config) -> Diagnosis:
    """Tell whether saved logins are encrypted, and where the key is."""
    folder = config.home / "states"
    detail, works, fix = protection(folder)
    plain = sum(not is_sealed(_beginning(file)) for file in folder.glob("*.json"))
    if plain and not fix:
        detail += f"; {plain} still plain: each is encrypted when it is used"
    return Diagnosis(subject="saved logins", ok=works, detail=detail, fix=fix)


def _beginning(file: Path) -> bytes:
    with suppress(OSError), file.open("rb") as content:
        return content.read(OVERHEAD)
    return b""

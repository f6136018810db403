"""The saved login that a run begins with, and the counters of its passkeys."""

import json
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from strap import ActionError, UsageError, record
from strap.credentials.sealed_files import write_sealed
from strap_browser.api import login_file, read_login


@record
class SavedLogin:
    """What a file says; it is handed on by value, so that no run can write it."""

    file: Path
    storage: dict[str, Any]
    """Cookies and local storage, in Playwright's format."""
    passkeys: Sequence[Mapping[str, Any]] = ()


def saved_login(home: Path, state_id: str | None) -> SavedLogin | None:
    """Return a saved login; raises `UsageError` where there is none of that name.

    It may be long: read it in a thread.
    """
    if state_id is None:
        return None
    path = login_file(home, state_id)
    try:
        state = read_login(path)
    except FileNotFoundError:
        known = ", ".join(sorted(p.stem for p in path.parent.glob("*.json"))) or "none yet"
        raise UsageError(f"There is no saved login {state_id!r} (saved: {known}).") from None
    if state is None:
        raise UsageError(f"The saved login {state_id!r} is not a storage state.")
    storage = {"cookies": state["cookies"], "origins": state.get("origins", [])}
    return SavedLogin(file=path, storage=storage, passkeys=_passkeys(state, state_id))


def _passkeys(state: Mapping[str, Any], state_id: str) -> list[Mapping[str, Any]]:
    found = state.get("passkeys") or []
    if isinstance(found, list) and all(_is_passkey(each) for each in found):
        return found
    raise UsageError(f"The saved login {state_id!r} has a passkey that is none.")


def _is_passkey(told: object) -> bool:
    return isinstance(told, dict) and isinstance(told.get("credentialId"), str)


def keep_counters(login: SavedLogin, used: Iterable[Mapping[str, Any]]) -> None:
    """Write how often passkeys were used: servers refuse one whose counter falls back."""
    counters = {each["credentialId"]: each.get("signCount", 0) for each in used}
    if all(counters.get(each["credentialId"]) == each.get("signCount") for each in login.passkeys):
        return
    with suppress(OSError, ActionError):
        before = login.file.read_bytes()
        state = read_login(login.file) or {}
        for each in state.get("passkeys") or ():
            now = counters.get(each.get("credentialId"), 0)
            each["signCount"] = max(now, each.get("signCount", 0))
        if state:
            write_sealed(login.file, json.dumps(state).encode(), instead_of=before)

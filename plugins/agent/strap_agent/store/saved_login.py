"""The saved login that a run begins with, and the passkeys that it leaves."""

import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

from strap import ActionError, UsageError, record
from strap.credentials.sealed_files import can_seal, write_sealed
from strap_browser.api import has_login, login_file, login_hosts, read_login

TRIES = 5
"""How often the file is read anew if another process wrote it meanwhile."""


@record
class SavedLogin:
    """The content of a file, passed by value: a run changes nothing of it but its passkeys."""

    file: Path
    storage: dict[str, Any]
    """Cookies and local storage, in Playwright's format."""
    passkeys: Sequence[Mapping[str, Any]] | None = None
    """None: pages of the run get no authenticator."""


def reach_of(login: SavedLogin | None) -> Callable[[str], bool]:
    """Return what tells whether a site gets some of a saved login."""
    return partial(has_login, hosts=login_hosts(login.storage) if login else ())


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


def _passkeys(state: Mapping[str, Any], state_id: str) -> list[Mapping[str, Any]] | None:
    passkeys = state.get("passkeys")
    if passkeys is None or (isinstance(passkeys, list) and all(map(_is_passkey, passkeys))):
        return passkeys
    raise UsageError(f"The saved login {state_id!r} has a passkey that is none.")


def _is_passkey(passkey: object) -> bool:
    return isinstance(passkey, dict) and isinstance(passkey.get("credentialId"), str)


def keep_passkeys(login: SavedLogin, current: Sequence[Mapping[str, Any]]) -> None:
    """Save the passkeys that a run made, and how often the others were used.

    Servers refuse a passkey whose counter falls back. One that was removed meanwhile stays so.
    """
    before = {passkey["credentialId"]: passkey for passkey in login.passkeys or ()}
    changed = [passkey for passkey in current if passkey != before.get(passkey["credentialId"])]
    with suppress(OSError, ActionError):
        for _ in range(TRIES if changed else 0):
            content = login.file.read_bytes()
            if (state := read_login(login.file)) is None:
                return
            saved = state.setdefault("passkeys", [])
            for known in saved:
                used = (n["signCount"] for n in changed if _is_same(n, known) and "signCount" in n)
                known["signCount"] = max(known.get("signCount", 0), *used, 0)
            if can_seal():
                saved += [passkey for passkey in changed if passkey["credentialId"] not in before]
            if write_sealed(login.file, json.dumps(state).encode(), instead_of=content):
                return


def _is_same(passkey: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    return bool(passkey["credentialId"] == other.get("credentialId"))

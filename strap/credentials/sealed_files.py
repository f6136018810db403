"""Files encrypted with a key of the user, which is in the keyring or beside them."""

import os
import re
import subprocess
import sys
from base64 import b64decode, b64encode
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from strap.atomic_files import make_private, write_atomically
from strap.errors import ActionError
from strap.installation import install_command

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

KEY_FILE = "key"
"""The file that has the key where no keyring works: in the folder of the files."""
LENGTH, NONCE = 32, 12
"""Bytes of a key of AES-256, and of the random start that GCM takes (NIST SP 800-38D)."""
OVERHEAD = 128
"""Bytes that a sealed file is longer at most than its content: the heading, the start, the tag."""
PATIENCE = 10.0
"""Seconds for the keyring: nobody answers a question of it that nobody sees."""
ENTRY = ("strap", "saved states")
"""Service and user of the key in the keyring."""
_MAGIC = b"strap sealed "
_HEADING = re.compile(rb"strap sealed 1 (keyring|file) ([0-9a-f]{16})\n")
INSTALL = "strap-web[oauth]"
"""Requirement that installs `cryptography`."""


def is_sealed(content: bytes) -> bool:
    """Whether a file is encrypted, by its beginning."""
    return content.startswith(_MAGIC)


def can_seal() -> bool:
    """Whether files are encrypted."""
    return _cipher() is not None


def opened(file: Path, content: bytes) -> bytes:
    """Return what is in a file that was read, encrypted or not; raises `ActionError` "state"."""
    if not is_sealed(content):
        return content
    cipher = _cipher()
    if cipher is None:
        raise _unreadable(file)
    heading = _HEADING.match(content)
    if heading is None:
        raise _damaged(file)
    place, name = (part.decode() for part in heading.groups())
    key = _in_keyring() if place == "keyring" else _in_file(file.parent)
    if key is None or _name(key) != name:
        where = "the system's keyring" if place == "keyring" else str(file.parent / KEY_FILE)
        raise ActionError(
            f"The key of {str(file)!r} is not in {where}.",
            hint="Put the key back, or remove the file and log in anew.",
            code="state",
        )
    from cryptography.exceptions import InvalidTag

    start = heading.end() + NONCE
    try:
        return cipher(key).decrypt(content[heading.end() : start], content[start:], heading[0])
    except (InvalidTag, ValueError):
        raise _damaged(file) from None


def write_sealed(file: Path, content: bytes, *, instead_of: bytes | None = None) -> bool:
    """Write a file, encrypted if `cryptography` is installed; as a whole or not at all.

    With `instead_of` only where the file still has that content; returns whether it was written.
    Raises `OSError` and `ActionError` "state".
    """
    make_private(file.parent)
    with _locked(file.parent):
        before = _content(file)
        if instead_of is not None and before != instead_of:
            return False
        cipher = _cipher()
        if cipher is None:
            if is_sealed(before):
                raise _unreadable(file)
        else:
            place, key = _present_key(file.parent)
            heading = f"strap sealed 1 {place} {_name(key)}\n".encode()
            nonce = os.urandom(NONCE)
            content = heading + nonce + cipher(key).encrypt(nonce, content, heading)
        write_atomically(file, content)
    return True


def protection(folder: Path) -> tuple[str, bool, str]:
    """Return how the files of a folder are kept, whether that works, and what would mend it."""
    if _cipher() is None:
        return "not encrypted: only you can read the files", True, install_command(INSTALL)
    try:
        key = _keyring_key()
        place = folder / KEY_FILE if key is None else "the system's keyring"
        is_there = key or (key is None and _in_file(folder))
    except ActionError as error:
        return error.message, False, error.hint
    if is_there:
        return f"encrypted, with the key in {place}", True, ""
    return f"the next one will be encrypted, with a new key in {place}", True, ""


def _cipher() -> "type[AESGCM] | None":
    try:
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM
    except ImportError:
        return None
    return AESGCM


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Let one process at a time write there: two would make two keys, or undo each other's work."""
    import fcntl

    lock = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
    finally:
        os.close(lock)


def _present_key(folder: Path) -> tuple[str, bytes]:
    """Return the key to write with, made if there is none, and where it is."""
    if key := _in_keyring(make=True):
        return "keyring", key
    key = _in_file(folder)
    if key is None:
        key = os.urandom(LENGTH)
        write_atomically(folder / KEY_FILE, key)
    return "file", key


def _in_file(folder: Path) -> bytes | None:
    file = folder / KEY_FILE
    if not file.exists():
        return None
    if not file.is_file() or len(key := _content(file)) != LENGTH:
        raise ActionError(
            f"{str(file)!r} is not a key of {LENGTH} bytes.",
            hint="Put the key back, or remove it with the states in its folder and log in anew.",
            code="state",
        )
    return key


def _in_keyring(*, make: bool = False) -> bytes | None:
    """Return the key in the keyring of the system; None: there is none, or no keyring works."""
    key = _keyring_key()
    if key == b"" and make:
        text = b64encode(os.urandom(LENGTH))
        _run_keyring("set", text)
        _asked_keyring.cache_clear()
        key = _asked_keyring()
    return key or None


def _keyring_key() -> bytes | None:
    """Return the key, b"" where the keyring has none, None where no keyring works."""
    return None if find_spec("keyring") is None else _asked_keyring()


@cache
def _asked_keyring() -> bytes | None:
    """Return the key, b"" where the keyring has none, None where no keyring works."""
    ran = _run_keyring("get")
    if ran is None or (ran.returncode and ran.stderr):  # without an entry it says nothing
        return None
    with suppress(ValueError):
        key = b64decode(ran.stdout.strip(), validate=True)
        return key if len(key) == LENGTH else b""
    return b""


def _run_keyring(word: str, text: bytes = b"") -> "subprocess.CompletedProcess[bytes] | None":
    """Run the library as a program, which can be ended; the text comes by its input."""
    command = (sys.executable, "-P", "-m", "keyring", word, *ENTRY)
    try:
        return subprocess.run(  # noqa: S603 - the interpreter that runs this
            command, input=text, capture_output=True, timeout=PATIENCE, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return None


def _content(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError:
        return b""


def _name(key: bytes) -> str:
    """Return what tells a key from others, and does not give it away."""
    return sha256(b"strap key " + key).hexdigest()[:16]


def _unreadable(file: Path) -> ActionError:
    return ActionError(
        f"{str(file)!r} is encrypted, and 'cryptography' is not installed.",
        hint=f"Install it: {install_command(INSTALL)}",
        code="state",
    )


def _damaged(file: Path) -> ActionError:
    return ActionError(
        f"{str(file)!r} is damaged.", hint="Remove it and log in anew.", code="state"
    )

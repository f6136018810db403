"""One-time codes from a shared key and the clock (TOTP, RFC 6238)."""

import asyncio
import hmac
import os
import re
import time
from base64 import b32decode
from binascii import Error
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import field
from hashlib import sha256
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

from strap.atomic_files import make_private
from strap.errors import ActionError
from strap.records import record

ALGORITHMS = ("sha1", "sha256", "sha512")
LONGEST_PERIOD = 3_600
"""Seconds: no server accepts a code for longer than an hour."""
MARGIN = 3.0
"""Seconds that a code has to be valid for: filling and sending a form takes as long."""
READY_CODE = re.compile(r"\d{6,8}")
"""A code that a vault computed itself; no key is so short."""
FORM = "must be a base32 key or an otpauth://totp/ address"


@record
class Totp:
    """A key, and how codes are made of it."""

    key: bytes = field(repr=False)
    algorithm: str = "sha1"
    digits: int = 6
    period: int = 30
    """Seconds for which a code is valid."""

    def code(self, seconds: float) -> str:
        """Return the code at a time, in seconds since 1970 (RFC 4226, 5.3)."""
        counter = int(seconds // self.period).to_bytes(8, "big")
        digest = hmac.digest(self.key, counter, self.algorithm)
        start = digest[-1] & 0xF
        number = int.from_bytes(digest[start : start + 4], "big") & 0x7FFF_FFFF
        return str(number % 10**self.digits).zfill(self.digits)


def read_key(text: str) -> Totp:
    """Read a base32 key or an `otpauth:` address; raises `ValueError` that shows neither."""
    if not text.strip().lower().startswith("otpauth:"):
        return Totp(key=_decoded(text))
    try:
        parts = urlsplit(text.strip())
        params = {name.lower(): values[-1] for name, values in parse_qs(parts.query).items()}
    except ValueError:
        raise ValueError(FORM) from None
    if parts.netloc.lower() == "hotp":
        raise ValueError("must be of TOTP: codes of HOTP depend on a counter, which is not kept")
    algorithm = params.get("algorithm", "sha1").lower().replace("-", "")
    digits, period = params.get("digits", "6"), params.get("period", "30")
    if parts.netloc.lower() != "totp":
        raise ValueError(FORM)
    if algorithm not in ALGORITHMS:
        raise ValueError("must have one of the algorithms SHA1, SHA256, SHA512")
    if digits not in ("6", "7", "8"):
        raise ValueError("must have 6 to 8 digits")
    if not re.fullmatch(r"[1-9]\d{0,3}", period) or int(period) > LONGEST_PERIOD:
        raise ValueError(f"must have a period of 1 to {LONGEST_PERIOD:,} seconds")
    key = _decoded(params.get("secret", ""))
    return Totp(key=key, algorithm=algorithm, digits=int(digits), period=int(period))


def _decoded(text: str) -> bytes:
    bare = re.sub(r"[\s-]", "", text).rstrip("=").upper()
    try:
        key = b32decode(bare + "=" * (-len(bare) % 8))
    except Error:
        raise ValueError(FORM) from None
    if not key:
        raise ValueError(FORM)
    return key


class CodeSource:
    """Gives the codes of one key, each to one origin alone."""

    def __init__(self, name: str, read: Callable[[], Awaitable[str]], folder: Path) -> None:
        """`read` returns the key, or the code itself; processes meet in `folder`."""
        self._name = name
        self._read = read
        self._folder = folder
        self._last = ("", "")
        """The code that was given last, and whom it was given to."""

    async def read(self, origin: str) -> str:
        """Return a code for `origin` that stays valid for some seconds; raises `ActionError`."""
        text = await self._read()
        if READY_CODE.fullmatch(text):
            return self._first_use(text, self._name.encode(), origin, "after a minute")
        try:
            totp = read_key(text)
        except ValueError as error:
            raise ActionError(
                f"What the command of the secret {self._name!r} gives {error}.",
                hint="Let 'totp_command' name the field of the vault that holds the key.",
                code="secret_unavailable",
            ) from None
        left = totp.period - time.time() % totp.period
        if left < min(MARGIN, totp.period / 2):
            await asyncio.sleep(left)
        now = time.time()
        again = f"in {totp.period - now % totp.period:.0f} s"
        return self._first_use(totp.code(now), totp.key, origin, again)

    def _first_use(self, code: str, key: bytes, origin: str, again: str) -> str:
        before = self._last[1] if self._last[0] == code else ""
        if not before:
            name = sha256(key + code.encode()).hexdigest()
            before = owner_of(self._folder, name, origin)
        if before != origin:
            raise ActionError(
                f"The present code of {self._name!r} went to {before!r} already.",
                hint=f"Call again {again}: there is a new one then.",
                code="secret",
                retryable=True,
            )
        self._last = (code, origin)
        return code


def owner_of(folder: Path, name: str, origin: str) -> str:
    """Return the origin that a code was given to, which is this one if it is the first.

    A link says so to other processes: it is made in one step, and nothing is behind it.
    """
    link = folder / name
    with suppress(OSError):
        make_private(folder)
        for old in folder.iterdir():
            if time.time() - old.lstat().st_mtime > LONGEST_PERIOD:
                old.unlink(missing_ok=True)
    try:
        link.symlink_to(origin)
    except OSError:
        with suppress(OSError):  # where it cannot be made nor read, there is no place to meet
            return os.readlink(link)  # noqa: PTH115 - a Path makes one slash of two
    return origin

"""The extension that belongs to this strap: its folder, and the id that its key pins."""

import base64
import hashlib
import json
from pathlib import Path

_DIGITS = str.maketrans("0123456789abcdef", "abcdefghijklmnop")


def folder() -> Path:
    """Return the folder that Chrome loads as an unpacked extension."""
    return Path(__file__).parents[2] / "chrome_extension"


def extension_id() -> str:
    """Return the id of the extension.

    It is the first half of the SHA-256 of its public key (DER), in hexadecimal digits from `a` to
    `p`; Chrome computes it the same way, so no other extension has it.
    """
    manifest = json.loads((folder() / "manifest.json").read_text("utf-8"))
    digest = hashlib.sha256(base64.b64decode(manifest["key"])).hexdigest()
    return digest[:32].translate(_DIGITS)

"""Digests of pages, to tell whether two have the same text."""

import hashlib
import re
from urllib.parse import urlsplit

from strap import record

LOOKED_AT = 100_000
"""Characters at the beginning of a text in which addresses are told apart from what it says."""
_TELLING = 3
"""Characters of an address that are no accident in a text."""
_NUMBER = re.compile(r"\d+")
_LINK_TARGET = re.compile(
    r"\]\((?:[^()\s]++|\((?:[^()\s]++|\([^()\s]*+\))*+\))*+"  # of a session: `/(S(0f1e))/`
)


@record
class Fingerprint:
    """Digests of a text that differ for pages that say something else.

    `text` is the same wherever its links lead, `apart` whatever the page's own address is, too;
    `length` are the characters of the text without where its links lead. `lines` stand for its
    lines but headings, in this process, whatever numbers are in them.
    """

    text: str
    apart: str
    length: int
    lines: frozenset[int] = frozenset()


def fingerprint(url: str, text: str) -> Fingerprint:
    """Return the fingerprint of the page at `url`; for a thread: it may be long."""
    begin, rest = text[:LOOKED_AT], text[LOOKED_AT:]
    unlinked, path = _LINK_TARGET.sub("](", begin), urlsplit(url).path
    for own in (url, path, path.rstrip("/").rpartition("/")[2]):
        begin = begin.replace(own, "") if len(own) >= _TELLING else begin
    apart = " ".join(_LINK_TARGET.sub("](", begin).split())
    length = len(unlinked) + len(rest)
    lines = (line.strip() for line in _NUMBER.sub("0", unlinked).splitlines())
    hashes = frozenset(hash(line) for line in lines if line and not line.startswith("#"))
    texts = (_digest(unlinked, rest), _digest(apart, rest))
    return Fingerprint(text=texts[0], apart=texts[1], length=length, lines=hashes)


def _digest(*texts: str) -> str:
    hashing = hashlib.blake2b(digest_size=8)
    for text in texts:
        hashing.update(text.encode("utf-8", "replace"))
    return hashing.hexdigest()

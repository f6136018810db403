"""Patterns of addresses as EasyList writes them (Adblock Plus filters, without options)."""

import re

from strap import record

_OTHER = re.compile(r"@@|!|\[|.*(?:#[@?$]?#|\$(?:~?[a-z][\w-]*(?:=|,|$))|\s)")
"""Exceptions, comments, rules about elements, options."""
_HOST = re.compile(r"[\w-]+(\.[\w-]+)*(:\d+)?", re.ASCII)
_SEPARATOR = r"(?:[^\w.%-]|$)"


@record
class AddressFilter:
    """Addresses that a pattern fits."""

    part: str
    """Text that each of them contains."""
    expression: str
    """Regular expression for them alone, in linear time, from their beginning."""


def read_filter(written: str) -> AddressFilter:
    """Return what a host or a pattern of EasyList fits; raises `ValueError`."""
    text = f"||{written}^" if _HOST.fullmatch(written) else written
    if _OTHER.match(text) or not (literals := re.findall(r"[^*^|]+", text)):
        raise ValueError(
            f"{written!r}: write a host, or a pattern of EasyList without options: '||ads.example^'"
        )
    is_host, is_start, is_end = text.startswith("||"), text.startswith("|"), text.endswith("|")
    if is_host:
        host, end, path = re.split(r"([/^:*]|$)", text[2:], maxsplit=1)
        text = host.lower() + end + path
        literals = re.findall(r"[^*^|]+", text)
    pieces = [
        re.escape(part).replace(r"\^", _SEPARATOR) for part in text.strip("|").strip("*").split("*")
    ]
    beginning = r"[a-z]+://(?:[^/?#]*\.)?" if is_host else ""
    if is_host or is_start:
        beginning += pieces.pop(0)
    last = ".*" + pieces.pop() + r"\Z" if is_end and pieces else r"\Z" if is_end else ""
    expression = beginning + "".join(f"(?>.*?{piece})" for piece in pieces) + last
    return AddressFilter(part=max(literals, key=len), expression=expression)

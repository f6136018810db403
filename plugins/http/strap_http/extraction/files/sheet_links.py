"""Links of the cells of Excel sheets (ECMA-376, part 1, 18.3.1.47), for a reader without them."""

import html
import re
from collections.abc import Iterator
from itertools import islice

from strap_http.extraction.files.parts import Parts

MOST = 1_000
"""Links of a sheet that are shown."""
_LINK = re.compile(r"<(?:\w+:)?hyperlink\b([^<>]*)>")
_VALUE = re.compile(r"(?<![\w.])(?:\w+:)?(ref|id|location|display)=(?:\"([^\"]*)\"|'([^']*)')")
_FORMULA = re.compile(
    r"<(?:\w+:)?c\b[^<>]*?\sr=[\"']([A-Z]{1,3}\d{1,7})[\"'][^<>]*>\s*<(?:\w+:)?f\b[^<>]*>"
    r"=?HYPERLINK\(\s*\"([^\"<>]{1,2000})\""
)
"""A formula whose address is a constant: others would have to be worked out."""
_UNSAFE = re.compile(r"[\s()<>]")


def links(parts: Parts, part: str, source: bytes, sheet: str) -> Iterator[str]:
    """Yield the links of a sheet as Markdown, each under the name of its cell."""
    text = source.decode("utf-8", "replace")
    named = islice(_LINK.finditer(text), MOST)
    values = [
        {match[1]: html.unescape(match[2] or match[3] or "") for match in _VALUE.finditer(link[1])}
        for link in named
    ]
    addresses = parts.addresses(part) if values else {}
    for value in values:
        if address := addresses.get(value.get("id", "")):
            fragment = f"#{value['location']}" if value.get("location") else ""
            yield _markdown(f"{sheet}!{value.get('ref', '')}", address + fragment)
    for formula in islice(_FORMULA.finditer(text.replace("&quot;", '"')), MOST):
        yield _markdown(f"{sheet}!{formula[1]}", html.unescape(formula[2]))


def _markdown(name: str, address: str) -> str:
    label = re.sub(r"([\[\]\\])", r"\\\1", name)
    return f"[{label}]({_UNSAFE.sub(lambda sign: f'%{ord(sign[0]):02X}', address)})"

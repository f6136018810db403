"""Text as answers and models have it: on one line, in quotes, without code fences."""

import re

LINE = 200
"""Characters of a foreign text (title, address, message) in a sentence of an answer."""
ADDRESS = 400
"""Characters of the address of a page: more tell nobody anything, and may take a whole answer."""
FAIR = 0.9
"""Part of the tokens to use: tables of numbers have more of them than `count_tokens` estimates."""
OPENINGS = ("```", "```json")
REF = re.compile(r"(?:f\d+)?e\d+")


def clip(text: str, limit: int = LINE) -> str:
    """Return `text` on one line, cut to `limit` characters with a mark where it was cut."""
    line = " ".join(text.split())
    return line if len(line) <= limit else line[: limit - 1] + "…"


def short_address(url: str) -> str:
    """Return an address as answers show it: the beginning of a long one, and how to get all."""
    if len(url) <= ADDRESS:
        return url
    return f"{url[:ADDRESS]}… ({len(url):,} characters: `evaluate` tells `location.href`)"


def strip_fence(text: str) -> str:
    """Return `text` without a code fence around all of it, and without blanks at its ends."""
    text = text.strip()
    first, newline, rest = text.partition("\n")
    if newline and first.rstrip() in OPENINGS and rest.endswith("```"):
        return rest[:-3].strip()
    return text


def quoted(name: str) -> str:
    """Return a name in quotes, "" for none; a quote inside is escaped."""
    if not name:
        return ""
    return '"' + name.replace("\\", "\\\\").replace('"', '\\"') + '"'


def beginning(name: str) -> str:
    """Return what something is called as a sentence begins with it: a ref stays what it is."""
    return name if REF.fullmatch(name) else name[:1].upper() + name[1:]

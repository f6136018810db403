"""The documents are in plain words: short sentences, few commas, the subject first."""

import re
from pathlib import Path
from statistics import mean

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
LATER = {
    "scripts",
}  # fmt: skip
"""Pages that are not rewritten yet: this list only shrinks."""
NOT_PROSE = r"^---\n.*?\n---\n|```.*?```|<!--.*?-->|:::.*?:::"
SKIPPED = r"\s*(\||#|>|    |<|\[|!\[)"
ITEM = r"^\s*([-*+]|\d+\.)\s+"
TURNED = r"(Of|What|Where|Whose|Who|Whoever|Whatever|Nor|So (does|do|is|are)|Beyond|Elsewhere)\b"
MOST_WORDS, MOST_LONG, MOST_COMMAS = 17, 8, 1.0
"""Of a page: words a sentence, per cent of its sentences over 30 words, commas a sentence."""
ALL_WORDS, ALL_LONG, ALL_COMMAS = 14, 3, 0.8
"""Of all pages together."""


def sentences(page):
    """All sentences of three words and more, without code, tables, headings and addresses."""
    text = re.sub(NOT_PROSE, "", page.read_text("utf-8"), flags=re.DOTALL)
    lines = [line for line in text.splitlines() if not re.match(SKIPPED, line)]
    text = re.sub(ITEM, "\n", "\n".join(lines), flags=re.MULTILINE)
    text = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", text)
    text = re.sub(r"[*_]{1,3}", "", re.sub(r"`[^`]*`", "code", text))
    for block in re.split(r"\n\s*\n", text):
        for sentence in re.split(r"(?<=[.!?:])\s+(?=[A-Z(])", " ".join(block.split())):
            if len(sentence.split()) > 2:
                yield sentence


def figures(found):
    """Words a sentence, per cent over 30, those that are turned round, commas a sentence."""
    lengths = [len(one.split()) for one in found]
    long = 100 * mean(length > 30 for length in lengths)
    turned = [one for one in found if re.match(TURNED, one)]
    return mean(lengths), long, turned, mean(one.count(",") for one in found)


def fails(page):
    if not (found := list(sentences(page))):
        return ""
    words, long, turned, commas = figures(found)
    plain = words <= MOST_WORDS and long <= MOST_LONG and commas <= MOST_COMMAS and not turned
    return "" if plain else f"{words:.1f} words, {long:.0f} % long, {commas:.2f} commas, {turned}"


@pytest.mark.parametrize(
    "page", [page for page in PAGES if page.stem not in LATER], ids=lambda page: page.stem
)
def test_a_page_is_plain(page):
    assert not fails(page)

"""The documents are in plain words: short sentences, few commas, the subject first."""

import re
from pathlib import Path
from statistics import mean

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
NOT_PROSE = r"^---\n.*?\n---\n|```.*?```|<!--.*?-->|:::.*?:::"
SKIPPED = r"\s*(\||#|>|    |<|\[|!\[)"
ITEM = r"^\s*([-*+]|\d+\.)\s+"
TURNED = r"(Of|What|Where|Whose|Who|Whoever|Whatever|Nor|So (does|do|is|are)|Beyond|Elsewhere)\b"
MOST_WORDS, MOST_LONG, MOST_COMMAS = 16, 6, 1.0
"""Limits of a page: words a sentence, per cent of sentences over 30 words, commas a sentence."""
ALL_WORDS, ALL_LONG, ALL_COMMAS = 12, 1.5, 0.75
"""Limits of all pages: measured in November 2026, with a little room. These only shrink."""
TEXT = 14_000
"""Words of `docs/`, the reference apart: what a page gains, another one loses."""


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


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_page_is_plain(page):
    if found := list(sentences(page)):
        words, long, turned, commas = figures(found)
        assert words <= MOST_WORDS
        assert long <= MOST_LONG
        assert not turned
        assert commas <= MOST_COMMAS


def test_all_pages_are_plain_and_few():
    found = [one for page in PAGES for one in sentences(page)]
    words, long, _, commas = figures(found)
    assert words <= ALL_WORDS
    assert long <= ALL_LONG
    assert commas <= ALL_COMMAS
    text = [one for page in PAGES if page.parent != ROOT for one in sentences(page)]
    assert sum(len(one.split()) for one in text) <= TEXT

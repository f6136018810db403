"""Sizes of answers."""

import json

import pytest

from strap import count_tokens, cut

ENGLISH = "The quick brown fox jumps over the lazy dog, and the committee approved it. " * 40
SNAPSHOT = "\n".join(
    f'- link "Action {i}" e{i}\n- button "Delete row {i}" e{i + 1}' for i in range(99)
)
JSON = json.dumps([{"id": i, "name": f"user{i}", "email": f"u{i}@example.com"} for i in range(80)])
GERMAN = (
    "Die Geschwindigkeitsbegrenzung gilt für alle Kraftfahrzeuge außerhalb von Ortschaften. " * 20
)
CHINESE = "人工智能正在改变我们的生活方式和工作方式。" * 30


@pytest.mark.parametrize("text", [ENGLISH, SNAPSHOT, JSON, GERMAN, CHINESE])
def test_the_estimate_is_near_and_rather_above(o200k, text):
    exact = len(o200k.encode(text))
    assert 0.9 * exact <= count_tokens(text) <= 1.6 * exact


def test_cut_splits_without_losing_anything():
    for size in (1, 10, 100, 1000):
        head, rest = cut(ENGLISH, size)
        assert head + rest == ENGLISH
        assert count_tokens(head) <= size


def test_cut_prefers_the_end_of_a_line():
    head, rest = cut(SNAPSHOT, 100)
    assert head.endswith("\n")
    assert rest.startswith("- ")


@pytest.mark.parametrize(
    "text", [CHINESE.replace("。", "的"), "QUJD" * 900, "=-" * 900, " " * 20_000, "\n" * 20_000]
)
def test_cut_splits_what_has_no_breaks(text):
    head, rest = cut(text, 20)
    assert head + rest == text
    assert 10 < count_tokens(head) <= 21


def test_cut_of_what_fits():
    assert cut("short", 100) == ("short", "")
    assert cut("", 1) == ("", "")

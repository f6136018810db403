"""Formats of console calls."""

import pytest

from strap_browser.engine.console import formatted


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ([], ""),
        (["one"], "one"),
        (["%s"], "%s"),
        (["a", "b"], "a b"),
        (["w%s", "5"], "w5"),
        (["%s and %s", "a"], "a and %s"),
        (["%d%%", "7.9"], "7%"),
        (["%i", "-3"], "-3"),
        (["%f", "2.50"], "2.5"),
        (["%d", "none"], "NaN"),
        (["%d", "inf"], "NaN"),
        (["%cstyled", "color: red", "rest"], "styled rest"),
        (["%o %O", "{a: 1}", "[2]"], "{a: 1} [2]"),
        (["100% sure", "yes"], "100% sure yes"),
        (["%s", "%s", "x"], "%s x"),
    ],
)
def test_formatted(arguments, text):
    assert formatted(arguments) == text

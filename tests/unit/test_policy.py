"""Allow and deny patterns."""

import pytest

from strap import StartupError
from strap.routing.policy import Policy


@pytest.mark.parametrize(
    ("allow", "deny", "action", "url", "permitted"),
    [
        (["*"], [], "http.fetch", None, True),
        (["http.*"], [], "http.fetch", None, True),
        (["http"], [], "http.fetch", None, True),
        (["http.*"], [], "browser.click", None, False),
        ([], [], "http.fetch", None, False),
        (["*"], ["browser.evaluate"], "browser.evaluate", None, False),
        (["*"], ["browser.evaluate"], "browser.click", None, True),
        (["*@example.com"], [], "http.fetch", "https://example.com/a", True),
        (["*@example.com"], [], "http.fetch", "https://example.org/a", False),
        (["*@example.com"], [], "browser.click", None, False),
        (["*"], ["*@*.example.com"], "http.fetch", "https://a.EXAMPLE.com./", False),
        (["*"], ["*@*.example.com"], "http.fetch", "https://example.com/", True),
        (["*"], ["*@example.com"], "http.fetch", "https://u@example.com:1/", False),
        (["*"], ["*@example.com"], "http.fetch", "http://[broken", False),
        (["*@example.com"], [], "http.fetch", "http://[broken", False),
    ],
)
def test_permits(allow, deny, action, url, permitted):
    assert Policy(allow=allow, deny=deny).permits(action, url) is permitted


@pytest.mark.parametrize(
    ("allow", "deny", "advertised"),
    [
        (["*"], ["http.fetch"], False),
        (["*"], ["http.fetch@example.com"], True),
        (["http.fetch@example.com"], [], True),
        (["browser.*"], [], False),
    ],
)
def test_advertises(allow, deny, advertised):
    assert Policy(allow=allow, deny=deny).advertises("http.fetch") is advertised


@pytest.mark.parametrize("pattern", ["", "http fetch", "a@b@c"])
def test_a_pattern_that_is_none(pattern):
    with pytest.raises(StartupError, match="is not a policy pattern"):
        Policy(deny=[pattern])


@pytest.mark.parametrize(
    ("pattern", "guess"),
    [
        ("htpp.fetch", "http.fetch"),
        ("http.fecth@example.com", "http.fetch"),
        ("htpt.*", "http.*"),
        ("browser", ""),
    ],
)
def test_a_pattern_about_nothing_stops_the_start(pattern, guess):
    for policy in (Policy(deny=[pattern]), Policy(allow=["*", pattern])):
        with pytest.raises(StartupError, match="is about no action") as caught:
            policy.check({"http.fetch": None, "search.query": None})
        assert repr(pattern) in str(caught.value)
        assert f"Did you mean {guess!r}" in str(caught.value) or not guess


def test_patterns_about_something():
    patterns = ("*", "http", "http.*", "*.query", "http.fetch@*.example.com", "*@example.com")
    Policy(allow=patterns, deny=patterns).check({"http.fetch": None, "search.query": None})

"""Allow and deny patterns."""

import pytest

from strap import StartupError
from strap.policy import Policy


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

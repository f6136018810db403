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


GRAMMAR = [
    ("*@shop.example", "https://shop.example/a", True),
    ("*@shop.example", "http://shop.example:8080/", True),
    ("*@shop.example", "https://www.shop.example/", False),
    ("*@SHOP.example.", "https://shop.EXAMPLE./", True),
    ("*@shop.example:443", "https://shop.example/", True),
    ("*@shop.example:443", "http://shop.example/", False),
    ("*@shop.example:80", "http://shop.example/", True),
    ("*@shop.example:80", "http://shop.example:80/", True),
    ("*@shop.example:80", "ws://shop.example/", True),
    ("*@shop.example:443", "wss://shop.example/", True),
    ("*@shop.example:8443", "https://shop.example:8443/", True),
    ("*@shop.example:8443", "https://shop.example/", False),
    ("*@127.0.0.1:8080", "http://127.0.0.1:8080/", True),
    ("*@127.0.0.1:8080", "http://127.0.0.1:8081/", False),
    ("*@127.0.0.1:8080", "http://127.1:8080/", True),
    ("*@127.0.0.1:8080", "http://0x7f000001:8080/", True),
    ("*@127.1:8080", "http://127.0.0.1:8080/", True),
    ("*@127.0.0.1", "http://localhost/", False),
    ("*@localhost:3000", "localhost:3000", None),
    ("*@[::1]", "http://[::1]:9/", True),
    ("*@[::1]:8080", "http://[0:0:0:0:0:0:0:1]:8080/", True),
    ("*@[2001:DB8::0:1]:8080", "http://[2001:db8::1]:8080/", True),
    ("*@[::1]:8080", "http://[::1]/", False),
    ("*@bücher.example", "https://xn--bcher-kva.example/", True),
    ("*@xn--bcher-kva.example", "https://BÜCHER.example/", True),
    ("*@*.bücher.example:8443", "https://a.bücher.example:8443/", True),
    ("*@*.shop.example", "https://a.b.shop.example/", True),
    ("*@*.shop.example", "https://shop.example/", False),
    ("*@*shop.example", "https://myshop.example/", True),
    ("*@10.0.*", "http://10.0.1.2/", True),
    ("*@*:8080", "http://anything.example:8080/", True),
    ("*@*:8080", "http://anything.example/", False),
    ("*@*", "http://anything.example/", True),
    ("*@shop.example", "https://shop.example@evil.example/", None),
    ("*@shop.example", "https://evil.example/\\@shop.example", False),
]
"""Each form of a host, and whether it is that of a URL; None: the URL is none for any pattern."""


@pytest.mark.parametrize(("pattern", "url", "matches"), GRAMMAR)
@pytest.mark.parametrize("rule", ["allow", "deny", "confirm"])
def test_each_form_of_a_host(rule, pattern, url, matches):
    policy = Policy(**{rule: [pattern]})
    for each in (policy, Policy(within=policy)):
        if rule == "allow":
            assert each.permits("http.fetch", url) is bool(matches)
        elif rule == "deny":
            assert each.permits("http.fetch", url) is (matches is False)
        else:
            assert each.confirms("http.fetch", [url]) is (matches is not False)


@pytest.mark.parametrize("rule", ["allow", "deny", "confirm"])
@pytest.mark.parametrize(
    "pattern",
    [
        *("", "http fetch", "a@b@c", "@shop.example", "*@", "*@:8080", "*@shop.example:"),
        *("*@shop.example:0", "*@shop.example:65536", "*@shop.example:http", "*@shop.example:*"),
        *("*@https://shop.example", "*@shop.example/path", "*@shop.example?a", "*@.shop.example"),
        *("*@::1", "*@[::1", "*@[::*]", "*@[127.0.0.1]", "*@::1:8080", "*@256.1.1.1", "*@a..b"),
        "r.tools:[a-z]",
        *("*@bü*.example", "*@shop,example", "*@a\\b", "*@shop.example:80:80", "*@[a-z].example"),
    ],
)
def test_a_pattern_that_is_none(rule, pattern):
    with pytest.raises(StartupError, match="is not a policy pattern"):
        Policy(**{rule: [pattern]})


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


ACTIONS = [
    ("*", "browser.click", True),
    ("browser", "browser.click", True),
    ("browser.*", "browser.click", True),
    ("browser.cl*", "browser.click", True),
    ("*.click", "browser.click", True),
    ("browser.click", "browser.click", True),
    ("browser.click", "browser.close", False),
    ("http", "browser.click", False),
]


@pytest.mark.parametrize(("pattern", "action", "matches"), ACTIONS)
def test_each_form_of_an_action(pattern, action, matches):
    assert Policy(allow=[pattern]).permits(action) is matches
    assert Policy(deny=[pattern]).permits(action) is not matches
    assert Policy(confirm=[pattern]).confirms(action) is matches


def test_what_can_do_the_same_is_denied_as_well():
    policy = Policy(deny=["browser.click", "browser.navigate@a.example"])
    assert not policy.advertises("browser.press", "browser.click")
    assert policy.advertises("browser.new_page", "browser.navigate")
    refused = policy.refused("browser.press", "browser.click")
    assert str(refused) == (
        "The policy does not allow browser.click, and browser.press can do the same."
    )
    there = "https://a.example/"
    assert policy.refused("browser.new_page", "browser.navigate", url=there)
    assert not policy.refused("browser.new_page", "browser.navigate", url="https://b.example/")
    only = Policy(allow=["browser.press"])
    assert only.advertises("browser.press", "browser.click")  # allow is about what it names


PARTS = [
    # deny, what the call does, whether it passes
    (["r.tools:buy"], "r.tools:buy", False),
    (["r.tools:buy"], "r.tools:sell", True),
    (["r.tools:buy"], "r.tools:", True),
    (["r.tools:b*"], "r.tools:buy", False),
    (["r.tools:*"], "r.tools:", False),
    (["r.tools"], "r.tools:sell", False),
    (["r.*"], "r.tools:sell", False),
    (["r.tools:buy@a.example"], "r.tools:buy", False),
    (["r.tools:buy@b.example"], "r.tools:buy", True),
    (["r.tools:buy@a.example"], "r.tools:sell", True),
    (["r.tools:buy"], "r.tools:B-u_y", False),  # a page names its parts
    (["r.tools:Buy_now*"], "r.tools:buynowandpay", False),
    (["r.tools:buy"], "r.tools", False),  # by an action that can do the same as any part
]


@pytest.mark.parametrize(("deny", "name", "passes"), PARTS)
def test_parts_of_an_action(deny, name, passes):
    policy = Policy(deny=deny)
    assert (policy.refused(name, url="https://a.example/") is None) is passes
    assert (policy.refused("r.evaluate", "r.tools", url="https://a.example/") is None) is (
        deny == ["r.tools:buy@b.example"]
    )
    assert Policy(confirm=deny).confirms(name, ["https://a.example/"]) is not passes


def test_a_call_of_no_part_is_allowed_where_a_part_is():
    policy = Policy(allow=["r.tools:search", "r.tools:count@a.example"])
    assert policy.advertises("r.tools:")
    assert policy.permits("r.tools:")
    assert policy.permits("r.tools:search", "https://b.example/")
    assert not policy.permits("r.tools:count", "https://b.example/")
    assert policy.permits("r.tools:count", "https://a.example/")
    assert not policy.permits("r.tools:buy", "https://a.example/")
    assert str(policy.refused("r.tools:", "r.click")) == "None"
    assert str(Policy(allow=["r.look"]).refused("r.tools:")) == "The policy does not allow r.tools."

"""Calls written as a line."""

import time

import pytest

from strap import UsageError
from strap.api.call_syntax import parse_line


@pytest.mark.parametrize(
    ("line", "arguments"),
    [
        (
            "browser navigate url=https://example.com/?a=b",
            {"resource": "browser", "action": "navigate", "url": "https://example.com/?a=b"},
        ),
        ("click ref=e5", {"action": "click", "ref": "e5"}),
        ("fill value='Ada Lovelace'", {"action": "fill", "value": "Ada Lovelace"}),
        ("fill value=", {"action": "fill", "value": ""}),
        ("upload paths=a paths=b paths=c", {"action": "upload", "paths": ["a", "b", "c"]}),
        (
            "http fetch headers.Accept=text/html headers.X-A=1",
            {"resource": "http", "action": "fetch", "headers": {"Accept": "text/html", "X-A": "1"}},
        ),
        ("browser close # it's the end", {"resource": "browser", "action": "close"}),
        (
            r"""fill value="a \"b\" \c"' d' name=e\ f""",
            {"action": "fill", "value": r"""a "b" \c d""", "name": "e f"},
        ),
        ("click selector=#buy", {"action": "click", "selector": "#buy"}),
        ("navigate url=http://x/#a #b", {"action": "navigate", "url": "http://x/#a"}),
    ],
)
def test_parse(line, arguments):
    assert parse_line(line) == arguments


@pytest.mark.parametrize(
    "line",
    ["", "url=x", "a b c", "click ref=e5 oops", "fill value='open", 'fill value="open', "fill \\"],
)
def test_a_line_that_is_no_call(line):
    with pytest.raises(UsageError):
        parse_line(line)


@pytest.mark.parametrize("line", ["http fetch headers=x headers.A=1", "http fetch h.A=1 h=x h=y"])
def test_a_map_is_not_given_as_a_value_too(line):
    with pytest.raises(UsageError, match=r"is given both as h\w*=value and as h\w*.key=value"):
        parse_line(line)


@pytest.mark.parametrize(
    "value", ["a" * 2_000_000, f"'{'a b' * 700_000}'", '"' + r"\a" * 10**6 + '"']
)
def test_a_long_line_takes_no_longer_for_each_word(value):
    """A word of a megabyte took 20 s, in which a server answered nobody."""
    began = time.process_time()
    assert len(parse_line(f"fill value={value}")["value"]) >= 2_000_000
    assert time.process_time() - began < 2


@pytest.mark.parametrize("line", [f"fill value='{'a' * 10_000}", f"a b {'c' * 10_000}"])
def test_a_long_line_is_told_in_short(line):
    with pytest.raises(UsageError) as caught:
        parse_line(line)
    assert len(str(caught.value)) < 400

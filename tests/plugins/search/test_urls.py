"""Which URLs are one page, and which texts are fit to show."""

import pytest

from strap_search.engines import hit, plain
from strap_search.paging import same_page


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("https://x.example/a", "http://www.X.example/a/"),
        ("https://x.example/a?b=1", "https://x.example/a?b=1&utm_source=s&gclid=1"),
        ("https://x.example/a", "https://x.example/a#top"),
    ],
)
def test_the_same_page(one: str, other: str) -> None:
    assert same_page(one) == same_page(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("https://x.example/a", "https://x.example/A"),
        ("https://x.example/a?b=1", "https://x.example/a?b=2"),
        ("https://x.example/#/inbox", "https://x.example/#/sent"),
        ("https://x.example/a%2Fb", "https://x.example/a/b"),
        ("https://x.example:8080/", "https://x.example/"),
    ],
)
def test_different_pages(one: str, other: str) -> None:
    assert same_page(one) != same_page(other)


@pytest.mark.parametrize(
    "url",
    ["", "javascript:alert(1)", "data:text/html,x", "/local", "mailto:a@b",
     "https://[bad/", "https:///a", "https://a.example/ b",
     "https://a.example/\u202e", "https://a.example/\x00"],
)  # fmt: skip
def test_what_is_no_web_page_is_no_hit(url: str) -> None:
    assert hit("Title", url, "") is None


def test_a_hit_without_a_title_shows_its_url() -> None:
    found = hit(" ", "//x.example/a", "")
    assert found is not None
    assert (found.title, found.url) == ("https://x.example/a", "https://x.example/a")


def test_texts_are_one_bounded_line() -> None:
    assert plain("a\n\tb\u200bc\x00d", 50) == "a b c d"
    assert plain("word " * 1000, 21) == "word word word word …"

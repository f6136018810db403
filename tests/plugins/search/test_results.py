"""Results of engines, made fit to show: URLs, texts, dates."""

import pytest

from strap_search.common.text import parse_date, strip_markup, unmarked
from strap_search.common.urls import on_site, same_page, site
from strap_search.engine import Hit
from strap_search.paging import cleaned


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
     "https://[bad/", "https:///", "https://a example/b",
     "https://a.example/\u202e", "https://a.example/\x00"],
)  # fmt: skip
def test_what_is_no_web_page_is_no_hit(url: str) -> None:
    assert cleaned(Hit(title="Title", url=url)) is None


def test_a_hit_without_a_title_shows_its_url() -> None:
    hit = cleaned(Hit(title=" ", url="//x.example/a"))
    assert hit is not None
    assert (hit.title, hit.url) == ("https://x.example/a", "https://x.example/a")


def test_texts_are_one_bounded_line() -> None:
    assert strip_markup("a\n\tb\u200bc\x00d", 50) == "a b c d"
    assert strip_markup("word " * 1000, 21) == "word word word word …"


def test_emphasis_is_no_text() -> None:
    assert unmarked("a <b>bold</B> &lt;i&gt; x<y<br/>&#x27;s") == "a bold <i> x<y's"


@pytest.mark.parametrize(
    ("date", "text"),
    [
        (1_700_000_000, "2023-11-14 22:13 UTC"),
        (1_700_000_000.5, "2023-11-14 22:13 UTC"),
        ("2026-11-20", "2026-11-20"),
        ("2026-11-20T14:03:00", "2026-11-20 14:03"),
        ("2026-11-20T14:03:00Z", "2026-11-20 14:03 UTC"),
        ("2026-11-20T14:03:00+02:00", "2026-11-20 12:03 UTC"),
        ("Fri, 20 Nov 2026 14:03:00 GMT", "2026-11-20 14:03 UTC"),
        ("2 hours ago", "2 hours ago"),
        ("gestern\n", "gestern"),
        ("", ""),
        (1e30, ""),
        (float("nan"), ""),
        ("9" * 60, "9" * 39 + "…"),
    ],
)
def test_dates(date: str | float, text: str) -> None:
    assert parse_date(date) == text


@pytest.mark.parametrize(
    ("given", "host"),
    [
        ("example.com", "example.com"),
        ("https://Docs.Example.com/Guide/", "docs.example.com/Guide"),
        (".gov", "gov"),
        ("münchen.example", "xn--mnchen-3ya.example"),
    ],
)
def test_sites(given: str, host: str) -> None:
    assert site(given) == host


@pytest.mark.parametrize(
    "given",
    ["", "a b", "example.com OR x", "ftp://x.example", "x.example:8080", "x.example/?q=1",
     "u:p@x.example", "x.example/#a", "[::1]", "a..b", "x" * 64 + ".example"],
)  # fmt: skip
def test_what_is_no_site(given: str) -> None:
    with pytest.raises(ValueError, match="must be a host"):
        site(given)


@pytest.mark.parametrize(
    ("url", "wanted", "on"),
    [
        ("https://example.com/", "example.com", True),
        ("https://docs.EXAMPLE.com:8443/a", "example.com", True),
        ("https://notexample.com/", "example.com", False),
        ("https://example.com.evil.example/", "example.com", False),
        ("https://example.com/docs/a", "example.com/docs", True),
        ("https://example.com/docs", "example.com/docs", True),
        ("https://example.com/docs2", "example.com/docs", False),
        ("https://agency.gov/a", "gov", True),
    ],
)
def test_results_of_a_site(url: str, wanted: str, on: bool) -> None:
    assert on_site(url, wanted) is on

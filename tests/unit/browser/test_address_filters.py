"""Patterns of EasyList: what they fit, what they do not, and what is none."""

import re

import pytest

from strap_browser.common.address_filters import read_filter

FITS = [
    ("ads.example", "https://ads.example/x", True),
    ("ads.example", "http://a.b.ads.example:8080/", True),
    ("ads.example", "https://bads.example/", False),
    ("ads.example", "https://ads.example.org/", False),
    ("ads.example", "https://shop.example/?u=https://ads.example/", False),
    ("localhost:81", "http://localhost:81/a", True),
    ("localhost:81", "http://localhost:8/a", False),
    ("||Ads.Example/banner/*/img", "https://x.ads.example/banner/7/img.png", True),
    ("||ads.example/banner/*/img", "https://ads.example/banner/img.png", False),
    ("||ads.example^", "https://ads.example", True),
    ("/banner/", "https://shop.example/a/banner/b", True),
    ("/banner/", "https://shop.example/banners", False),
    ("*tracker*", "https://shop.example/my-tracker.js", True),
    ("|https://shop.example/ad", "https://shop.example/ads", True),
    ("|https://shop.example/ad", "http://x.example/?https://shop.example/ad", False),
    (".swf|", "https://shop.example/a.swf", True),
    (".swf|", "https://shop.example/a.swf?x", False),
    ("a*.swf|", "https://shop.example/a.swf/b.swf", True),
    ("||shop.example/a|", "https://shop.example/a", True),
    ("||shop.example/a|", "https://shop.example/ab", False),
    ("&ad=^", "https://shop.example/?b&ad=&c", True),
]


@pytest.mark.parametrize(("pattern", "url", "fits"), FITS)
def test_what_a_pattern_fits(pattern, url, fits):
    read = read_filter(pattern)
    assert bool(re.match(read.expression, url)) is fits
    assert not fits or read.part in url


@pytest.mark.parametrize(
    "pattern",
    ["", "*", "@@||a.example^", "a.example##.ad", "/ad/$script,image", "! x", "a b", "||"],
)
def test_what_is_none(pattern):
    with pytest.raises(ValueError, match="EasyList"):
        read_filter(pattern)


def test_a_long_address_takes_no_longer_than_its_length():
    expression = re.compile(read_filter("a*a*a*a*a*a*a*b|").expression)
    assert not expression.match("https://shop.example/" + "a" * 200_000)

"""Regions: what callers write, what engines are told."""

import pytest

from strap_search.common import regions


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("us-en", "us-en"),
        ("AT-DE", "at-de"),
        ("de_de", "de-de"),
        ("en-US", "us-en"),
        ("de-AT", "at-de"),
        ("en-us", "us-en"),
        ("ja-jp", "jp-ja"),
        ("uk-en", "gb-en"),
        ("en-GB", "gb-en"),
        ("jp-jp", "jp-ja"),
        ("tw-tzh", "tw-zh"),
        ("wt-wt", None),
    ],
)
def test_spellings(text: str, canonical: str | None) -> None:
    assert regions.canonical(text) == canonical


@pytest.mark.parametrize("text", ["", "us", "usen", "us-en-x", "u1-en", "us-eng", "us- e", "ü-de"])
def test_what_is_no_region(text: str) -> None:
    with pytest.raises(ValueError, match="country-language"):
        regions.canonical(text)


@pytest.mark.parametrize(
    ("canonical", "code"),
    [("gb-en", "uk-en"), ("jp-ja", "jp-jp"), ("at-de", "at-de"), (None, "wt-wt")],
)
def test_the_codes_of_duckduckgo(canonical: str | None, code: str) -> None:
    assert regions.duckduckgo(canonical) == code


def test_every_region_of_duckduckgo_is_one_that_can_be_written() -> None:
    for region in regions.DUCKDUCKGO:
        assert regions.canonical(region) == region
        assert regions.canonical(regions.duckduckgo(region)) == region

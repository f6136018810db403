"""Lines above a text that say when it was written; headings of further texts."""

import pytest
from lxml import html

from strap_http.extraction import extractor_choice
from strap_http.extraction.pages import read_page
from tests.plugins.http.prose import prose

URL = "https://example.com/a/"
TITLE = "The mill at the ford"


def paragraphs(first, last):
    return "".join(f"<p>{prose(number)}</p>" for number in range(first, last))


@pytest.fixture
def read(monkeypatch):
    """Reads a page whose main text, as a library finds it, is all that is in its article."""

    def read(content, title=TITLE):
        found = "\n".join(str(text) for text in html.fromstring(content).itertext())
        monkeypatch.setattr(extractor_choice, "_careful", lambda _: found)
        page = f"<html><head><title>{title}</title></head><body><article>{content}</article>"
        return read_page(page, URL).text

    return read


@pytest.mark.parametrize(
    "line",
    [
        "The mill at the ford opened on 18 May 1898.",
        "It stood until 1999: what is left of the wheel and its house",
        "Five carts a day",
    ],
)
def test_other_lines_above_a_text_stay(line, read):
    assert line in read(f"<div><h1>{TITLE}</h1><p>{line}</p>{paragraphs(1, 9)}</div>")


def test_when_something_was_stays_in_a_text(read):
    line = "Opened on Tuesday, 18 May 1898"
    assert line in read(f"<div>{paragraphs(1, 5)}<p>{line}</p>{paragraphs(5, 9)}</div>")


@pytest.mark.parametrize("name", ["relatedpoststitle", "related-title", "comments-title"])
def test_what_is_headed_as_something_else_goes(name, read):
    head = f"<h3 class={name}>What else there is of mills</h3>"
    others = "".join(
        f"<article><h4><a href=/{at}>Mill {at}</a></h4><p>{prose(at)}</p></article>"
        for at in range(20, 30)
    )
    text = read(f"{paragraphs(1, 9)}<div>{head}{others}</div><p>{prose(9)}</p>")
    assert text.endswith(f"{prose(8)}\n\n{prose(9)}")


def test_what_stands_under_other_headings_stays(read):
    others = "".join(f"<h4>Mill {at}</h4><p>{prose(at)}</p>" for at in range(20, 30))
    head = "<h3 class=title id=related-mills>What else there is of mills</h3>"
    assert prose(25) in read(f"{paragraphs(1, 9)}<div>{head}{others}</div>")


def test_a_heading_stays_with_the_rest_of_its_section(read):
    link = "<p><a href=/what-millers-earn>What the millers of the valley earn</a></p>"
    text = read(f"<div>{paragraphs(1, 9)}<h3>On rye</h3>{link}<p>{prose(9)}</p></div>")
    assert text.endswith(f"### On rye\n\n{prose(9)}")

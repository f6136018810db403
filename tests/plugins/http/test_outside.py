"""Metadata of pages about their text: where it is, and what it is."""

import json

import pytest

from strap.html_tree import parse
from strap_http.extraction import extractor_choice
from strap_http.extraction.facts.linked_data import article_body, linked_items
from strap_http.extraction.pages import read_page

URL = "https://example.com/a/"
BEGGING = "The county pays for none of this, so please think of us and give what you can spare."
FOUR = range(20, 24)
BELOW = f"<div><h2>Our appeal</h2><p>{BEGGING}</p></div>"


def prose(number):
    """A paragraph that has no words of another."""
    return " ".join(f"mill{number}of{word}" for word in range(30)) + "."


def paragraphs(first, last):
    return "".join(f"<p>{prose(number)}</p>" for number in range(first, last))


def lines(first, last):
    return "\n".join(map(prose, range(first, last)))


def read(body, *items):
    data = "".join(
        f'<script type="application/ld+json">{json.dumps(item)}</script>' for item in items
    )
    head = f"<!doctype html><html><head><title>The mill at the ford</title>{data}</head>"
    return read_page(f"{head}<body>{body}</body></html>", URL).text


def story(text, kind="NewsArticle"):
    return {"@context": "https://schema.org", "@type": kind, "articleBody": text}


@pytest.fixture
def found(monkeypatch):
    """Return a function that sets what a library finds, whatever the page."""

    def find(text):
        monkeypatch.setattr(extractor_choice, "_careful", lambda page: text)
        monkeypatch.setattr(extractor_choice, "_generous", lambda page, comments: "")

    return find


@pytest.mark.parametrize(
    "page",
    [
        f"<main>{paragraphs(1, 9)}</main>{BELOW}",
        f"<div role=main>{paragraphs(1, 9)}</div>{BELOW}",
        f"<div><article>{paragraphs(1, 9)}</article>{BELOW}</div>",
        f"<article><div itemprop=articleBody>{paragraphs(1, 9)}</div>{BELOW}</article>",
    ],
    ids=["main", "role", "article", "body"],
)
def test_what_stands_below_the_element_of_the_text_goes(page, found):
    found(f"{lines(1, 9)}\nOur appeal\n{BEGGING}")
    text = read(page)
    assert text.endswith(prose(8))
    assert "appeal" not in text


@pytest.mark.parametrize(
    "page",
    [
        f"<article>{paragraphs(1, 4)}</article><div>{paragraphs(4, 9)}</div>",
        "".join(f"<article>{paragraphs(n, n + 1)}</article>" for n in range(1, 9)),
        f"<main>{paragraphs(1, 2)}</main><div>{paragraphs(2, 9)}</div>",
    ],
    ids=["teaser", "several", "header"],
)
def test_what_stands_below_a_smaller_part_stays(page, found):
    found(lines(1, 9))
    assert read(page).count("of29.") == 8


@pytest.mark.parametrize(
    "page",
    [
        f"<main><article>{paragraphs(1, 8)}</article><article>{paragraphs(8, 9)}</article></main>",
        f"<div><article>{paragraphs(1, 6)}</article>{paragraphs(6, 9)}</div>",
        f"<main>{paragraphs(1, 6)}</main><div>{paragraphs(6, 9)}</div>",
        "".join(
            f"<div itemprop=articleBody>{paragraphs(*some)}</div>"
            for some in ((1, 6), (6, 8), (8, 9))
        ),
    ],
    ids=["articles", "rest", "main", "bodies"],
)
def test_what_stands_below_stays_where_it_is_much_or_of_the_same_kind(page, found):
    found(lines(1, 9))
    assert read(page).count("of29.") == 8


def teasers(first, last, link="<a href=/{0}>What else the mills of the valley did in {0}</a>"):
    """Links to further articles, each with how that begins."""
    return "".join(
        f"<div><p>{link.format(number)}<p>{prose(number)}</div>" for number in range(first, last)
    )


def posts(*texts):
    return "".join(f"<div class=post><div>{text}</div></div>" for text in texts)


def teasing(first, last):
    return "\n".join(
        f"What else the mills of the valley did in {number}\n{prose(number)}"
        for number in range(first, last)
    )


@pytest.mark.parametrize(
    "page",
    [
        f"<div>{paragraphs(1, 5)}</div><div>{teasers(20, 25)}</div>",
        f"<table><tr><td>{paragraphs(1, 5)}<td>{teasers(20, 25)}</table>",
        f"<div><div class=t>{paragraphs(1, 5)}</div><p>Read more</p>{teasers(20, 25)}</div>",
        f"<div>{paragraphs(1, 5)}</div><div>{teasers(20, 32)}</div>",
        f"<main><div class=t>{paragraphs(1, 5)}</div><div>{teasers(20, 25)}</div></main>",
    ],
    ids=["elements", "table", "around", "most", "named"],
)
def test_what_stands_below_the_most_prose_goes_where_it_leads_elsewhere(page, found):
    """As pages that call nothing an article have it; the library took all of it."""
    found(f"{lines(1, 5)}\n{teasing(20, 32 if '31' in page else 25)}")
    text = read(f"<div><h1>The mill at the ford</h1></div>{page}")
    assert text == "\n\n".join(("# The mill at the ford", *map(prose, range(1, 5))))


@pytest.mark.parametrize(
    ("text", "below"),
    [
        (paragraphs(1, 5), teasers(20, 24, "<b>In {0}</b>")),
        (paragraphs(1, 5), f"{teasers(20, 22)}<section>{paragraphs(22, 25)}</section>"),
        (posts(f"<div>{paragraphs(1, 5)}</div>"), posts(*(teasers(n, n + 1) for n in FOUR))),
        (f"<p>{lines(1, 5)}</p>", teasers(20, 24)),
        (f"<main>{paragraphs(1, 3)}</main>", teasers(20, 24)),
        (paragraphs(1, 3), teasers(20, 24)),
    ],
    ids=["links", "prose", "alike", "paragraph", "named", "introduction"],
)
def test_what_leads_elsewhere_stays_where_it_may_be_the_text(text, below, found):
    found(f"{lines(1, 5)}\n{teasing(20, 24)}\n{prose(24)}")
    assert prose(23) in read(f"<div>{text}</div><div>{below}</div>")


ABOVE = "".join(f"<a href=/{n}>Mills of valley {n}</a> on day {n}<br>" for n in range(30, 36))


@pytest.mark.parametrize(
    ("above", "stays"),
    [
        (f"<div>{ABOVE}</div>", False),
        (f"<div><h1>The mill at the ford</h1>{ABOVE}</div>", True),
        (f"<div>{ABOVE}{paragraphs(9, 10)}</div>", True),
        (f"<div>{ABOVE.replace('a href', 'b title')}</div>", True),
    ],
    ids=["links", "headline", "prose", "lines"],
)
def test_what_stands_above_the_most_prose_goes_where_it_leads_elsewhere(above, stays, found):
    """The library took it."""
    said = "\n".join(f"Mills of valley {number} on day {number}" for number in range(30, 36))
    found(f"{said}\n{prose(9)}\n{lines(1, 9)}")
    text = read(f"{above}<div>{paragraphs(1, 9)}</div>")
    assert text.endswith(lines(1, 9).replace("\n", "\n\n"))
    assert ("valley 33" in text) is stays


def test_a_text_that_a_page_gives_to_machines_is_all_of_it(found):
    """The library took the first of two columns, and what stands below them."""
    found(f"{lines(1, 6)}\n{BEGGING}")
    columns = f"<div>{paragraphs(1, 6)}</div><div><p>By us</p></div><div>{paragraphs(6, 9)}</div>"
    page = f"<div><div>{columns}</div><p>{BEGGING}</p></div>"
    told = story(" ".join(map(prose, range(1, 9))))
    whole = "\n\n".join(("# The mill at the ford", *map(prose, range(1, 9))))
    assert read(page, {"@type": "WebSite", "name": "Mills"}, told) == whole
    assert BEGGING in read(page)
    assert prose(8) not in read(page)


@pytest.mark.parametrize(
    "told",
    [
        story(" ".join(map(prose, range(1, 5)))),
        story(" ".join(map(prose, range(6, 13)))),
        story(" ".join(map(prose, range(1, 13))), "DiscussionForumPosting"),
        story(None),
    ],
    ids=["beginning", "another", "thread", "nothing"],
)
def test_what_is_not_all_of_the_text_decides_nothing(told, found):
    found(lines(1, 9))
    text = read(f"{paragraphs(1, 9)}<div>{paragraphs(9, 13)}</div>", told)
    assert prose(8) in text
    assert prose(9) not in text


def test_headings_stay_though_what_machines_are_given_has_none(found):
    """As the headings of a page mostly are no part of that."""
    page = f"<h2>Read on</h2>{paragraphs(1, 5)}<h2>Wheels of the mill</h2>{paragraphs(5, 9)}"
    found(f"Read on\n{lines(1, 5)}\nWheels of the mill\n{lines(5, 9)}")
    assert "## Wheels of the mill" in read(page, story(lines(1, 9)))


@pytest.mark.parametrize("part", [0.65, 0.8])
@pytest.mark.parametrize("between", ["", "</div><div>"], ids=["one", "two"])
def test_a_text_that_is_cut_short_for_machines_ends_nothing(part, between, found):
    found(lines(1, 21))
    whole = " ".join(map(prose, range(1, 21)))
    halves = f"<div>{paragraphs(1, 17)}{between}{paragraphs(17, 21)}</div>"
    text = read(f"<article>{halves}</article>", story(whole[: int(part * len(whole))]))
    assert text.count("of29.") == 20


def test_what_was_added_to_a_text_stays_though_machines_are_not_told(found):
    update = f"<h2>Corrected</h2><p>{BEGGING}</p><table><tr><th>Sacks<td>902</table>"
    found(f"{lines(1, 21)}\nCorrected\n{BEGGING}\nSacks | 902")
    page = f"<article><section>{paragraphs(1, 21)}{update}</section></article>"
    text = read(page, story(lines(1, 21)))
    assert f"## Corrected\n\n{BEGGING}" in text
    assert "902" in text


def test_what_is_asked_often_is_part_of_the_text(found):
    """Libraries take what is folded for something beside it."""
    found(lines(1, 5))
    asked = "".join(f"<div><h3>What of {n}?</h3><div>{prose(n)}</div></div>" for n in range(5, 9))
    entity = [
        {"name": f"What of {n}?", "acceptedAnswer": {"text": f"<p>{prose(n)}</p>"}}
        for n in (*range(5, 9), 31)
    ]
    page = f"<div>{paragraphs(1, 5)}</div><section>{asked}</section>"
    text = read(page, {"@type": ["WebPage", "FAQPage"], "mainEntity": entity})
    assert text.endswith("\n\n".join(f"### What of {n}?\n\n{prose(n)}" for n in range(5, 9)))
    assert "What of" not in read(page, {"@type": "WebPage", "mainEntity": entity})
    assert "What of" not in read(page, {"@type": "FAQPage", "mainEntity": [None, {"name": 1}]})


def test_what_no_reader_sees_is_not_shown(found):
    """As behind a paywall, or where words are put for machines alone."""
    found(lines(1, 5))
    text = read(paragraphs(1, 5), story(" ".join(map(prose, range(1, 31)))))
    assert text.count("of29.") == 4


def test_the_longest_body_of_an_article_is_told():
    items = [story("Short."), story("This is longer."), story("A post in a thread", "Comment")]
    data = "".join(f'<script type="application/ld+json">{json.dumps(i)}</script>' for i in items)
    assert article_body(linked_items(parse(data))[0]) == "This is longer."
    assert article_body([]) == ""

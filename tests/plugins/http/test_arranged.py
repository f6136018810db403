"""Layout of pages: cards that are links as a whole, short lines and pictures; tables."""

import re

import pytest

from strap_http.extraction.pages import read_page, read_small
from tests.plugins.http.prose import prose
from tests.plugins.http.test_pruning import FIRST, SECOND, pruned

MENU = "<nav><ul><li><a href=/a>Home</a><li><a href=/b>Shop</a></ul></nav>"
FOOT = "<footer><p>Halden lamps, since 1921. All rights reserved.</p></footer>"
INSIDE = (
    "<img src=/{0}.jpg alt='Amber {0} lamp'><h3>Amber {0} lamp</h3>{1}"
    "<{2} class=price>${0}.99</{2}>"
)
SAID = "<p>A lamp for the desk that shines warm, the {}th of its row.</p>"


def listing(card, count, holder):
    cards = "".join(card(number) for number in range(1, count + 1))
    page = f"<title>Lamps</title><body>{MENU}{holder.format(cards)}{FOOT}"
    return read_page(page, "https://example.com/").text


@pytest.mark.parametrize("said", ["", SAID])
@pytest.mark.parametrize("price", ["div", "span"])
@pytest.mark.parametrize(
    "around",
    ["<a href=/{0}>{1}</a>", "<div class=card><a href=/{0}>{1}</a></div>",
     "<article><a href=/{0}>{1}</a></article>"],
)  # fmt: skip
@pytest.mark.parametrize("count", [20, 150])
def test_of_cards_that_are_links_as_a_whole_all_is_told(count, around, price, said):
    def card(n):
        return around.format(n, INSIDE.format(n, said.format(n), price))

    for holder in ("<main><h1>Lamps</h1><div class=grid>{}</div></main>", "<div>{}</div>"):
        text = listing(card, count, holder)
        names = re.findall(
            r"^### \[Amber (\d+) lamp\]\(https://example.com/\1\)$", text, re.MULTILINE
        )
        assert names == [str(n) for n in range(1, count + 1)]
        assert re.findall(r"\$(\d+)\.99", text) == names
        assert text.count("shines warm") == (count if said else 0)


def test_a_link_in_a_heading_of_a_card_stays_as_it_is():
    def card(n):
        return f"<div><h3><a href=/{n}>Amber {n} lamp</a></h3><div>${n}.99</div></div>"

    text = listing(card, 150, "<main><h1>Lamps</h1>{}</main>")
    assert text.count("### [Amber") == text.count(".99") == 150


def test_what_a_picture_shows_is_said_beside_it_as_well():
    """The words for those who do not see the picture are no copy of those who do."""
    name = "Halden amber desk lamp of brass with a green shade, number {}"
    card = "<div><a href=/{0}><img src=/{0}.jpg alt='{1}'></a><span>{1}</span></div>"
    text = listing(lambda n: card.format(n, name.format(n)), 12, "<main>{}</main>")
    bare = re.sub(r"!\[[^\]]*\]", "", text)
    assert [n for n in range(1, 13) if f"{name.format(n)}\n" in f"{bare}\n"] == [*range(1, 13)]


def test_a_short_line_is_known_by_what_stands_beside_it():
    rows = [("Rye", "12 sacks"), ("Barley", "3 sacks"), ("Oats", "sold out")]
    lines = "".join(f"<div>{kind}</div><div>{much}</div><div>Ask us</div>" for kind, much in rows)
    body = f"<p>{FIRST}</p>{lines}<p>{SECOND}</p>"
    main = [FIRST, *(f"{kind} {much}" for kind, much in rows), SECOND]
    kept = [word for row in rows for word in row]
    assert pruned(body, *main) == "\n\n".join((FIRST, *kept, SECOND))


def test_lines_beyond_the_text_are_of_it_where_several_are_made_alike():
    body = f"<p>{FIRST}</p>{'<i>Share</i>'}<p>{SECOND}</p><div>Comments</div>"
    assert "Comments" not in pruned(body, FIRST, SECOND, "Comments")
    prices = "".join(
        f"<h3>The lamp of Halden, number {n}</h3><p class=price>${n}.99</p>" for n in range(4)
    )
    lines = (line for n in range(4) for line in (f"The lamp of Halden, number {n}", f"${n}.99"))
    assert pruned(f"<div>{prices}</div>", *lines).endswith("number 3\n\n$3.99")


def read_all(page, url):
    return read_page(page, url, whole=True)


ARTICLE = f"<p>{prose(1)}</p><ul><li>Rye<li>Oats</ul><h2>Stones</h2><p>{prose(2)}</p>"
DATA = "<table><tr><th>Year<th>Sacks<tr><td>1<td>7</table>"
IN_LINES = f"{prose(1)}\n\n- Rye\n- Oats\n\n## Stones\n\n{prose(2)}"


@pytest.mark.parametrize("reading", [read_page, read_all, read_small])
@pytest.mark.parametrize(
    "around",
    ["<table><tr><td>{}</table>", "<table><tr><td><tr><td><img src=/a.gif><td>{}</table>",
     "<table><tr><td>Today<td>{}</table>", "<table><tr><td><table><tr><td>{}</table></table>",
     "<table role=presentation><tr><th>{}<tr></table>"],
)  # fmt: skip
def test_the_text_in_a_table_that_arranges_the_page_is_no_cell(around, reading):
    page = f"<title>The mill</title><body>{around.format(ARTICLE + DATA)}</body>"
    text = reading(page, "https://example.com/").text
    assert f"{IN_LINES}\n\n| Year | Sacks |\n| --- | --- |\n| 1 | 7 |" in text


@pytest.mark.parametrize("reading", [read_page, read_all, read_small])
@pytest.mark.parametrize(
    "rows",
    ["<tr><th>Who<th>What<tr><td>Ann<td>{}", "<tr><td>Ann<td>{}" * 3, "<tr><td>Ann<tr><td>Bob"],
)
def test_a_table_of_data_stays_one(rows, reading):
    page = f"<title>The mill</title><body><p>{prose(4)}</p><table>{rows}</table><p>{prose(5)}</p>"
    text = reading(
        page.replace("{}", f"{prose(1)} {prose(2)} {prose(3)}"), "https://example.com/"
    ).text
    assert "| Ann |" in text


@pytest.mark.parametrize("reading", [read_all, read_small])
def test_cards_of_a_page_that_comes_whole_have_their_headings_as_links(reading):
    card = (
        "<a href=/{0}><img src=/{0}.png alt='Amber {0}'><h3>Amber {0}</h3><p>It shines warm</p></a>"
    )
    page = f"<title>Lamps</title><body>{''.join(map(card.format, range(12)))}</body>"
    text = reading(page, "https://example.com/").text
    assert text.count("\n\nIt shines warm") == 12
    assert "### [Amber 3](https://example.com/3)" in text


def test_of_a_page_too_deep_to_be_arranged_anew_all_is_told():
    deep = "<div>" * 400 + "<table role=none><tr><td>Rye and oats</table>" + "</div>" * 400
    text = read_all(f"<title>Mill</title><body>{deep}<p>Wheat</p></body>", "https://e.com/").text
    assert "Rye and oats" in text
    assert text.endswith("Wheat")


def test_a_list_of_headings_ends_with_headings():
    """The same words in one line are what a library gives of it."""
    shows = ["The Golden Record", "Reflections of a lake", "Kids as curators of it all"]
    entries = "".join(f"<h4><a href=/{at}>{name}</a></h4>" for at, name in enumerate(shows))
    text = pruned(f"<h4>Shown in the hall</h4>{entries}", " ".join(("Shown in the hall", *shows)))
    assert [line.partition("]")[0] for line in text.split("\n\n")] == [
        "#### Shown in the hall", *(f"#### [{name}" for name in shows)
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("link", "is_told"), [("", True), ("hidden", False), ("style='display:none'", False)]
)
def test_the_text_of_a_card_is_told_where_screen_readers_have_its_headline_alone(link, is_told):
    card = (
        "<article><h2><a href=/{0}>The lamp of the year, number {0}</a></h2>"
        "<p>They made {0} of them in Halden, of brass and of glass</p><p><a href=/{0} "
        "aria-hidden=true {1}>It shines warm, and costs less than the {0} before it did</a></p>"
        "<a href=/{0} aria-hidden=true>Read on</a></article>"
    )
    text = listing(lambda number: card.format(number, link), 20, "<main><h1>Lamps</h1>{}</main>")
    assert text.count("shines warm") == (20 if is_told else 0)
    assert text.count("Read on") == 0

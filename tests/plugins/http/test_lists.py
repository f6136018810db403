"""Choice of the rows among the things that a page repeats."""

import pytest

from tests.plugins.http.rows import NAV, card, extracted, rows_of
from tests.site.server import serve

pytestmark = pytest.mark.anyio


@pytest.fixture
def web(shared_web):
    return shared_web


async def test_cards_are_rows_and_not_the_lines_that_they_stand_in(web):
    lines = "".join(
        f"<ul class=line>{card(n)}{card(n + 1)}{card(n + 2)}</ul>" for n in range(1, 13, 3)
    )
    posts = "".join(f"<li><b>Post {n}</b> <a href=/p/{n}>by {n}</a></li>" for n in range(90))
    rows = await rows_of(web, f"<div id=sidebar><ul>{posts}</ul></div><div>{lines}</div>")
    assert [row["title"] for row in rows] == [f"The {n}th lamp of the row" for n in range(1, 13)]


async def test_posts_are_rows_and_not_their_paragraphs(web):
    said = "<p>Long words about the <b>matter</b> at hand, and <a href=/l>links</a> in them.</p>"
    post = "<article><h2><a href=/p/{0}>Post {0}</a></h2><time>May {0}</time>{1}</article>"
    rows = await rows_of(web, "".join(post.format(n, said * (n + 3)) for n in range(1, 9)))
    assert [row["title"] for row in rows] == [f"Post {n}" for n in range(1, 9)]


async def test_what_nobody_sees_is_no_row(web):
    hidden = "<li hidden>Trap one<li style='display: none'>Trap two<li><script>Trap()</script>"
    page = f"<ul>{hidden}{''.join(f'<li>Real {n}' for n in range(4))}</ul>"
    rows = await rows_of(web, page)
    assert [row["text"] for row in rows] == [f"Real {n}" for n in range(4)]


def shelf(number, variants):
    options = "".join(
        f'<label class="variant"><a href="/shelf/{number}/{n}">Option: Shelf {number}, in oak, '
        f"{n} boards of solid wood</a> <i>in stock</i> <b>sent in {n + 2} days</b></label>"
        for n in range(variants)
    )
    return (
        f'<div class="card"><a href="/shelf/{number}"><img src="/{number}.jpg" alt=""></a>'
        f'<h3><a href="/shelf/{number}">Shelf {number}</a></h3><p>White, 80 x 30</p>'
        f"<span>€{number}9</span>{f'<fieldset>{options}</fieldset>' if variants else ''}</div>"
    )


async def test_variants_of_products_are_no_rows(web):
    """There are more of them, and they say more, but not every product has some."""
    page = "".join(shelf(number, (0, 4, 5, 0, 6)[number % 5]) for number in range(1, 21))
    with serve({"/": f"<main>{page}</main>"}) as site:
        found = (await extracted(web, site)).data
    assert (found["total"], found["selector"]) == (20, "div.card")


async def test_cards_that_are_there_for_wide_and_for_narrow_screens_are_one(web):
    def event(number, kind):
        return (
            f'<section class="event {kind}"><a href="/event/{number}">Talk number {number}</a>'
            f"<p>On the {number}th of May, in {kind} words</p><b>Free</b></section>"
        )

    page = "".join(f"<li>{event(n, 'wide')}{event(n, 'narrow')}</li>" for n in range(1, 11))
    assert len(await rows_of(web, f"<main><ul>{page}</ul></main>")) == 10


@pytest.mark.parametrize("dialog", ['role="dialog"', 'id="onetrust-consent-sdk"'])
async def test_a_dialog_about_cookies_is_no_list(web, dialog):
    cookies = "".join(
        f"<div><h4>Cookies {n}</h4><p>These cookies tell us what visitors {n} do here, so that we "
        "can make it better. Without them we know nothing of our visitors.</p><b>On</b></div>"
        for n in range(8)
    )
    recipes = "".join(f'<li><a href="/r/{n}">Soup number {n}</a> <i>{n} min</i>' for n in range(12))
    page = f"<main><ul>{recipes}</ul></main><div {dialog}>{cookies}</div>"
    assert len(await rows_of(web, page)) == 12


async def test_a_page_that_leaves_its_body_tag_out_has_rows(web):
    """libxml2 takes what comes before an element that it knows for part of the head."""
    lamps = "".join(f"<div class=card><h3>Lamp {n}</h3><p>€{n}.00</p></div>" for n in range(9))
    assert len(await rows_of(web, f"<!doctype html><title>Lamps</title><main>{lamps}</main>")) == 9


async def test_a_form_around_the_list_is_not_beside_it(web):
    """As around the results of a search that can be compared, and around whole pages of ASP.NET."""
    boxes = "".join(f"{card(n).replace('Add', '<input type=checkbox>Add')}" for n in range(1, 13))
    links = "".join(f"<li><a href=/n/{n}>News {n}</a> <i>of May</i></li>" for n in range(12))
    rows = await rows_of(web, f"<form>{NAV}<ol>{boxes}</ol></form><ul>{links}</ul>")
    assert [row["title"] for row in rows] == [f"The {n}th lamp of the row" for n in range(1, 13)]


LONG = "It has a shade of linen, a foot of oak, a cord of three metres and a switch in it. "


def compared(number):
    return f"<div class=compared><h4>Lamp {number}</h4><p>{LONG * 4}</p><b>{number} W</b></div>"


@pytest.mark.parametrize(("classes", "is_shown"), [("hidden", False), ("hidden md:block", True)])
async def test_what_a_framework_hides_by_a_class_is_no_list(web, classes, is_shown):
    table = "".join(map(compared, range(1, 13)))
    cards = "".join(map(card, range(1, 13)))
    rows = await rows_of(web, f'<ol>{cards}</ol><div class="{classes}">{table}</div>')
    assert ("price_color" not in rows[0]) is is_shown


async def test_the_entries_of_an_index_by_letters_are_its_rows(web):
    letters = "".join(
        f"<h2>{letter}</h2><div class=col><ul>"
        + "".join(f'<li><a href="/{letter}{n}">{letter} {n}</a></li>' for n in range(10))
        + "</ul></div>"
        for letter in "ABCDEFGH"
    )
    rows = await rows_of(web, f"<main>{letters}</main>")
    assert len(rows) == 80
    assert rows[0]["title"] == "A 0"


async def test_the_picture_that_leads_to_a_thing_is_part_of_its_row(web):
    games = "".join(
        f'<div class=game><div><a href="/game/{n}"><img src="/{n}.jpg" alt="Game {n}"></a>'
        f"{('<b>New</b>', '<i>Demo</i>', '<u>-{n} %</u>')[n % 3]}</div>"
        f"<div class=about><p>{LONG * 5}</p><b>{n} players</b></div></div>"
        for n in range(9)
    )
    rows = await rows_of(web, f"<main>{games}</main>")
    assert [row["alt"] for row in rows] == [f"Game {n}" for n in range(9)]


async def test_a_heading_elsewhere_does_not_part_texts_from_their_headings(web):
    news = "".join(f"<h2>News {n}</h2><div class=told><p>{LONG}</p></div>" for n in range(12))
    rows = await rows_of(web, f"<div>{news}</div><div><h2>More</h2></div>")
    assert [row["title"] for row in rows] == [f"News {n}" for n in range(12)]


async def test_rows_of_a_table_are_whole_whatever_lists_their_cells_have(web):
    def meeting(number):
        files = "".join(
            f"<li><a href=/f/{number}-{n}.pdf>{kind} of meeting {number} as a document</a>"
            for n, kind in enumerate(("Agenda", "Minutes", "Resolutions", "Notice"))
        )
        cells = f"<td>May {number}, 2018<td>Board<td>Regular meeting {number}<td><ul>{files}</ul>"
        return f"<tr>{cells}</tr>"

    with serve({"/": f"<table>{''.join(map(meeting, range(1, 16)))}</table>"}) as site:
        found = (await extracted(web, site)).data
    assert (found["total"], found["selector"]) == (15, "table > tr")


@pytest.mark.parametrize("name", ["page-w-sidebar", "has-sidebar", "with-sidebar", "no-sidebar"])
async def test_a_page_with_a_sidebar_is_not_aside(web, name):
    wards = "".join(
        f"<div class=block><p><a href=/w/{n}>Ward {n}</a></p><p>Meets on Monday {n}</p></div>"
        for n in range(1, 10)
    )
    menus = "".join(
        f"<li><a href=/m/{n}>Section {n}</a> <span>What section {n} of the site is about</span>"
        for n in range(1, 16)
    )
    page = f"<ul class=nav-panel>{menus}</ul><div class={name}><div>{wards}</div></div>"
    with serve({"/": page}) as site:
        found = (await extracted(web, site)).data
    assert (found["total"], found["selector"]) == (9, "div.block")


HIDDEN = "".join(
    f"<tr><td>Lamp {n}</td><td style='display:none'><i>{n} W</i></td></tr>" for n in range(3)
)


async def read_by(web, page, value):
    with serve({"/": page}) as site:
        return await extracted(web, site, selector="tr", value=value)


async def test_rules_find_what_a_page_hides_where_nothing_else_is(web):
    found = await read_by(web, f"<table>{HIDDEN}</table>", "name: td\npower: i")
    assert [row["power"] for row in found.data["rows"]] == ["0 W", "1 W", "2 W"]
    assert "hides" in found.text
    seen = await read_by(web, f"<table>{HIDDEN}</table>", "name: td")
    assert "hides" not in seen.text


async def test_a_selector_finds_what_a_page_hides_where_nothing_else_is(web):
    page = f"<p>Loading</p><div hidden><table>{HIDDEN}</table></div>"
    found = await read_by(web, page, "name: td")
    assert [row["name"] for row in found.data["rows"]] == ["Lamp 0", "Lamp 1", "Lamp 2"]
    beside = await read_by(web, f"{page}<table><tr><td>Seen</td></tr></table>", "name: td")
    assert [row["name"] for row in beside.data["rows"]] == ["Seen"]


async def test_blanks_in_addresses_are_written_as_browsers_do(web):
    lamps = (f"<li><b>Lamp {n}</b> <a href='/a\n lamp {n}.pdf'>Sheet {n}</a>" for n in range(4))
    rows = await rows_of(web, f"<ul>{''.join(lamps)}</ul>")
    assert rows[1]["url"].endswith("/a%20lamp%201.pdf")

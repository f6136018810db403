"""`browser.extract`: rows of what the page shows, and of the pages after it."""

import csv
import re

import pytest

from strap import ActionError
from tests.site.server import Reply

pytestmark = pytest.mark.anyio


@pytest.fixture
def page(one_page):
    return one_page


def items(first, last):
    return "".join(
        f"<li class=card><h3><a href=/item/{n}>Lamp {n}</a></h3><p class=price>{n} €</p></li>"
        for n in range(first, last + 1)
    )


def listing(number, last, way):
    """Page `number` of a list of ten a page; `way` is the link to the next one."""
    body = f"<ol>{items(10 * number - 9, 10 * number)}</ol>"
    following = way.format(number + 1) if number < last else ""
    return (
        f"<!doctype html><title>Page {number}</title><nav><a href=/>Home</a></nav>{body}{following}"
    )


@pytest.fixture
async def opened(page, serve_site):
    async def serve(routes, path="/"):
        site = serve_site(routes if isinstance(routes, dict) else {"/": routes})
        await page("navigate", url=f"{site}{path}")
        return site

    return serve


async def test_what_scripts_draw_comes_as_rows(page, opened):
    drawn = f"document.body.insertAdjacentHTML('beforeend', {('<ol>' + items(1, 12) + '</ol>')!r})"
    site = await opened(f"<title>Shop</title><h1>Lamps</h1><script>{drawn}</script>")
    result = await page.result("extract")
    assert result.text.splitlines()[:2] == [
        "12 rows (at li.card): url, title, price",
        f"{site}/item/1,Lamp 1,1 €",
    ]
    assert result.data["total"] == 12


async def test_only_what_is_shown_is_read(page, opened):
    await opened(
        "<style>.gone {display: none} .pale {visibility: hidden}</style><ul>"
        "<li class=gone><b>Trap</b> <i>one</i><li class=pale><b>Trap</b> <i>two</i>"
        "<li><b>Real</b> <i>two</i>"
        "<li class=pale>Trap <b style='visibility: visible'>Also</b> <i>no</i>"
        "<i style='visibility: visible'>three</i></ul>"
        "<input name=key type=password value=geheim>"
    )
    rows = (await page.result("extract")).data["rows"]
    assert [row["text"] for row in rows] == ["Real", "Also"]
    found = await page.result("extract", selector="body", value="all: body\nkey: input@name")
    assert found.data["rows"] == [{"all": "Real two Also three", "key": "key"}]
    with pytest.raises(ActionError, match="The rule for 'key' matches nothing"):
        await page.result("extract", selector="body", value="key: input@value")


async def test_cells_that_are_not_drawn_and_what_is_chosen(page, opened):
    row = "<tr><td>City {0}<td style='visibility: hidden'>no<td>{0}"
    row += "<td><select><option>no<option selected>Size {0}</select>"
    head = "<tr><th>City<th>Secret<th>End<th>Size"
    gone = "<tr style='visibility: hidden'><td>no<td>no<td>no<td>no"
    await opened(f"<table>{head}{gone}{''.join(row.format(n) for n in (1, 2, 3))}</table>")
    rows = (await page.result("extract")).data["rows"]
    assert [(row["city"], row["end"], row["size"]) for row in rows] == [
        (f"City {n}", f"{n}", f"Size {n}") for n in (1, 2, 3)
    ]
    assert "no" not in str(rows)


async def test_rules_and_the_part_that_is_meant(page, opened):
    await opened(f"<ol aria-label=Top>{items(1, 3)}</ol><ol aria-label=All>{items(4, 9)}</ol>")
    shown = await page("snapshot", text="Top")
    ref = re.search(r"list \"Top\" (e\d+)", shown)
    rules = {"name": "a", "price": ".price"}
    assert ref, shown
    result = await page.result("extract", ref=ref[1], selector="li", value=rules)
    assert result.data["rows"] == [{"name": f"Lamp {n}", "price": f"{n} €"} for n in (1, 2, 3)]


async def test_shadow_roots_and_frames_are_read(page, opened):
    cards = "".join(f"<x-card><b>Lamp {n}</b><i>{n} €</i></x-card>" for n in range(1, 5))
    script = """customElements.define('x-card', class extends HTMLElement {
      connectedCallback() {
        this.attachShadow({mode: 'open'}).innerHTML =
          '<p>Sold by Ada</p><slot></slot>' + '<em>No. ' + this.querySelector('b').textContent;
      }
    });"""
    await opened(
        {
            "/": f"<iframe src=/frame></iframe>{cards}<script>{script}</script>",
            "/frame": f"<ol>{items(1, 3)}</ol>",
        }
    )
    rows = (await page.result("extract", selector="x-card", value="no: em\nname: b")).data["rows"]
    assert rows[1] == {"no": "No. Lamp 2", "name": "Lamp 2"}
    rows = (await page.result("extract", selector=".card", value="name: h3")).data["rows"]
    assert [row["name"] for row in rows] == ["Lamp 1", "Lamp 2", "Lamp 3"]


LINKS = {
    "rel": '<p><a rel=next href="/{0}">Onward</a>',
    "head": '<link rel=next href="/{0}">',
    "words": '<p><a href="/{0}">Next →</a>',
    "twice": '<p><a href="/{0}">Next</a> <a href="/{0}">Next</a>',
    "label": '<div class=pagination><a href="/{0}" aria-label="Next page">→</a></div>',
}


@pytest.mark.parametrize("way", LINKS.values(), ids=LINKS)
async def test_the_next_pages_are_followed(page, opened, way):
    pages = {f"/{n}": listing(n, 4, way) for n in range(1, 5)}
    site = await opened(pages, "/1")
    result = await page.result("extract", limit=25, value="name: h3", selector=".card")
    names = [row["name"] for row in result.data["rows"]]
    assert names == [f"Lamp {n}" for n in range(1, 26)]
    assert f"[3 pages; now at {site}/3]" in result.text
    assert "Page 3" in await page("snapshot")


async def test_the_last_page_ends_it(page, opened):
    pages = {f"/{n}": listing(n, 3, LINKS["words"]) for n in range(1, 4)}
    await opened(pages, "/1")
    result = await page.result("extract", limit=500, output="lamps.csv")
    with open(result.data["path"], newline="") as file:  # noqa: ASYNC230, PTH123 - a test
        assert len(list(csv.DictReader(file))) == 30
    assert "3 pages, there is no next page" in result.text


async def test_a_button_that_draws_the_next_rows_is_pressed(page, opened):
    await opened(
        "<ol id=list></ol><button id=next>Next</button><script>"
        "let at = 0; const draw = () => { at += 1;"
        " list.innerHTML = Array.from({length: 5}, (_, n) =>"
        " `<li><b>Lamp ${at * 5 - 4 + n}</b> <i>of page ${at}</i>`).join('');"
        " document.getElementById('next').disabled = at === 3; };"
        "document.getElementById('next').onclick = () => setTimeout(draw, 150); draw();</script>"
    )
    result = await page.result("extract", limit=100)
    names = [row["text"] for row in result.data["rows"]]
    assert names == [f"Lamp {n}" for n in range(1, 16)]


@pytest.mark.parametrize(
    ("way", "said"),
    [
        ('<a href="http://127.0.0.2:9/{0}">Next</a>', "the next page is of another site"),
        ('<a href="/a{0}">Next</a> <a href="/b{0}">Next</a>', "2 links lead to a next page"),
        ('<a href="/missing">Next</a>', "the next page failed: HTTP status 404"),
        ("<button>Next</button>", "the next page has the same rows"),
        ("<button disabled>Next</button>", "there is no next page"),
        ('<a href="/{0}">Next steps for your lamp</a>', "there is no next page"),
    ],
)
async def test_a_way_that_is_not_sure_is_not_taken(page, opened, way, said):
    pages = {
        "/1": listing(1, 2, way),
        "/2": listing(2, 2, ""),
        "/missing": Reply(status=404, body="<p>No"),
    }
    await opened(pages, "/1")
    result = await page.result("extract", limit=100)
    assert result.data["total"] == 10
    assert said in result.text


async def test_a_next_page_that_draws_its_rows_late_is_waited_for(page, opened):
    drawn = (
        f"setTimeout(() => document.body.insertAdjacentHTML('beforeend', {items(11, 20)!r}), 700)"
    )
    pages = {"/1": listing(1, 2, LINKS["words"]), "/2": f"<title>2</title><script>{drawn}</script>"}
    await opened(pages, "/1")
    result = await page.result("extract", limit=100, selector=".card", value="name: h3")
    assert [row["name"] for row in result.data["rows"]] == [f"Lamp {n}" for n in range(1, 21)]


async def test_what_was_read_stays_where_a_later_page_has_no_rows(page, opened):
    site = await opened({"/1": listing(1, 2, LINKS["words"]), "/2": "<h1>That was all"}, "/1")
    result = await page.result("extract", limit=100, output="found.jsonl")
    assert result.data["total"] == 10
    assert f"[1 page, the next page has no rows; now at {site}/2]" in result.text
    assert "10 rows (at li.card) in " in result.text


async def test_no_more_than_twenty_pages_are_opened(page, opened):
    pages = {f"/{n}": listing(n, 99, LINKS["words"]) for n in range(1, 30)}
    await opened(pages, "/1")
    result = await page.result("extract", limit=1_000, timeout=120)
    assert result.data["total"] == 200
    assert "20 pages, further pages were not opened" in result.text


async def test_a_row_of_a_later_page_that_does_not_fit_is_named(page, opened):
    pages = {f"/{n}": listing(n, 2, LINKS["words"]) for n in (1, 2)}
    pages["/2"] = pages["/2"].replace("14 €", "sold")
    await opened(pages, "/1")
    fields = {"value": "price: .price", "schema": {"properties": {"price": {"type": "number"}}}}
    with pytest.raises(ActionError, match=r"Row 14: price: 'sold' is not of type 'number'"):
        await page.result("extract", limit=20, output="rows.csv", **fields)


async def test_a_page_without_records_names_what_there_is(page, opened):
    await opened(f"<ol>{items(1, 9)}</ol>")
    with pytest.raises(
        ActionError, match=r"Nothing is at '\.rows'\. There is: li\.card \(9"
    ) as raised:
        await page.result("extract", selector=".rows")
    assert raised.value.code == "no_records"

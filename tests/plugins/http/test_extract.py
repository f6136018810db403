"""`http.extract`: rows out of a page, by rules or by what it repeats."""

import asyncio
import csv
import io
import json
import re

import pytest

from strap import ActionError, JobFault, RowFields, UsageError, Workers, count_tokens, read_rows
from strap.rows.fitting import number_in
from tests.plugins.http.rows import NAV, card, extracted, rows_of
from tests.site.server import Reply, serve

pytestmark = pytest.mark.anyio


@pytest.fixture
def web(shared_web):
    return shared_web


def shop(count):
    cards = "".join(map(card, range(1, count + 1)))
    return f"<html><head><title>Shop</title></head><body>{NAV}<ol>{cards}</ol><footer>©</footer>"


def story(number):
    return f"""<tr class="athing"><td class="title"><span class="rank">{number}.</span></td>
    <td class="title"><a class="story" href="https://s.example/{number}">Story number {number}</a>
    </td></tr><tr><td></td><td class="subtext"><span class="score">{number} points</span> by
    <a class="user" href="user?id=u{number}">u{number}</a> | <a href="hide">hide</a></td></tr>
    <tr class="spacer"></tr>"""


async def refused(web, page, kind=ActionError, **fields):
    with serve({"/": page}) as site, pytest.raises(kind) as raised:
        await extracted(web, site, **fields)
    return raised.value


async def test_cards_come_as_rows_without_a_rule(web):
    with serve({"/shop": shop(20)}) as site:
        result = await extracted(web, site, "/shop")
    first, *_ = result.data["rows"]
    assert first == {
        "url": f"{site}/item/1.html",
        "image": f"{site}/i/1.jpg",
        "stars": "Two",
        "title": "The 1th lamp of the row",
        "price_color": "€1,50",
        "stock": "In stock",
    }
    assert len(result.data["rows"]) == result.data["total"] == 20
    assert result.text.startswith(
        "20 rows (at li.col-6): url, image, stars, title, price_color, st"
    )
    assert "Travel" not in result.text


async def test_rules_say_what_a_row_has(web):
    rules = "name: h3 a@title\nprice: .price_color\nurl: a@href\nkind: @class\ngone: .sale"
    page = shop(3).replace('class="price_color">€2,50', 'class="sale">now €2,00')
    with serve({"/": page}) as site:
        result = await extracted(web, site, selector="article", value=rules)
    name, url = "The 2th lamp of the row", f"{site}/item/2.html"
    assert result.data["rows"][1] == {
        "name": name,
        "url": url,
        "kind": "product",
        "gone": "now €2,00",
    }
    assert f"\n{name},,{url},product,now €2" not in result.text  # a comma is quoted
    assert f'\n{name},,{url},product,"now €2,00"' in result.text


async def test_rules_alone_find_their_records(web):
    rows = await rows_of(web, shop(5), value={"price": ".price_color"})
    assert [row["price"] for row in rows] == [f"€{number},50" for number in range(1, 6)]


async def test_rules_on_a_page_of_one_thing_give_one_row(web):
    page = f"{NAV}<h1>Lamp</h1><p class=price>12 €</p>"
    assert await rows_of(web, page, value="name: h1; price: .price") == [
        {"name": "Lamp", "price": "12 €"}
    ]


async def test_the_rows_of_a_table_are_under_its_headers(web):
    lines = "".join(
        f"<tr><td><a href=/c/{n}>City {n}</a><td>{n},000<td>{n} km" for n in range(1, 9)
    )
    page = (
        "<table role=presentation><tr><td>Menu<tr><td>Search</table>"
        f"<table><thead><tr><th>City<th>People<th>From here</thead>{lines}"
        "<tr><td rowspan=2>Twin<td>1<td>2<tr><td colspan=2>3</table>"
    )
    rows = await rows_of(web, page)
    assert [row["city"] for row in rows[:2]] == ["City 1", "City 2"]
    assert rows[0]["city_url"].endswith("/c/1")
    assert rows[0]["from_here"] == "1 km"
    assert rows[-1] == {"city": "Twin", "people": "3", "from_here": "3"}


async def test_records_of_several_rows_are_one_row(web):
    page = f"<table><tr><td><table>{''.join(map(story, range(1, 31)))}</table></table>"
    rows = await rows_of(web, page)
    assert len(rows) == 30
    assert rows[4]["url"] == "https://s.example/5"
    assert [rows[4][name] for name in ("rank", "story", "score", "user")] == [
        "5.",
        "Story number 5",
        "5 points",
        "u5",
    ]


def striped(number, outer, inner):
    return f"""<li class="{outer}"><div class="{inner}">
    <h3><a href="/p/{number}">Lamp number {number}</a></h3>
    <p class="price">{number}.00 €</p><span class="colour">red or {number}</span></div></li>"""


@pytest.mark.parametrize(
    ("outer", "inner"),
    [
        (("odd", "even"), ("in",)),
        (("item",), ("row-odd", "row-even")),
        (("item",), ("rating0", "rating0", "rating5")),
        (("item rowOdd", "item rowAlt"), ("in",)),
    ],
)
async def test_classes_that_turn_do_not_part_columns(web, outer, inner):
    items = [striped(n, outer[n % len(outer)], inner[n % len(inner)]) for n in range(1, 10)]
    rows = await rows_of(web, f"<ul>{''.join(items)}</ul>")
    names = ["url", "title", "price", "colour"]
    assert [list(row) for row in rows] == [names] * 9


async def test_classes_of_one_record_part_its_columns(web):
    items = "".join(
        f"<li><a href=/p/{n}>Team {n}</a> <b class=goal1>{n}</b><b class=goal2>{n + 1}</b></li>"
        if n % 3
        else f"<li><a href=/p/{n}>Team {n}</a> <b class=goal2>{n + 1}</b></li>"
        for n in range(1, 10)
    )
    rows = await rows_of(web, f"<ul>{items}</ul>")
    assert len({tuple(row) for row in rows}) == 2
    assert all(row[list(row)[-1]] == str(n) for n, row in enumerate(rows, 2))
    assert len(rows[0]) - len(rows[2]) == 1


async def test_striped_rows_of_one_column_are_rows_each(web):
    menu = "".join(f"<li class=menu-item><a href=/m/{n}>Faculty {n}</a>" for n in range(9))
    lines = "".join(
        f"<tr class=row{n % 2}><td><a href=/n/{n}>What happened on day {n}</a>" for n in range(9)
    )
    rows = await rows_of(web, f"<ul>{menu}</ul><table><tr><th>Title</th></tr>{lines}</table>")
    assert [row["title"] for row in rows] == [f"What happened on day {n}" for n in range(9)]


async def test_the_last_of_very_many_rows_are_read_as_the_first_are(web):
    """The first rows alone show which words, here "by" and "on", all rows share."""
    items = "".join(
        f"<li><h3>Post {n}</h3><p>by <a href=/u/{n}>user {n}</a> on <i>day {n}</i></p></li>"
        for n in range(1_500)
    )
    with serve({"/": f"<ul>{items}</ul>"}) as site:
        answers = [await extracted(web, site, start=at, max_tokens=200) for at in (0, 1_499)]
    first, last = (answer.data["rows"][0] for answer in answers)
    assert list(first) == list(last)
    assert {"Post 1499", "user 1499", "day 1499"} <= set(last.values())


async def test_what_opens_on_a_click_is_no_list_beside_one(web):
    """Long answers below a shop's offers; where there is nothing else, they are."""
    answer = "It is sent on the next day, in a box of its own, and may be returned. " * 4
    asked = "".join(
        f"<details><summary>Question {n}</summary><div class=answer><p>{n}: {answer}<a href=/q/{n}>"
        f"More</a></div></details>"
        for n in range(6)
    )
    offers = "".join(map(card, range(1, 9)))
    rows = await rows_of(web, f"<ol>{offers}</ol><section>{asked}</section>")
    assert len(rows) == 8
    assert len(await rows_of(web, f"<section>{asked}</section>")) == 6
    opened = f"<ol>{offers}</ol><section>{asked.replace('<details>', '<details open>')}</section>"
    assert len(await rows_of(web, opened)) == 6


async def test_a_record_that_has_nothing_of_the_columns_is_no_row(web):
    items = "".join(
        f"<div class=item><div class=front><img src=/i/{n}.jpg></div>"
        f"<h3 class=product>Lamp number {n}</h3><b class=price>{n}.00 €</b></div>"
        for n in range(1, 6)
    )
    sorter = "<div><div class=order><img src=/up.png></div><p>Sorted by price, then by name</div>"
    rows = await rows_of(web, f"<section>{sorter}{items}</section>")
    assert [row["product"] for row in rows] == [f"Lamp number {n}" for n in range(1, 6)]


async def test_labels_are_names(web):
    items = "".join(
        f"<div class='x{n} p-4'><b>Thing {n}</b><dl><dt>Colour:<dd>c{n}<dt>Size:<dd>{n} cm</dl>"
        f"<p>Made in: Land {n}</div>"
        for n in range(9)
    )
    rows = await rows_of(web, items)
    assert rows[3] == {"text": "Thing 3", "colour": "c3", "size": "3 cm", "made_in": "Land 3"}


async def test_of_several_classes_the_first_one_is_told(web):
    """The same page, the same answer: a set has another order in each process."""
    some = "".join(
        f'<div class="a b c d e f"><b>{n}</b> <i>text {n}</i> <u>more of it</u></div>'
        for n in range(9)
    )
    with serve({"/": f"<main>{some}<div>one</div><div>two</div></main>"}) as site:
        assert (await extracted(web, site)).data["selector"] == "div.a"


async def test_a_schema_makes_numbers_of_texts(web):
    schema = {"type": "object", "properties": {"price": {"type": "number"}}, "required": ["price"]}
    rows = await rows_of(web, shop(3), value="price: .price_color", schema=json.dumps(schema))
    assert rows == [{"price": 1.5}, {"price": 2.5}, {"price": 3.5}]


async def test_a_row_that_does_not_fit_is_named(web):
    page = shop(3).replace("€2,50", "on request")
    schema = json.dumps({"properties": {"price": {"type": "number"}}})
    fields = {"value": "price: .price_color", "schema": schema, "output": "rows.csv"}
    error = await refused(web, page, **fields)
    assert error.code == "schema"
    assert str(error).startswith("Row 2: price: 'on request' is not of type 'number'.")
    error = await refused(web, page, schema=json.dumps({"required": ["isbn"]}))
    assert "Row 1: the row: 'isbn' is a required property" in str(error)


async def test_a_schema_whose_fields_are_not_there_says_what_is(own_web, tmp_path):
    schema = json.dumps({"properties": {"isbn": {"type": "string"}, "pages": {"type": "integer"}}})
    error = await refused(own_web, shop(3), schema=schema, output="rows.csv")
    assert error.code == "no_records"
    assert str(error).startswith("No column is a field of the schema ('isbn', 'pages'). There is: ")
    assert "; title; " in str(error)
    assert not list(tmp_path.rglob("rows.csv"))


async def test_rules_hold_where_a_schema_does_not_name_their_field(web):
    """Fields that the caller named stay, unless the schema forbids them."""
    rules = "cost: .price_color"
    open_ = {"properties": {"isbn": {"type": "string"}}}
    assert (await rows_of(web, shop(2), value=rules, schema=json.dumps(open_)))[0] == {
        "cost": "€1,50"
    }
    closed = json.dumps(open_ | {"additionalProperties": False})
    error = await refused(web, shop(2), value=rules, schema=closed)
    assert error.code == "schema"
    assert "'cost'" in str(error)


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("$1,234.50", 1234.5),
        ("1.234,50 €", 1234.5),
        ("12,5", 12.5),
        ("1,234", 1234),
        ("1.234.567", 1_234_567),
        ("1.5", 1.5),
        ("1 234 567 kr", 1_234_567),
        ("CHF 1'234.-", 1234),
        ("-3", -3),
        ("\u22123 °C", -3),
        ("4.5 out of 5", None),
        ("none", None),
        ("1.2.3", None),
    ],
)
def test_numbers_as_people_write_them(text, number):
    assert number_in(text) == number


async def test_a_selector_that_finds_nothing_names_what_there_is(web):
    error = await refused(web, shop(20), selector=".products")
    assert error.code == "no_records"
    assert "Nothing is at '.products'. There is: li.col-6 (20, as 'The 1th" in str(error)


async def test_a_rule_that_matches_nothing_names_what_there_is(web):
    error = await refused(web, shop(20), selector="article", value="price: .cost\nname: h3")
    assert error.code == "no_records"
    assert "The rule for 'price' matches nothing in 20 records: .cost. There is: " in str(error)
    error = await refused(web, shop(20), value="price: .cost")
    assert "The rules match nothing" in str(error)


async def test_the_rules_that_an_error_names_are_taken(web):
    listed = "".join(
        f"<li class=card><h3 class=title>Tea {n}</h3><b class=cost>{n}.50</b>"
        f"<a href=/t/{n}>More</a>"
        for n in range(1, 9)
    )
    page = f"<ul>{listed}</ul>"
    error = await refused(web, page, selector=".card", value="name: h3\ncost: .price")
    assert (
        "There is: cost: b.cost (as '1.50'); title: h3.title (as 'Tea 1'); url: a@href (as 'http"
        in str(error)
    )
    with serve({"/": page}) as site:
        found = await extracted(web, site, selector=".card", value="cost: b.cost\nurl: a@href")
    assert found.data["rows"][7]["cost"] == "8.50"
    assert found.data["rows"][7]["url"].endswith("/t/8")


async def test_each_rule_that_an_error_names_finds_what_it_says(web):
    listed = "".join(
        f"<div class=card><span>Tea pot {n}</span><span>{n}.50 Euro</span><p><i>Made in May</i></p>"
        f"<a href=/buy/{n}>Buy</a><a href=/t/{n}>Tea pot {n} in full</a></div>"
        for n in range(8)
    )
    page = f"<main>{listed}</main>"
    error = await refused(web, page, selector="div.card", value="cost: .cost")
    told = re.findall(r"(\w+): (\S+) \(as '([^']*)'\)", str(error))
    assert "0.50 Euro" in [value for _, _, value in told]
    rules = "\n".join(f"{name}: {rule}" for name, rule, _ in told)
    with serve({"/": page}) as site:
        found = await extracted(web, site, selector="div.card", value=rules)
    first = found.data["rows"][0]
    assert {name: first[name] for name, _, _ in told} == {name: value for name, _, value in told}


@pytest.mark.parametrize("page", ["<p>Nothing here.", "<ul><li>Same<li>Same<li>Same</ul>", NAV])
async def test_a_page_without_records_says_so(web, page):
    assert (await refused(web, page)).code == "no_records"


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"selector": "li[["}, "selector='li[[' has 'li[[', which is not a valid CSS selector"),
        ({"value": "price .price"}, "has a line without a name: 'price .price'"),
        ({"value": "a: b\na: c"}, "names 'a' twice"),
        ({"value": "a: p >"}, "which is not a valid CSS selector"),
        ({"schema": "{"}, "is not valid JSON"),
        ({"schema": '{"type": "text"}'}, "is not a valid JSON Schema"),
        ({"schema": '{"$ref": "https://elsewhere.example/s"}'}, "Only references within it"),
        ({"start": 99}, "start=99 is past the end: there are 3 rows"),
        ({"output": "rows.txt"}, "neither .csv nor .jsonl"),
        ({"output": "../rows.csv"}, "as in output='rows.csv'."),
        ({"output": ".."}, "outside the folder"),
        ({"output": "~/rows.csv"}, "outside the folder"),
        ({"output": "~ada/rows.csv"}, "outside the folder"),
        ({"output": "rows.csv", "start": 1}, "it goes not with start"),
    ],
)
async def test_bad_fields_are_refused(web, fields, said):
    assert said in str(await refused(web, shop(3), UsageError, **fields))


async def test_two_thousand_rows_go_into_a_file(web):
    with serve({"/": shop(2_000)}) as site:
        result = await extracted(web, site, output="lamps/rows.csv", timeout=90)
    with open(result.data["path"], newline="") as file:  # noqa: ASYNC230, PTH123 - a test
        written = list(csv.DictReader(file))
    assert len(written) == 2_000
    assert written[1_999]["title"] == "The 2000th lamp of the row"
    assert count_tokens(result.text) <= 300
    assert result.text.endswith("… 1,997 more rows in the file")
    assert len(result.data["rows"]) == 3


async def test_json_lines_keep_types_and_gaps(web):
    page = shop(3).replace("€2,50", "")
    schema = json.dumps({"properties": {"price": {"type": ["number", "null"]}}})
    with serve({"/": page.replace('<p class="price_color"></p>', "")}) as site:
        fields = {"value": "price: .price_color\nname: h3 a@title", "schema": schema}
        result = await extracted(web, site, output="rows.jsonl", selector="article", **fields)
    with open(result.data["path"]) as file:  # noqa: ASYNC230, PTH123 - a test
        lines = [json.loads(line) for line in file]
    assert [line["price"] for line in lines] == [1.5, None, 3.5]


async def test_a_file_that_exists_is_kept_and_nothing_is_asked_for(own_web):
    asked = []

    def page(request):
        asked.append(request)
        return Reply(body=shop(3))

    with serve({"/": page}) as site:
        await extracted(own_web, site, output="rows.csv")
        with pytest.raises(ActionError, match="exists already") as raised:
            await extracted(own_web, site, output="rows.csv")
    assert raised.value.code == "output"
    assert len(asked) == 1


async def test_a_failed_call_writes_nothing(own_web):
    with serve({"/": shop(3)}) as site:
        with pytest.raises(ActionError):
            await extracted(own_web, site, selector=".none", output="rows.csv")
        result = await extracted(own_web, site, output="rows.csv")
    assert "3 rows (at li.col-6) in " in result.text


async def test_further_rows_come_from_what_was_read(web):
    asked = []

    def page(request):
        asked.append(request)
        return Reply(body=shop(200))

    with serve({"/": page}) as site:
        first = await extracted(web, site, max_tokens=800)
        start = first.data["next_start"]
        assert first.text.endswith(f"… {200 - start} more rows (start={start})")
        second = await extracted(web, site, max_tokens=800, start=start, limit=2)
    assert second.data["rows"][0]["title"] == f"The {start + 1}th lamp of the row"
    assert len(second.data["rows"]) == 2
    assert second.data["next_start"] == start + 2
    assert len(asked) == 1


async def test_what_is_no_page_says_so(web):
    reply = Reply(headers={"Content-Type": "application/json"}, body="[]")
    with (
        serve({"/": reply}) as site,
        pytest.raises(ActionError, match="application/json") as raised,
    ):
        await extracted(web, site)
    assert raised.value.code == "no_records"


async def test_the_status_of_an_error_is_told(web):
    for body in ("<h1>Busy</h1>", ""):
        assert "HTTP status 503" in str(await refused(web, Reply(status=503, body=body)))
    with serve({"/": Reply(status=404, body=shop(3))}) as site:
        assert "[HTTP status 404]" in (await extracted(web, site)).text


@pytest.mark.parametrize(
    ("page", "fields"),
    [
        ("<div>" * 100_000, {}),
        ("<ul>" + "<li><b>a</b> <i>b</i>" * 150_000, {}),
        ("<li " + " ".join(f"a{n}=1" for n in range(50_000)) + ">x</li>" * 3, {}),
        ("<p>" + "a" * 40 + "!</p>" * 2, {"schema": '{"properties":{"t":{"pattern":"^(a+)+$"}}}'}),
        ("<div>x" * 3_000, {"selector": "*", "value": "a: *\nb: * * * * * *"}),
    ],
    ids=["deep", "many", "attributes", "pattern", "selector"],
)
async def test_a_hostile_page_or_schema_ends_and_keeps_nobody_off(web, page, fields):
    if "pattern" in str(fields):
        fields = {**fields, "value": "t: p"}
    with serve({"/": page, "/other": shop(3)}) as site:
        slow = asyncio.create_task(extracted(web, site, **fields, timeout=60))
        async with asyncio.timeout(90):
            assert (await extracted(web, site, "/other")).data["total"] == 3
            (ended,) = await asyncio.gather(slow, return_exceptions=True)
    assert getattr(ended, "code", "rows") in ("too_long", "no_records", "rows")


def test_a_cell_of_signs_is_read_back_as_it_is():
    from strap.rows.files import as_csv

    row = {"a": 'say "so", =1+1', "b": "line\nbreak", "c": True, "d": None}
    (read,) = csv.DictReader(io.StringIO(as_csv(list(row), [row]), newline=""))
    assert read == {"a": 'say "so", =1+1', "b": "line\nbreak", "c": "true", "d": ""}


@pytest.mark.parametrize(("count", "read"), [(20_000, 20_000), (20_001, 20_000)])
async def test_rows_beyond_the_most_are_told(web, count, read):
    page = "<ul>" + "".join(f"<li><b>{n}</b> <i>x</i>" for n in range(count))
    with serve({"/": page}) as site:
        result = await extracted(web, site, selector="li", value="n: b", max_tokens=300)
    assert result.data["total"] == read
    assert ("[The page has more than is read.]" in result.text) is (count > read)


async def test_a_page_that_is_cut_is_told_with_rows_and_without(web):
    page = (
        "<ul>" + "".join(f"<li><b>{n}</b> <i>x</i>" for n in range(9)) + "</ul>" + "y" * 3_000_000
    )
    with serve({"/": page + "<p class=late>z"}) as site:
        result = await extracted(web, site, selector="li", value="n: b")
        assert "[The page has more than is read.]" in result.text
        with pytest.raises(ActionError, match=r"Nothing is at '\.late'\. The page has more than"):
            await extracted(web, site, selector=".late")


async def test_a_fault_of_the_reading_itself_is_no_lack_of_time():
    workers = Workers(1)
    try:
        with pytest.raises(JobFault, match="TypeError"):
            await read_rows("<p>a", "http://a.example", RowFields(), workers, function="json:dumps")
        found = await read_rows(shop(3), "http://a.example", RowFields(), workers)
        assert len(found.rows) == 3
    finally:
        await workers.aclose()

"""`http.extract`: which elements of a page are its rows."""

import json

import pytest

from strap import ActionError
from tests.plugins.http.rows import extracted, rows_of
from tests.site.server import serve

pytestmark = pytest.mark.anyio


async def test_cells_of_two_kinds_in_each_row_are_no_rows(web):
    """The widest cells of a forum's index say most of what its rows do."""
    lines = "".join(
        f"<tr class={('odd', 'even')[n % 2]}><td class='name wide'><a href=/f/{n}>Forum number {n}"
        f"</a><td class=count>{n}<td class='latest wide'>{n} hours ago by <a href=/u/{n}>user {n}"
        f"</a> in <a href=/t/{n}>A thread with a long title, number {n}</a>"
        for n in range(9)
    )
    heads = "<tr><th class=wide>Section<th>Threads<th class=wide>Latest"
    rows = await rows_of(web, f"<table>{heads}{lines}</table>")
    assert len(rows) == 9
    assert (rows[3]["section"], rows[3]["threads"]) == ("Forum number 3", "3")


@pytest.mark.parametrize("rules", [None, "text: b"])
async def test_what_a_selector_of_the_caller_finds_is_a_row_each(web, rules):
    items = "".join(f"<li>{f'<b>v{n}</b>' if n % 2 else ''}</li>" for n in range(8))
    rows = await rows_of(web, f"<ul>{items}</ul>", selector="li", value=rules)
    assert rows == [{"text": f"v{n}"} if n % 2 else {} for n in range(8)]


async def test_a_row_that_does_not_fit_has_the_number_that_the_page_has(web):
    items = "".join(f"<li>{f'<b>{n}</b>' if n else ''}</li>" for n in range(3))
    schema = json.dumps({"required": ["text"]})
    with serve({"/": f"<ul>{items}</ul>"}) as site, pytest.raises(ActionError, match=r"^Row 1: "):
        await extracted(web, site, selector="li", schema=schema)


async def test_rows_in_hundreds_of_elements_are_found(web):
    items = "".join(f"<li><b>Lamp {n}</b> <i>{n}.50</i></li>" for n in range(8))
    rows = await rows_of(web, f"{'<div>' * 400}<ul>{items}</ul>{'</div>' * 400}")
    assert len(rows) == 8


async def test_titles_of_groups_name_no_columns_of_a_table(web):
    lines = "".join(
        f"<tr><th colspan=2>Group {n}</tr><tr><td>Lamp {n}<td>{n}.50</tr><tr><td>Bulb {n}<td>{n}"
        for n in range(4)
    )
    head = "<tr><th colspan=2>All that there is</tr><tr><th>Name<th>Price</tr>"
    rows = await rows_of(web, f"<table>{head}{lines}</table>")
    assert rows[:2] == [{"name": "Lamp 0", "price": "0.50"}, {"name": "Bulb 0", "price": "0"}]
    assert len(rows) == 8

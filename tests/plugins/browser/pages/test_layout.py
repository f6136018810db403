"""The layout of a page in words."""

import re

import pytest

from strap import count_tokens

pytestmark = pytest.mark.anyio

PAGE = """<!doctype html><html lang=en><title>Desk</title>
<style>body { margin: 0; font: 16px serif }
.rows { display: flex; height: 600px } nav { width: 200px; background: #003366 }
nav a { display: block; color: #ffffff; background: #003366 } main { flex: 1 }
button { height: 30px }</style>
<header><button>Menu</button></header>
<div class=rows><nav aria-label=Side><a href=/1>Home</a><a href=/2>Orders</a></nav>
<main><button style="color:#999;background:#fff">Pale</button>
<button style="width:60px;overflow:hidden;white-space:nowrap">A name that does not fit</button>
<div style="position:relative;height:60px">
<button style="position:absolute;left:0;top:0;width:100px">Under</button>
<button style="position:absolute;left:60px;top:10px;width:100px">Over</button></div>
<div style="position:relative"><button style="width:100px">Hidden</button>
<p style="position:absolute;inset:0;margin:0;background:#eee">Veil</p></div></main></div>"""


@pytest.fixture
async def told(page, serve_site):
    await page("navigate", url=serve_site({"/": PAGE}))
    return await page("snapshot", value="layout")


async def test_areas_columns_and_order(told):
    assert "Viewport 1280 x 720 px at 0 of" in told
    assert 'header x 0-1280 y 0-30; nav "Side" x 0-200 y 30-630; main x 200-1280' in told
    assert "Columns y 30-630: nav x 0-200; main x 200-1280\n" in told
    rows = re.findall(r"^y .*", told, re.MULTILINE)
    assert re.match(r'y 0-30: button "Menu" e\d+ 0-\d+$', rows[0])
    assert told.index('link "Home"') < told.index('link "Orders"')


async def test_what_is_wrong(told):
    ref = dict(re.findall(r'"([^"]+)" (e\d+) -?\d+-\d+', told))
    assert re.search(rf"^Low contrast: {ref['Pale']} 2\.8\d*:1, #999 on #fff$", told, re.MULTILINE)
    cut = ref["A name that does not fit"]
    assert re.search(rf"^Cut off: {cut} \d+ px of its text$", told, re.MULTILINE)
    both = f"({ref['Under']}|{ref['Over']})"
    assert re.search(rf"^Overlap: {both} and {both} \d+%$", told, re.MULTILINE)
    assert f'Covered: {ref["Hidden"]} by <p> "Veil"\n' in told
    assert re.search(r"#fff on #036 12\.\d e\d+ e\d+", told)
    assert "Menu" not in re.sub(r"(?m)^y .*", "", told)


async def test_it_is_short_on_a_large_page(page, serve_site):
    many = "".join(f"<button>Button number {n}</button>" for n in range(3_000))
    await page("navigate", url=serve_site({"/": f"<!doctype html><title>A</title>{many}"}))
    told = await page("snapshot", value="layout")
    assert count_tokens(told) <= 1_000
    assert re.search(r"… \d+ rows more below", told)


async def test_right_to_left_and_what_does_not_go_together(page, serve_site):
    await page("navigate", url=serve_site({"/": "<!doctype html><html dir=rtl><button>A</button>"}))
    told = await page("snapshot", value="layout")
    assert "right to left" in told
    assert int(re.search(r'"A" e\d+ (\d+)-', told)[1]) > 1_000
    assert "leave ref, text and start out" in str(
        await page.fails("snapshot", value="layout", text="A")
    )

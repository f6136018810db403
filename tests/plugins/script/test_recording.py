"""Calls come out as a script, which does the same again in a fresh browser."""

import json

import pytest

from strap.scripts.script import read_script
from tests.site.server import serve

from .conftest import buy

pytestmark = pytest.mark.anyio
WRITTEN = """\
#param base_url={base}
#param e_mail="ada@example.org"
#param password
#param note="ring twice"
navigate url={{base_url}}/login
fill ref='textbox "E-mail"' value={{e_mail}}
fill ref='textbox "Password"' value={{password}}
click ref='button "Sign in"'
wait url=/home text=Welcome request='POST /login'
click ref='button "Add" in row "Rake"'
wait text='In the basket: Rake'
fill ref='textbox "Note"' value={{note}}
select ref='combobox "Size"' value=Large
click ref='button "Order"'
wait text='Thank you, it is on its way.' request='POST /api/orders'
"""


async def test_calls_come_out_as_a_script(page, site):
    await buy(page, site)
    text = await page("script")
    head, _, rest = text.partition("\n#param")
    assert head.startswith("# strap script 1\n# recorded 2")
    assert "#param" + rest + "\n" == WRITTEN.format(base=json.dumps(str(site)))
    assert str(read_script(text).lines[4]) == text.splitlines()[10]


WIDGET = """<!doctype html><meta charset=utf-8><title>Form</title><main id=m><h1>Form</h1>
<button onclick="p.hidden = false">Open</button></main>
<div id=p hidden><span class=widget-prev onclick="0"><svg width=9 height=9></svg></span>
<b>March</b></div>
<button onclick="m.ariaHidden = 'true'; d.showModal()">Send</button>
<dialog id=d><h2>Sure?</h2><button onclick="d.close(); m.ariaHidden = null;
 said.textContent = 'It is sent.'">Yes</button></dialog><p role=status id=said></p>"""


async def test_what_came_is_what_the_page_says_of_it(page):
    """Neither what strap calls an icon, nor a heading that is only there again."""
    with serve({"/": WIDGET}) as site:
        await page("navigate", url=str(site))
        for name in ("Open", "Send", "Yes"):
            await page("click", ref=f'button "{name}"')
        text = await page("script")
    told = [line for line in text.splitlines() if line.startswith("wait")]
    assert told == ["wait text=March", "wait text=Sure?", "wait text='It is sent.'"]


async def test_the_script_does_the_same_again(page, site, play, tmp_path):
    await buy(page, site)
    answer = await page("script", output="buy.strap")
    assert "buy.strap" in answer
    del site.requests[:]
    path = tmp_path / "files" / "buy.strap"
    done = await play(path, password="correct horse")
    assert (done.returncode, done.stderr) == (0, "")
    assert "11 calls" in done.stdout
    posted = [r.body.decode() for r in site.requests if r.method == "POST"]
    assert posted == ["mail=ada%40example.org&secret=correct+horse", '{"note":"ring twice"}']
    told = json.loads(path.with_name("buy.strap.json").read_text("utf-8"))
    order = next(each for each in told["calls"] if '"Order"' in each["line"])
    assert order["ref"]["marks"] == {"id": "order", "testid": "order"}
    assert order["came"]["requests"] == ["POST /api/orders"]


async def test_a_batch_plays_scripts(page, site, tmp_path):
    (tmp_path / "files").mkdir(exist_ok=True)
    file = tmp_path / "files" / "add.strap"
    lines = [
        f'#param base_url="{site}"',
        '#param tool="Rake"',
        "navigate url={base_url}/home",
        'click ref=\'button "Add" in row "{tool}"\'',
        "wait text='In the basket: {tool}'",
    ]
    file.write_text("\n".join(lines), "utf-8")
    told = await page("batch", paths=["add.strap"])
    assert "3. " in told
    assert "In the basket: Rake" in told
    file.write_text(file.read_text().replace('tool="Rake"', 'tool="Hoe"'), "utf-8")
    told = await page("batch", paths=["add.strap"])
    assert 'Failed: No element is button "Add" in row "Hoe"' in told
    file.write_text(file.read_text().replace('tool="Hoe"', "tool"), "utf-8")
    assert "{tool} has no value" in str(await page.fails("batch", paths=["add.strap"]))
    file.write_text("batch steps=1", "utf-8")
    assert "There is no batch in a script" in str(await page.fails("batch", paths=["add.strap"]))
    for given in ({}, {"paths": ["add.strap"], "steps": ["text"]}):
        assert "paths" in str(await page.fails("batch", **given))
    assert "/etc/passwd" in str(await page.fails("batch", paths=["/etc/passwd"]))


async def test_what_cannot_be_written_is_told(page, site, tmp_path):
    assert (await page.fails("script")).code == "nothing_recorded"
    await buy(page, site)
    error = await page.fails("script", max_tokens=60)
    assert error.code == "too_long"
    assert "of 11 calls" in str(error)
    (tmp_path / "files").mkdir(exist_ok=True)
    for name in ("buy.strap", "buy.strap.json"):
        (tmp_path / "files" / name).write_text("mine")
        assert "exists already" in str(await page.fails("script", output="buy.strap"))
        assert [each.name for each in (tmp_path / "files").iterdir()] == [name]
        (tmp_path / "files" / name).unlink()

"""Batches: checked before they run, up to the first failure, by all rules of single calls."""

import asyncio
import json

import pytest

from strap import hookimpl, testing
from tests.support.browser import SETTINGS

from .conftest import ref_in

pytestmark = pytest.mark.anyio


@pytest.fixture
def page(one_page):
    return one_page


async def test_form(page):
    answer = await page(
        "batch",
        steps=[
            f"navigate url={page.site}/form.html",
            "fill selector='[name=name]' value='Ada Lovelace'",
            "browser click selector='form button >> nth=0'",
            "evaluate text='document.forms[0].name.value'",
        ],
    )
    parts = answer.split("\n")
    assert parts[0] == f'1. Now at "Sign up" {page.site}/form.html'
    assert "2. Filled '[name=name]'." in parts
    assert "3. Clicked 'form button >> nth=0'." in parts
    assert "+ status: Submitted Ada Lovelace" in parts
    assert parts[-1] == '4. "Ada Lovelace"'


@pytest.mark.parametrize("written", [dict, json.dumps])
async def test_a_step_may_be_an_object(page, written):
    steps = [
        written({"action": "navigate", "url": f"{page.site}/form.html"}),
        written({"action": "fill", "selector": "[name=name]", "value": "Ada 'L.'"}),
        written(
            {"resource": "browser", "action": "evaluate", "text": "document.forms[0][0].value"}
        ),
    ]
    assert (await page("batch", steps=steps)).endswith("""3. "Ada 'L.'\"""")


@pytest.mark.parametrize(
    ("step", "told"),
    [
        ('{"action": "click"', "is not a JSON object"),
        ({"ref": "e1"}, "No action given"),
        ({"action": "clack"}, "Unknown action: 'clack'"),
        ({"action": "batch", "steps": ["click"]}, "There is no batch in a batch"),
        (["click"], "'steps.0' must be a string"),
    ],
)
async def test_an_object_that_is_no_call(page, step, told):
    error = await page.fails("batch", steps=[step])
    assert told in str(error)


async def test_refs_and_other_resources(page):
    ref = ref_in(await page.open("form.html"), 'button "Count"')
    answer = await page(
        "batch", steps=[f"click ref={ref}", f"http fetch url={page.site}/data.json", "snapshot"]
    )
    assert "~ text: Clicked 1" in answer
    assert '"a": 1' in answer
    assert 'button "Count"' in answer.rsplit("3. ", 1)[1]


async def test_first_failure_ends_it(page):
    await page.open("form.html")
    result = await page.result(
        "batch",
        steps=[
            "click selector=#counter",
            "click selector=#none",
            "click selector=#counter",
            "text",
        ],
    )
    assert result.is_error
    assert "2. Failed: No element matches '#none'. Look with snapshot." in result.text
    assert "Not run: 2 steps after it." in result.text
    assert f'The page now: "Sign up" {page.site}/form.html' in result.text
    assert result.data == {"done": 1, "of": 4}
    assert "Clicked 1" in await page("snapshot", text="Clicked")


async def test_dialog_ends_it_unless_it_is_answered(page):
    await page.open("dialogs.html")
    result = await page.result("batch", steps=["click selector=#confirm", "snapshot"])
    assert result.is_error
    assert "2. Failed: A confirm dialog blocks the page" in result.text
    answer = await page("batch", steps=["dialog", "click selector=#confirm", "dialog", "snapshot"])
    assert "Answer true" in answer


@pytest.mark.parametrize(
    ("step", "words"),
    [
        ("clik ref=e1", "step 2: Unknown action: 'clik' for resource 'browser'"),
        ("click reff=e1", "step 2: browser.click: unknown field 'reff'"),
        ("fill selector=#a", "step 2: browser.fill: 'value' is missing"),
        ("click ref=e1 selector=h1", "step 2: Give ref or selector, not both."),
        ("batch steps=back", "step 2: There is no batch in a batch."),
        ("eval url=x task=y", "step 2: There is no eval in a batch."),
        ("click ref='e1", "cannot be split into words"),
        ("please click the button", "is not"),
        ("", "step 2: A call is written as"),
    ],
)
async def test_nothing_is_run_where_a_step_is_wrong(page, step, words):
    await page.open("form.html")
    error = await page.fails("batch", steps=["click selector=#counter", step])
    assert str(error).startswith("Nothing was run. ")
    assert words in str(error)
    assert "Clicked 0" in await page("snapshot", text="Clicked")


async def test_bad_input(page):
    assert "'steps' is missing" in str(await page.fails("batch"))
    assert "'steps'" in str(await page.fails("batch", steps=[]))
    assert "'steps'" in str(await page.fails("batch", steps=["back"] * 51))
    many = await page.fails("batch", steps=["x"] * 9)
    assert "And 4 more." in str(many)


async def test_answer_is_bounded(page, o200k):
    await page.open("buttons.html")
    steps = ["snapshot", "text", "snapshot text=Action", "snapshot"]
    assert len(o200k.encode(await page("batch", steps=steps))) <= 2_700
    assert len(o200k.encode(await page("batch", steps=steps, max_tokens=500))) <= 700


async def test_pictures(page):
    await page.open("form.html")
    result = await page.result("batch", steps=["screenshot", "screenshot selector=h1"])
    assert len(result.images) == 2


async def test_page_and_profile_hold_for_every_step(page):
    await page.open("form.html")
    await page("new_page", url=f"{page.site}/rerender.html")
    first = (await page("list_pages")).split()[0]
    answer = await page("batch", steps=["click selector=#counter", "list_pages"], target_id=first)
    assert "Clicked 1" in answer
    assert "Unknown profile" in await page("batch", steps=["snapshot"], profile="nowhere")


async def test_caller_without_a_session_keeps_its_pages(shared, site):
    nobody = shared.as_caller(None)
    steps = [f"navigate url={site}/form.html", "click selector=#counter", "list_pages"]
    answer = (await nobody(resource="browser", action="batch", steps=steps)).text
    assert "Clicked 1" in answer
    assert answer.count("session: ") == 1
    handle = answer.split('session: "')[1].split('"')[0]
    seen = await nobody(resource="browser", action="snapshot", session=handle)
    assert "Clicked 1" in seen.text
    await shared.router.end_session(f"local/{handle}")


async def test_progress(page):
    told = []

    async def listen(message, done, total):
        told.append((message, done, total))

    await page.web.router.call(
        {
            "resource": "browser",
            "action": "batch",
            "steps": [f"navigate url={page.site}/form.html", "click selector=#counter"],
        },
        caller=page.web.caller,
        progress=listen,
    )
    assert told == [
        (f"navigate url={page.site}/form.html", 0, 2),
        ("click selector=#counter", 1, 2),
    ]


async def test_cancelled_batch_stops(page):
    await page.open("form.html")
    steps = ["click selector=#counter", "wait value=20", "click selector=#counter"]
    running = asyncio.ensure_future(page.result("batch", steps=steps))
    await asyncio.sleep(1)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert "Clicked 1" in await page("snapshot", text="Clicked")


class NoScripts:
    """A check that forbids evaluate."""

    @hookimpl
    def strap_check_call(self, call):
        from strap import Denial

        return Denial(reason="No scripts here.") if call.action == "evaluate" else None


@pytest.mark.parametrize(
    ("plugins", "flags"), [((), {"deny": ("browser.evaluate",)}), ((NoScripts(),), {})]
)
async def test_what_is_denied_is_denied_in_a_batch(tmp_path, plugins, flags):
    tables = {"browser": SETTINGS}
    async with testing.router(*plugins, home=tmp_path, plugins=tables, **flags) as web:
        steps = ["launch", "evaluate text=1"]
        error = await web.fails(resource="browser", action="batch", steps=steps)
        assert str(error).startswith("Nothing was run. step 2: ")
        status = await web(resource="browser", action="status", profile="nebo")
        assert '"running": false' in status.text

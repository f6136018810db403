"""JavaScript: results, failures, and scripts that never return."""

import json
import os

import pytest

from strap import ActionError
from tests.plugins.browser.lifecycle.machine import children

from .conftest import ref_in

pytestmark = pytest.mark.anyio


@pytest.fixture
def page(one_page):
    return one_page


@pytest.mark.parametrize(
    ("source", "result"),
    [
        ("document.title", '"Sign up"'),
        ("1 + 1", "2"),
        ("() => 3", "3"),
        ("async () => await Promise.resolve(4)", "4"),
        ("function () { return 5 }", "5"),
        ("const a = 3; a * 2", "6"),
        ("return 7", "7"),
        ("await Promise.resolve(8)", "8"),
        ("const r = await Promise.resolve(9); return r", "9"),
        ("{ a: 1 }", '{"a":1}'),
        ("var text = 1, list = 2, source = 3; text + list + source", "6"),
        ("'ab' // a comment", '"ab"'),
        ("undefined", "undefined"),
        ("null", "null"),
        ("NaN", '"NaN"'),
        ("12345678901234567890n", '"12345678901234567890n"'),
        ("[1, undefined, 'x', () => 1]", '[1,null,"x","[function ]"]'),
        ("new Map([['k', new Set([1])]])", '{"k":[1]}'),
        ("new Date(0)", '"1970-01-01T00:00:00.000Z"'),
        ("document.querySelector('#counter')", '"<button#counter>"'),
        ("document.querySelectorAll('h1')", '["<h1>"]'),
        ("window", '"[window]"'),
        ("new Error('no')", '"Error: no"'),
        ("Promise.resolve([[1]])", "[[1]]"),
        ("({ toJSON() { throw new Error('no') } })", '"(throws Error: no)"'),
    ],
)
async def test_results(page, source, result):
    await page.open("form.html")
    assert await page("evaluate", text=source) == result


async def test_data_for_python(page):
    await page.open("form.html")
    assert (await page.result("evaluate", text="[{a: 1}]")).data == {"result": [{"a": 1}]}


async def test_circular(page):
    answer = await page("evaluate", text="const o = {a: 1}; o.self = o; o")
    assert json.loads(answer) == {"a": 1, "self": "[circular]"}


async def test_same_object_twice_is_no_circle(page):
    assert await page("evaluate", text="const o = {a: 1}; [o, o]") == '[{"a":1},{"a":1}]'


async def test_huge_results_are_bounded(page, o200k):
    for source in (
        "'x y '.repeat(1e7)",
        "Array.from({length: 1e6}, (_, n) => n)",
        "Object.fromEntries(Array.from({length: 1e5}, (_, n) => ['k' + n, {n}]))",
        "let o = {}; let p = o; for (let n = 0; n < 1e5; n++) p = p.next = {}; o",
    ):
        assert len(o200k.encode(await page("evaluate", text=source))) <= 2_500


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("x.y", "ReferenceError: x is not defined"),
        ("this is no script", "SyntaxError"),
        ("JSON.parse('{')", "SyntaxError"),
        ("throw new TypeError('bad')", "TypeError: bad"),
        ("throw 'text'", '"text"'),
        ("throw 12n", "12"),
        ("Promise.reject(new Error('later'))", "Error: later"),
        ("({ get a() { throw 1 } }).a", "1"),
    ],
)
async def test_failures(page, source, words):
    error = await page.fails("evaluate", text=source)
    assert error.code == "script_error"
    assert str(error).startswith("The script threw ")
    assert words in str(error)


async def test_a_request_that_failed_has_its_reason_elsewhere(page, unused_port):
    await page.open("form.html")
    url = f"http://127.0.0.1:{unused_port}/"
    error = await page.fails("evaluate", text=f"fetch('{url}')")
    assert str(error) == "The script threw TypeError: Failed to fetch `network` tells why."
    assert "ERR_CONNECTION_REFUSED" in await page("network")


async def test_statement_runs_once(page):
    await page("evaluate", text="globalThis.n = (globalThis.n || 0) + 1; JSON.parse('1')")
    assert await page("evaluate", text="n") == "1"


async def test_with_an_element(page):
    ref = ref_in(await page.open("form.html"), 'button "Count"')
    assert await page("evaluate", ref=ref, text="(el) => el.id") == '"counter"'


async def test_change_is_told(page):
    await page.open("form.html")
    answer = await page("evaluate", text="counter.click()")
    assert answer == "undefined\nChanged:\n~ text: Clicked 1"


@pytest.mark.parametrize("source", ["{}; 0", "new Promise((d) => setTimeout(() => d({}), 50))"])
async def test_what_a_script_asks_for_is_awaited(page, source):
    """Whether or not it waits itself."""
    await page.open("form.html")
    asking = "fetch('/slow-page').then(() => { document.title = 'Fetched' })"
    source = source.replace("d({})", f"d({asking}.constructor.name)").replace("{}", asking)
    assert 'Title: "Fetched"' in await page("evaluate", text=source)


@pytest.mark.launched  # the other driver's client is one
async def test_no_other_process_is_between_strap_and_the_browser(page):
    await page.open("form.html")
    assert await page("evaluate", text="1") == "1"
    assert not children(os.getpid(), "node")


async def test_navigation_by_a_script(page):
    await page.open("form.html")
    answer = await page("evaluate", text="location.href = 'rerender.html'")
    assert f'Now at "Rerender" {page.site}/rerender.html' in answer


async def test_page_that_leaves_before_the_script_returns(page):
    await page.open("form.html")
    answer = await page("evaluate", text="location.href = 'rerender.html'; new Promise(() => {})")
    assert answer.startswith("The script did not return.")
    assert 'Now at "Rerender"' in answer


async def test_dialog_in_a_script(page):
    await page.open("form.html")
    answer = await page("evaluate", text="confirm('Really?')")
    assert answer.startswith("The script did not return.")
    assert "A confirm dialog is open: 'Really?'." in answer


@pytest.mark.parametrize("source", ["while (true) {}", "(async () => { for (;;) await 0 })()"])
async def test_endless_script_is_stopped_and_the_page_stays(page, source):
    await page.open("form.html")
    await page("fill", selector="[name=name]", value="Ada")
    with pytest.raises(ActionError) as caught:
        await page("evaluate", text=source, timeout=0.7)
    assert caught.value.code == "timeout"
    assert await page("evaluate", text="document.forms[0].name.value") == '"Ada"'
    assert "Clicked 1" in await page("click", selector="#counter")


async def test_promise_that_never_resolves(page):
    await page.open("form.html")
    error = await page.fails("evaluate", text="new Promise(() => {})", timeout=0.5)
    assert error.code == "timeout"
    assert await page("evaluate", text="1") == "1"


async def test_page_with_an_endless_loop_can_be_left(page):
    error = await page.fails("navigate", url=f"{page.site}/loop", timeout=1.5)
    assert error.code == "timeout"
    assert 'Now at "Sign up"' in await page.open("form.html")
    assert "Clicked 1" in await page("click", selector="#counter")


async def test_strict_content_policy(page):
    await page("navigate", url=f"{page.site}/strict")
    assert await page("evaluate", text="document.title") == '"Strict"'
    assert 'h1 "Strict page"' in await page("snapshot")
    assert "# Strict page" in await page("text")

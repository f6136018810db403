"""Confirmation of actions on elements and pages, and the effect of the answer."""

import re
from dataclasses import replace

import pytest

from strap import testing
from tests.support.caller import Caller as PageCaller
from tests.support.person import Person

from .conftest import caller_of, far

pytestmark = pytest.mark.anyio

KIND = 'combobox "Kind", which holds "a"'
ELEMENTS = [
    ("click", {"selector": "#pay"}, 'button "Pay 10"'),
    ("click", {"selector": "#plain"}, '<div#plain> "Plain text"'),
    ("hover", {"selector": "#pay"}, 'button "Pay 10"'),
    ("drag", {"selector": "#pay", "value": "#drop"}, 'button "Pay 10", then <p#drop> "Drop here"'),
    ("drag", {"selector": "#pay", "value": "30,0"}, 'button "Pay 10"'),
    ("fill", {"selector": "#name", "value": "Ada"}, 'textbox "Name"'),
    ("type", {"selector": "#name", "text": "Ada"}, 'textbox "Name"'),
    ("press", {"selector": "#name", "key": "a"}, 'textbox "Name"'),
    ("select", {"selector": "#kind", "value": "b"}, KIND),
    ("scroll", {"selector": "#kind"}, KIND),
    ("upload", {"selector": "#file", "paths": ["a.txt"]}, 'button "File"'),
]
PAGES = [
    *[(name, {}) for name in ("back", "forward", "reload", "snapshot", "text", "screenshot")],
    *[
        (name, {})
        for name in (
            "console",
            "network",
            "mock",
            "emulate",
            "record",
            "cookies",
            "extract",
            "close_page",
        )
    ],
    *[(name, {}) for name in ("audit", "tools")],
    ("heal", {"ref": 'button "Pay 10"', "value": "{}"}),
    ("scroll", {"text": "down"}),
    ("upload", {"paths": ["a.txt"]}),
    ("evaluate", {"text": "note('ran')"}),
    ("wait", {"value": "0.01"}),
    ("pdf", {"output": "a.pdf"}),
    ("resize", {"width": 500, "height": 500}),
    ("cookies", {"value": "a=b"}),
]
OTHERS = [
    *[
        (name, {})
        for name in ("status", "launch", "list_pages", "downloads", "close", "live", "script")
    ],
    ("record_person", {"value": "stop"}),
    ("navigate", {"url": "SITE/plain"}),
    ("new_page", {"url": "SITE/plain"}),
    ("new_page", {}),
    ("render", {"url": "SITE/plain"}),
    ("setup_state", {"state_id": "a"}),
    ("setup_state", {"state_id": "a", "url": "SITE/plain"}),
    ("list_runs", {}),
    *[
        (name, {"session_id": "0" * 8 + "-0000-0000-0000-" + "0" * 12})
        for name in ("get_run", "get_run_events", "get_screenshots", "cancel_run")
    ],
    ("press", {"key": "a"}),
    ("type", {"text": "a"}),
    ("click", {"x": 5, "y": 5}),
    ("drag", {"x": 5, "y": 5, "value": "10,0"}),
]


async def done(page, person):
    """Return the events of the page; to read them takes a yes as well."""
    person.answer = True
    person.meanwhile = None
    found = await page.run("done")
    person.asked.pop()
    return found


def put_file(page):
    (folder := page.web.router.config.outputs).mkdir(parents=True, exist_ok=True)
    (folder / "a.txt").write_text("a")


@pytest.mark.parametrize(("action", "fields", "told"), ELEMENTS)
async def test_elements_are_asked_about(page, person, site, action, fields, told):
    put_file(page)
    person.answer = False
    error = await page.fails(action, **fields)
    assert (type(error).__name__, error.code) == ("PolicyDenied", "declined")
    [asked] = person.asked
    assert (asked.action, asked.target) == (f"browser.{action}", told)
    assert asked.url == f"{site}/form"
    assert await done(page, person) == []
    await page(action, **fields)
    assert len(person.asked) == 2


@pytest.fixture(scope="module")
async def untouched(strict, site):
    """A page for all that nobody says yes to, and the person who is asked."""
    person = Person()
    caller = caller_of(strict, person, "untouched", site)
    await caller("launch")
    await caller.open("form")
    yield caller, person
    await strict.router.end_session("local/untouched")


@pytest.mark.parametrize(("action", "fields"), [*PAGES, *OTHERS])
async def test_every_action_is_asked_about_before_it_acts(untouched, site, action, fields):
    page, person = untouched
    person.asked.clear()
    put_file(page)
    fields = {
        k: v.replace("SITE", str(site)) if isinstance(v, str) else v for k, v in fields.items()
    }
    person.answer = False
    error = await page.fails(action, **fields)
    assert (type(error).__name__, error.code) == ("PolicyDenied", "declined"), error
    [asked] = person.asked
    assert asked.action == f"browser.{action}"
    nobody = PageCaller(testing.Web(page.web.router, replace(page.web.caller, confirm=None)))
    assert (await nobody.fails(action, **fields)).code == "needs_confirmation"
    assert await done(page, person) == []


async def test_all_actions_were_tried(strict):
    tried = {action for action, *_ in (*ELEMENTS, *PAGES, *OTHERS)}
    others = {"help", "batch", "eval", "dialog"}  # below
    others.add("login")  # logins/test_login_by_script.py
    assert tried | others == set(strict.router.catalog.of("browser"))


async def test_a_dialog_is_asked_about(page, person):
    await page("evaluate", text="note(confirm('Sure?'))")
    person.asked.clear()
    person.answer = False
    assert (await page.fails("dialog")).code == "declined"
    assert person.asked[0].target == "the confirm dialog 'Sure?'"
    person.answer = True
    await page("dialog", value="dismiss")
    assert await done(page, person) == [False]


async def test_values_of_passwords_are_not_told(page, person):
    await page("fill", selector="#pin", value="4711")
    await page("type", selector="#pin", text="0815")
    assert [dict(each.fields) for each in person.asked] == [
        {"value": "•••• (4 characters)"},
        {"text": "•••• (4 characters)"},
    ]
    assert not any("4711" in text for text in person.texts)


async def test_steps_of_a_batch_are_asked_each(page, person):
    steps = ["click selector=#pay", "fill selector=#name value=Ada"]
    await page("batch", steps=steps)
    assert [each.action for each in person.asked] == ["browser.click", "browser.fill"]
    person.asked.clear()
    person.answer = False
    result = await page.web(resource="browser", action="batch", steps=steps)
    assert "1. Failed: A person said no to browser.click." in result.text
    assert "Not run: 1 step" in result.text
    assert len(person.asked) == 1  # no look at the page, which would be asked about as well


async def test_a_batch_that_is_named_itself(browsers, site, person):
    async with browsers("browser.batch") as web:
        page = caller_of(web, person, "batch", site)
        await page("launch")
        await page("batch", steps=["list_pages"])
        assert [each.action for each in person.asked] == ["browser.batch"]
        assert person.asked[0].fields["steps"] == '["list_pages"]'


async def test_a_run_is_asked_about(person, site, browsers):
    async with browsers("browser.eval") as web:
        person.answer = False
        caller = caller_of(web, person, "run", site)
        assert (
            "said no to browser.eval"
            in (await caller.result("eval", url=str(site), task="Look")).text
        )
    assert [(each.action, each.url) for each in person.asked] == [("browser.eval", str(site))]


async def test_hosts_are_those_of_the_page(host_page, person, site):
    await host_page.open("plain")
    await host_page("click", selector="button")
    await host_page("evaluate", text="1")
    await host_page("press", key="Tab")
    await host_page("snapshot")
    assert not person.asked
    await host_page("navigate", url=f"{far(site)}/form")
    await host_page("click", selector="#pay")
    await host_page("evaluate", text="1")
    await host_page("snapshot")
    assert [(each.action, each.url) for each in person.asked] == [
        (f"browser.{name}", f"{far(site)}/form")
        for name in ("navigate", "click", "evaluate", "snapshot")
    ]


async def test_a_frame_of_the_bank_elsewhere(host_page, person, site):
    await host_page.open("outer")
    await host_page("click", selector="button")
    assert not person.asked
    await host_page("click", selector="iframe >> #pay")
    assert (person.asked[-1].target, person.asked[-1].url) == (
        'button "Pay 10"',
        f"{far(site)}/form",
    )
    await host_page("press", key="Tab")  # which may lead the focus into it
    assert len(person.asked) == 2
    error = await host_page.fails("click", x=100, y=150)
    assert "cannot be told what is at a place in a frame" in str(error)


async def test_keys_are_told_where_the_focus_is(page, person):
    await page("click", selector="#name")
    person.asked.clear()
    await page("type", text="Ada")
    assert (person.asked[0].target, dict(person.asked[0].fields)) == (
        'textbox "Name"',
        {"text": "Ada"},
    )


async def test_refs_of_snapshots(page, person):
    ref = re.search(r'button "Pay 10" (e\d+)', await page("snapshot"))[1]
    person.asked.clear()
    assert f'Clicked button "Pay 10" {ref}.' in await page("click", ref=ref)
    assert await done(page, person) == ["paid"]

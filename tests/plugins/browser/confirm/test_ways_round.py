"""Other actions that do what needs a yes need one as well."""

from contextlib import asynccontextmanager

import pytest

from strap import testing
from tests.support.browser import ANY_BROWSER

from .conftest import caller_of, far

pytestmark = pytest.mark.anyio

WAYS = [
    ("press", {"selector": "#pay", "key": "Enter"}),
    ("press", {"key": "Enter"}),
    ("type", {"selector": "#pay", "text": "\n"}),
    ("drag", {"selector": "#pay", "value": "1,0"}),
    ("drag", {"x": 20, "y": 80, "value": "1,0"}),
    ("click", {"x": 20, "y": 80}),
    ("upload", {"selector": "#pay", "paths": ["a.txt"]}),
    ("evaluate", {"text": "pay.click()"}),
    ("evaluate", {"text": "document.querySelector('#pay').click()", "timeout": 5}),
    ("extract", {"limit": 50}),
    ("batch", {"steps": ["snapshot", "click selector=#pay"]}),
]


@pytest.fixture(scope="module")
async def clicks(browsers):
    """Clicks need a yes, and going somewhere does."""
    async with browsers("browser.click", "browser.navigate@localhost") as web:
        yield web


@pytest.fixture
async def page(clicks, site, person, request):
    caller = caller_of(clicks, person, request.node.name, site)
    await caller("launch")
    await caller.open("form")
    outputs = clicks.router.config.outputs
    outputs.mkdir(parents=True, exist_ok=True)
    (outputs / "a.txt").write_text("a")
    yield caller
    await clicks.router.end_session(f"local/{request.node.name}")


@pytest.mark.parametrize(("action", "fields"), WAYS)
async def test_nothing_clicks_without_a_yes(page, person, action, fields):
    person.answer = False
    result, error = await page.web.router.answer(
        {"resource": "browser", "action": action, **fields}, caller=page.web.caller
    )
    assert "A person said no" in result.text, (result, error)
    assert len(person.asked) == 1
    person.answer = True
    assert await page.run("done") == []


async def test_what_does_not_click_is_not_asked_about(page, person):
    await page("fill", selector="#name", value="Ada")
    await page("hover", selector="#pay")
    await page("select", selector="#kind", value="b")
    await page("snapshot")
    assert not person.asked


async def test_other_ways_to_a_host(page, person, site):
    person.answer = False
    host = str(site).replace("127.0.0.1", "localhost")
    for action, fields in (("new_page", {}), ("setup_state", {"state_id": "a"})):
        await page(action) if action == "new_page" else None
        assert (await page.fails(action, url=f"{host}/form", **fields)).code == "declined"
    assert len(person.asked) == 2


async def test_actions_act_as_others_that_there_are(page):
    catalog = page.web.router.catalog
    for action in catalog.actions.values():
        assert {name.removesuffix(":") for name in action.names} <= set(catalog.actions)


@pytest.fixture
async def denied(tmp_path, site, person):
    """Open a browser with patterns of `deny`."""

    @asynccontextmanager
    async def opened(*deny, **rules):
        tables = {"browser": ANY_BROWSER}
        async with testing.router(
            home=tmp_path, network="local", plugins=tables, deny=list(deny), **rules
        ) as web:
            yield caller_of(web, person, "denied", site)

    return opened


async def test_what_can_do_the_same_is_denied_and_not_advertised(denied):
    """Each action denied in turn: every other one that can do the same is refused, none else."""
    async with denied() as page:
        actions = page.web.router.catalog.of("browser")
    for name in actions:
        async with denied(f"browser.{name}") as page:
            advertised = page.web.router.catalog.advertised_names("browser")["browser"]
            for other, action in actions.items():
                same = f"browser.{name}" in action.names
                assert (other in advertised) is (action.advertised and not same)
                fields = {
                    key: FIELDS.get(key, "a")
                    for key, field in action.fields.items()
                    if field.required or key in ("url", "steps")
                }
                if same:
                    _, error = await page.web.router.answer(
                        {"resource": "browser", "action": other, **fields},
                        caller=page.web.caller,
                    )
                    assert error is None or error.code == "denied", (name, other, error)
                    assert error or other == "eval"  # which answers with its own object


FIELDS = {
    "paths": ["a.txt"],
    "session_id": "00000000-0000-0000-0000-000000000000",
    "steps": ["snapshot"],
    "task": "look",
    "url": "http://localhost/",
    "value": "1,0",
    "width": 800,
    "height": 600,
}


@pytest.mark.parametrize("pattern", ["browser.click", "browser.click@localhost"])
async def test_nothing_clicks_where_that_is_denied(denied, site, pattern):
    async with denied(pattern) as page:
        outputs = page.web.router.config.outputs
        outputs.mkdir(parents=True, exist_ok=True)
        (outputs / "a.txt").write_text("a")
        await page("launch")
        await page("navigate", url=far(site) + "/form")
        for action, fields in WAYS:
            result, error = await page.web.router.answer(
                {"resource": "browser", "action": action, **fields}, caller=page.web.caller
            )
            assert "The policy does not allow browser.click" in result.text, (action, error)
        await page("hover", selector="#pay")
        await page("navigate", url=str(site) + "/form")
        elsewhere, error = await page.web.router.answer(
            {"resource": "browser", "action": "click", "selector": "#pay"}, caller=page.web.caller
        )
        assert (error is None) is ("@" in pattern), elsewhere.text


async def test_what_is_allowed_on_a_host_is_allowed_on_its_pages(denied, site):
    rules = ["browser.launch", "browser.*@localhost"]
    async with denied(allow=rules) as page:
        await page("launch")
        error = await page.fails("navigate", url=str(site) + "/form")
        assert error.code == "denied"
        await page("navigate", url=far(site) + "/form")
        assert "Pay 10" in await page("snapshot")
        await page("click", selector="#pay")
        assert await page.run("done") == ["paid"]
        assert "Pay 10" in await page("batch", steps=["click selector=#plain", "snapshot"])
    async with denied(allow=["browser.launch", "browser.navigate", "browser.click@b"]) as page:
        await page("launch")
        await page("navigate", url=far(site) + "/form")
        error = await page.fails("click", selector="#pay")
        assert (error.code, "browser.click for" in str(error)) == ("denied", True)

"""Other actions that do what needs a yes need one as well."""

import pytest

from .conftest import caller_of

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
        assert set(action.acts_as) <= set(catalog.of(action.resource))

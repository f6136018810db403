"""Errors of every page action for a wrong target, page or profile; the page stays usable."""

import pytest

import strap_browser.plugin
from strap import testing
from strap.api.params import fields_of
from strap_browser.pages.registry import AUTO_LAUNCH
from tests.contract.conftest import make_catalog
from tests.plugins.browser.pages.conftest import Page

pytestmark = pytest.mark.anyio
NEEDED = {
    "batch": {"steps": ["snapshot"]},
    "drag": {"value": "10,0"},
    "evaluate": {"text": "1"},
    "fill": {"value": "x"},
    "navigate": {"url": "http://127.0.0.1:9/"},
    "pdf": {"output": "page.pdf"},
    "press": {"key": "Enter"},
    "render": {"url": "http://127.0.0.1:9/"},
    "resize": {"width": 500, "height": 500},
    "select": {"value": "x"},
    "type": {"text": "x"},
    "upload": {"paths": ["a.txt"]},
}
"""Fields without which an action cannot be called."""
AGENT = {"eval", "get_run_events", "get_screenshots", "list_runs", "cancel_run"}
ACTIONS = {
    name: set(fields_of(action.params))
    for name, action in make_catalog(strap_browser.plugin).of("browser").items()
    if name not in AGENT
}
APART = {"extract"}
"""Its selector finds records within the ref."""
BOTH = sorted(
    name for name, fields in ACTIONS.items() if {"ref", "selector"} <= fields and name not in APART
)
PAGED = sorted(name for name, fields in ACTIONS.items() if "target_id" in fields)
PROFILED = sorted(name for name, fields in ACTIONS.items() if "profile" in fields)
QUIET = {"status"}
"""Actions that never fail."""


@pytest.fixture(scope="module")
async def page(shared, site):
    """One page for all tests: no call here may spoil it for the next."""
    return Page(shared.as_caller("one"), site)


@pytest.fixture(scope="module")
async def idle(tmp_path_factory, anyio_backend):
    """A router whose browser does not run."""
    async with testing.router(home=tmp_path_factory.mktemp("home"), network="local") as web:
        give_file(web.router.config.outputs)
        yield web


@pytest.fixture(autouse=True)
def file(outputs):
    give_file(outputs)


def give_file(folder):
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "a.txt").write_text("a")


def test_the_table_is_complete():
    catalog = make_catalog(strap_browser.plugin).of("browser")
    for name in ACTIONS:
        fields = fields_of(catalog[name].params)
        required = {field for field, info in fields.items() if info.is_required()}
        assert required <= set(NEEDED.get(name, {})) | {"state_id"}, name


@pytest.fixture(scope="module")
async def form(one_page):
    """A page for calls that are refused before anything is done to it."""
    await one_page.open("form.html")
    return one_page


@pytest.mark.parametrize("action", BOTH)
async def test_ref_and_selector(form, action):
    error = await form.fails(action, ref="e1", selector="h1", **NEEDED.get(action, {}))
    assert error.code == "invalid_arguments"
    assert "not both" in str(error)


@pytest.mark.parametrize("action", BOTH)
async def test_unknown_targets(page, action):
    await page.open("form.html")
    fields = NEEDED.get(action, {})
    short = {"timeout": 1} if action == "wait" else {}
    assert (await page.fails(action, ref="e999", **fields)).code == "unknown_ref"
    assert "is not a ref" in str(await page.fails(action, ref="Submit", **fields))
    error = await page.fails(action, selector="#nowhere", **fields, **short)
    assert error.code in ("not_found", "timeout")
    assert (await page.fails(action, selector="<h1>", **fields)).code == "bad_selector"
    assert "Clicked 1" in await page("click", selector="#counter")


@pytest.mark.parametrize("action", sorted(set(PAGED) - {"batch"}))
async def test_unknown_page(form, action):
    error = await form.fails(action, target_id="t999", **NEEDED.get(action, {}))
    if action == "navigate":  # the guard speaks first: nothing is looked for in vain
        error = await form.fails(action, target_id="t999", url=form.site)
    assert error.code == "no_page"
    assert "No page 't999' in profile 'nebo'. Your pages: t" in str(error)


@pytest.mark.parametrize("action", sorted(set(PROFILED) - QUIET - {"batch"}))
async def test_unknown_profile(page, action):
    fields = NEEDED.get(action, {}) | ({"state_id": "x"} if action == "setup_state" else {})
    if action == "navigate":
        fields = {"url": str(page.site)}
    error = await page.fails(action, profile="nowhere", **fields)
    assert error.code == "invalid_arguments"
    assert str(error) == "Unknown profile: 'nowhere' (valid: chrome, nebo)."


@pytest.mark.parametrize("action", sorted(set(PAGED) - {"batch", "new_page"}))
async def test_browser_that_does_not_run(idle, site, action):
    fields = NEEDED.get(action, {})
    if action == "navigate":
        fields = {"url": str(site)}
    error = await idle.fails(resource="browser", action=action, **fields)
    assert error.code == "not_running"
    assert str(error).removesuffix(AUTO_LAUNCH) == (
        "Browser not running for profile 'nebo'. "
        'Use `web(resource: browser, action: launch, profile: "nebo")` to start it.'
    )


@pytest.mark.parametrize("action", ["screenshot", "pdf"])
@pytest.mark.parametrize("output", ["../x", "/etc/x", "a/../../x"])
async def test_output_outside(form, action, output):
    error = await form.fails(action, output=f"{output}.{'pdf' if action == 'pdf' else 'png'}")
    assert "is outside the folder for files" in str(error)
    assert "Give a path relative to" in str(error)

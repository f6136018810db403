"""Rules for requests: answered, delayed, blocked, and what no rule may do."""

import pytest

from strap_browser.actions.traffic.mock import VALUES

pytestmark = pytest.mark.anyio
ASK = """fetch("/api/users?a=1").then(async r => r.status + " " + await r.text(), e => "failed")"""


@pytest.fixture
def site(serve_site):
    link = '<h1>Shop</h1><a href="/next" target=_blank>Next</a>'
    return serve_site({"/": link, "/api/users": "real", "/next": "<h1>Real</h1>"})


@pytest.mark.parametrize(
    ("fields", "seen"),
    [
        ({"value": "500", "body": '{"error": 1}'}, '"500 {\\"error\\": 1}"'),
        ({"value": "204"}, '"204 "'),
        ({"value": "block"}, '"failed"'),
        ({"value": "offline"}, '"failed"'),
        ({"value": "delay=50"}, '"200 real"'),
    ],
)
async def test_what_a_page_gets(page, site, fields, seen):
    await page("navigate", url=f"{site}/")
    await page("mock", url="*/api/users*", **fields)
    assert (await page("evaluate", text=ASK)).splitlines()[0] == seen
    assert await page("mock") == f"*/api/users* → {fields['value']}, 1 hit"
    assert "mocked" in await page("network", text="/api/users")
    assert await page("mock", value="clear", url="*/api/users*") == "Dropped 1 rule."
    assert await page("evaluate", text=ASK) == '"200 real"'
    assert await page("mock") == "No rules."


async def test_the_newest_rule_decides_and_nothing_is_sent(page, site):
    await page("navigate", url=f"{site}/")
    await page("mock", url="*", value="block")
    await page("mock", url="*/api/*", value="201", body="made up")
    assert await page("evaluate", text=ASK) == '"201 made up"'
    assert "/api/users" not in [each.path for each in site.requests]
    assert await page("mock", value="clear") == "Dropped 2 rules."


async def test_rules_are_for_pages_that_are_opened_later(page, site):
    await page("navigate", url=f"{site}/")
    await page("mock", url="*/next", value="200", body="<h1>Made up</h1>")
    await page("new_page")
    assert "Made up" in await page("navigate", url=f"{site}/next")


async def test_a_file_answers(page, site, outputs):
    outputs.mkdir(parents=True, exist_ok=True)
    (outputs / "users.json").write_text('["Ada"]')
    await page("navigate", url=f"{site}/")
    await page("mock", url="*/api/*", value="file=users.json")
    assert await page("evaluate", text=ASK) == '"200 [\\"Ada\\"]"'
    error = await page.fails("mock", url="*/api/*", value="file=../../etc/passwd")
    assert error.code == "invalid_arguments"
    assert (await page.fails("mock", url="*/api/*", value="file=none.json")).code == "no_file"


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({"value": "block"}, "invalid_arguments"),
        ({"url": "*", "value": "sometimes"}, "invalid_arguments"),
        ({"url": "*", "value": "999"}, "invalid_arguments"),
        ({"url": "*", "value": "delay=99999"}, "invalid_arguments"),
        ({"url": "*", "value": "block", "body": "x"}, "invalid_arguments"),
        ({"url": "*", "value": "204", "body": "x"}, "invalid_arguments"),
        ({"url": "/api", "value": "block"}, "bad_pattern"),
        ({"url": "*"}, "invalid_arguments"),
        ({"url": "*none*", "value": "clear"}, "unknown_rule"),
    ],
)
async def test_what_is_no_rule(page, site, fields, code):
    await page("navigate", url=f"{site}/")
    error = await page.fails("mock", **fields)
    assert error.code == code
    assert fields.get("value") != "sometimes" or VALUES in str(error)
    assert await page("mock") == "No rules."

"""Rules for requests: answered, delayed, blocked, and what no rule may do."""

import json
from base64 import b64encode

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


def har(site, *answers):
    """A HAR as other tools write it: pretty, with a byte order mark, with their own fields."""
    entries = [
        {
            "request": {"method": method, "url": f"{site}{path}", "headers": [], **more},
            "response": {
                "status": status,
                "headers": [
                    {"name": ":status", "value": "200"},
                    {"name": "Content-Encoding", "value": "br"},
                    *({"name": name, "value": value} for name, value in headers),
                ],
                "content": content,
            },
        }
        for method, path, more, status, headers, content in answers
    ]
    pages = [{"id": "p1", "title": 'a "entries": [ of nothing'}]
    return "\ufeff" + json.dumps(
        {"log": {"_tool": {}, "pages": pages, "entries": entries}}, indent=2
    )


COOKIES = (("Set-Cookie", "a=1; Path=/"), ("Set-Cookie", "b=2; Path=/"))
HTML = (("Content-Type", "text/html; charset=iso-8859-1"),)
FORM = {"postData": {"mimeType": "text/plain", "text": "b"}}


async def test_a_har_answers_and_what_it_lacks_is_refused_and_named(page, site, outputs):
    text = har(
        site,
        (
            "GET",
            "/",
            {},
            200,
            (*HTML, *COOKIES),
            {"text": "<h1>K\u00e4pt</h1><a href=/old>Old</a>"},
        ),
        ("GET", "/old", {}, 302, (("Location", "/new"),), {"size": 0}),
        (
            "GET",
            "/new",
            {},
            200,
            HTML,
            {"text": b64encode(b"<h1>New</h1>").decode(), "encoding": "base64"},
        ),
        (
            "GET",
            "/api/users?a=1",
            {},
            200,
            COOKIES,
            {"text": "one"},
        ),
        ("GET", "/api/users?a=1", {}, 200, (), {"text": "two"}),
        ("POST", "/api/users", {}, 200, (), {"text": "sent a"}),
        ("POST", "/api/users", FORM, 200, (), {"text": "sent b"}),
        ("GET", "/failed", {}, 0, (), {"size": 0}),
        ("GET", "/large", {}, 200, (), {"size": 5}),
    )
    outputs.mkdir(parents=True, exist_ok=True)
    (outputs / "site.har").write_text(text)
    await page("new_page")
    assert "8 answers" in await page("mock", value="from=site.har")
    assert "K\u00e4pt" in await page("navigate", url=f"{site}/")
    assert await page("evaluate", text=ASK) == '"200 one"'
    assert [await page("evaluate", text=ASK) for _ in range(2)] == ['"200 two"'] * 2
    assert "a=1; b=2" in await page("evaluate", text="document.cookie")
    post = "await fetch('/api/users', {method: 'POST', body: 'b'}).then(r => r.text())"
    assert "sent b" in await page("evaluate", text=post)
    assert "failed" in await page("evaluate", text=ASK.replace("/api/users?a=1", "/failed"))
    missing = await page("evaluate", text=ASK.replace("/api/users?a=1", "/large?token=abc"))
    assert f"Refused, not in site.har: GET {site}/large?token=\u2022\u2022\u2022\u2022." in missing
    assert "New" in await page("click", selector="a")
    assert "1 refused" in await page("mock")
    assert not site.requests
    await page("mock", value="clear")


@pytest.mark.parametrize("content", ["", "[]", '{"log": {}}', '{"log": {"entries": [{', "x" * 100])
async def test_what_is_no_har(page, site, outputs, content):
    outputs.mkdir(parents=True, exist_ok=True)
    (outputs / "no.har").write_text(content)
    await page("navigate", url=f"{site}/")
    assert (await page.fails("mock", value="from=no.har")).code == "invalid_arguments"
    with (outputs / "no.har").open("ab") as file:
        file.truncate(300_000_000)
    assert "too large" in str(await page.fails("mock", value="from=no.har"))

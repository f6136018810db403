"""JSON: the values at a path, the paths that there are, feeds."""

import json

import pytest

from strap import ActionError, UsageError, count_tokens
from tests.site.server import Reply, serve

pytestmark = pytest.mark.anyio


@pytest.fixture
def web(shared_web):
    return shared_web


SHOP = {
    "total": 3,
    "items": [
        {"name": "Tea", "price": 2.5, "tags": ["hot"]},
        {"name": "Coffee", "price": 3, "tags": [], "note": None},
        {"name": 'Größe, 1 "', "price": None, "tags": ["x", "y"]},
    ],
    "next page": "https://a.example/2",
}


def data(value, media_type="application/json"):
    body = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return Reply(headers={"Content-Type": media_type}, body=body)


async def fetched(web, site, **fields):
    return await web(resource="http", action="fetch", url=f"{site}/d", **fields)


def content(result):
    return result.text.partition("\n\n")[2]


@pytest.mark.parametrize(
    ("path", "values"),
    [
        ("$.items[*].name", ["Tea", "Coffee", 'Größe, 1 "']),
        ("items[?@.price > 2.7].name", "Coffee"),
        ("$..tags[0]", ["hot", "x"]),
        ("$['next page']", "https://a.example/2"),
        ("$.items[1]", SHOP["items"][1]),
        ("$", SHOP),
    ],
)
async def test_values_at_a_path(web, path, values):
    with serve({"/d": data(SHOP)}) as site:
        result = await fetched(web, site, selector=path)
    assert json.loads(content(result)) == values
    count = len(values) if isinstance(values, list) else 1
    head = f"{count} value{'s' * (count > 1)} at {path!r} in "
    assert result.text.splitlines()[1].startswith(head)


async def test_the_outline_lists_the_paths(web):
    with serve({"/d": data(SHOP)}) as site:
        result = await fetched(web, site, value="outline")
    lines = content(result).splitlines()
    assert lines[:6] == [
        "$: object",
        "$.total: number, as 3",
        "$.items: array, as 3 items",
        "$.items[*]: object (3)",
        '$.items[*].name: string (3), as "Tea"',
        "$.items[*].price: number or null (3), as 2.5",
    ]
    assert '$["next page"]: string, as "https://a.example/2"' in lines
    assert "10 paths; selector takes one" in result.text


async def test_lines_of_json_are_an_array(web):
    with serve({"/d": data('{"a": 1}\n{"a": 2}\n', "application/x-ndjson")}) as site:
        result = await fetched(web, site, selector="$[*].a")
    assert json.loads(content(result)) == [1, 2]


async def test_many_values_come_in_parts_without_a_second_request(web):
    with serve({"/d": data([{"n": n, "text": "word " * 20} for n in range(400)])}) as site:
        first = await fetched(web, site, selector="$[*].text", max_tokens=400)
        assert count_tokens(first.text) <= 480
        second = await fetched(
            web, site, selector="$[*].text", start=first.data["next_start"], max_tokens=400
        )
        assert content(second).startswith('"word')
        assert len(site.requests) == 1


@pytest.mark.parametrize(
    ("body", "path", "kind", "said"),
    [
        (SHOP, "$.nothing", ActionError, "Nothing is at '$.nothing'. Call with value=outline"),
        (SHOP, "$.items[", UsageError, "selector='$.items[' is not a valid JSONPath: "),
        ("{", "$.a", ActionError, "has no valid JSON: "),
        ("[" * 100_000, "$", ActionError, "has no valid JSON: "),
    ],
)
async def test_what_cannot_be_selected_says_why(web, body, path, kind, said):
    with serve({"/d": data(body)}) as site:
        error = await web.fails(resource="http", action="fetch", url=f"{site}/d", selector=path)
    assert isinstance(error, kind)
    assert said in str(error)


async def test_a_path_that_takes_for_ever_is_given_up(web, monkeypatch):
    monkeypatch.setattr("strap_http.document.json_views.SECONDS", 0.3)
    nested: object = "x"
    for _ in range(60):
        nested = [nested, nested] if len(json.dumps(nested)) < 100_000 else [nested]
    with serve({"/d": data(nested)}) as site:
        path = "$" + "..[?@..*]" * 8
        error = await web.fails(resource="http", action="fetch", url=f"{site}/d", selector=path)
    assert error.code == "too_long"


async def test_a_path_goes_with_json_alone(web):
    with serve({"/d": "<p>Hello"}) as site:
        error = await web.fails(resource="http", action="fetch", url=f"{site}/d", selector="$.a")
        assert "selector='$.a' goes with JSON; this is text/html." in str(error)
        for fields in ({"text": "a"}, {"value": "raw"}, {"output": "a.json"}):
            with pytest.raises(UsageError, match="selector goes neither with"):
                await fetched(web, site, selector="$", **fields)


async def test_a_path_as_a_view_is_told_where_it_goes(web):
    error = await web.fails(resource="http", action="fetch", url="http://x.test/", value="$.a[*]")
    assert "'value': '$.a[*]' is a JSONPath: it goes into selector." in str(error)


FEED = {
    "version": "https://jsonfeed.org/version/1.1",
    "title": "News",
    "items": [
        {
            "id": "1",
            "url": "https://a.example/1",
            "title": "One",
            "date_published": "2026-03-02",
            "authors": [{"name": "Ada"}],
            "content_html": "<p>It <b>began</b>.<script>x()</script>",
        },
        {"id": "2", "content_text": "No title"},
        "no entry",
    ],
}


@pytest.mark.parametrize("media_type", ["application/feed+json", "application/json"])
async def test_json_feeds_are_entries(web, media_type):
    with serve({"/d": data(FEED, media_type)}) as site:
        result = await fetched(web, site)
        raw = await fetched(web, site, value="raw")
    assert content(result) == (
        "# News\n\n## [One](https://a.example/1)\n2026-03-02, Ada\n\nIt **began**.\n\n"
        "## Untitled\n\nNo title"
    )
    assert json.loads(content(raw)) == FEED


async def test_a_broken_json_feed_comes_as_it_is(web):
    with serve({"/d": data('{"version": 1}', "application/feed+json")}) as site:
        assert '{"version": 1}' in (await fetched(web, site)).text

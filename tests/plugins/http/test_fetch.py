"""`http.fetch` through the real router against a real server: what answers look like."""

import json

import pytest

from strap import UsageError
from tests.site.server import Reply, serve

pytestmark = pytest.mark.anyio

PAGE = """<!doctype html><html><head><title>Prices &amp; dates</title><style>p {}</style></head>
<body><h1>Offers</h1><p>See <a href="/more?x=1">more</a>.</p><script>alert(1)</script>
<table><tr><th>City</th><th>Price</th></tr><tr><td>Rome</td><td>120</td></tr></table></body></html>"""


async def fetch(web, url, **fields):
    return await web(resource="http", action="fetch", url=url, **fields)


async def test_html_is_markdown_with_absolute_links(web):
    with serve({"/": PAGE}) as site:
        result = await fetch(web, f"{site}/")
    assert result.text == (
        f"200 text/html {site}/ (273 B)\n\n# Prices & dates\n\n# Offers\n\n"
        f"See [more]({site}/more?x=1).\n\n"
        "| City | Price |\n| --- | --- |\n| Rome | 120 |"
    )
    assert not result.is_error


async def test_json_is_kept(web):
    text = '{"b": [1, 2.50], "a": "\\u00e4"}'
    with serve({"/": Reply(headers={"Content-Type": "application/json"}, body=text)}) as site:
        result = await fetch(web, f"{site}/")
    assert result.text == f"200 application/json {site}/ (31 B)\n\n{text}"
    assert result.data["media_type"] == "application/json"


async def test_an_error_status_is_an_answer_with_its_body(web):
    reply = Reply(status=404, headers={"Content-Type": "text/plain"}, body="No such page.")
    with serve({"/": reply}) as site:
        result = await fetch(web, f"{site}/")
    assert result.text == f"404 text/plain {site}/ (13 B)\n\nNo such page."
    assert not result.is_error
    assert result.data["status"] == 404


async def test_what_tells_how_to_go_on_is_shown(web):
    with serve({"/": Reply(status=429, headers={"Retry-After": "70"}, body="slow down")}) as site:
        result = await fetch(web, f"{site}/")
    assert result.text.splitlines()[1] == "retry-after: 70"


async def test_no_body(web):
    with serve({"/": Reply(status=204)}) as site:
        result = await fetch(web, f"{site}/")
    assert result.text == f"204 (no type) {site}/ (0 B)"


async def test_head_shows_the_fields_and_masks_cookies(web):
    headers = [("Content-Length", "1000000000000"), ("Set-Cookie", "sid=secret; Path=/")]
    with serve({"/": Reply(headers=headers)}) as site:
        result = await fetch(web, f"{site}/", method="HEAD")
    assert "content-length: 1000000000000" in result.text.lower()
    assert "sid=…" in result.text
    assert "secret" not in result.text


async def test_a_page_built_by_scripts_points_to_the_browser(web):
    with serve({"/": "<div id=root></div><script src=/app.js></script>"}) as site:
        result = await fetch(web, f"{site}/")
    assert "resource=browser" in result.text


async def test_methods_headers_and_body_arrive(web):
    with serve({"/": "ok"}) as site:
        for method in ("POST", "PUT", "PATCH", "DELETE", "options"):
            await fetch(web, f"{site}/", method=method, body='{"a": "ü"}', headers={"X-One": "1"})
        await fetch(web, f"{site}/", method="POST", body={"a": "ü"})
        await fetch(web, f"{site}/", method="POST", body="plain")
        await fetch(web, f"{site}/", method="POST")
    methods = [request.method for request in site.requests]
    assert methods == ["POST", "PUT", "PATCH", "DELETE", "OPTIONS", "POST", "POST", "POST"]
    first, structured, plain, empty = site.requests[0], *site.requests[-3:]
    assert structured.body == first.body
    assert json.loads(first.body) == {"a": "ü"}
    assert (first.headers["content-type"], first.headers["x-one"]) == ("application/json", "1")
    assert (plain.body, plain.headers["content-type"]) == (b"plain", "text/plain; charset=utf-8")
    assert empty.headers["content-length"] == "0"


async def test_a_body_that_is_nested_too_deep_to_be_taken_apart_is_sent_as_text(web):
    body = "[" * 100_000
    with serve({"/": "ok"}) as site:
        await fetch(web, f"{site}/", method="POST", body=body + "]" * 100_000)
    assert site.requests[0].headers["content-type"] == "text/plain; charset=utf-8"


async def test_the_caller_may_name_itself(web):
    with serve({"/": "ok"}) as site:
        await fetch(web, f"{site}/")
        await fetch(web, f"{site}/", headers={"User-Agent": "mine/1"})
    agents = [request.headers["user-agent"] for request in site.requests]
    assert agents[0].startswith("strap/")
    assert agents[1] == "mine/1"


async def test_connections_are_kept(web):
    with serve({"/": "ok"}) as site:
        for _ in range(3):
            await fetch(web, f"{site}/")
        clients = {request.client for request in site.requests}
    assert len(clients) == 1


async def test_nothing_is_taken_from_the_environment(web, monkeypatch):
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:1")
    with serve({"/": "ok"}) as site:
        assert (await fetch(web, f"{site}/")).data["status"] == 200
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"method": "TRACE"}, "The method 'TRACE' is not supported. Valid: GET, POST"),
        ({"body": "x"}, "A GET request has no body. Use method=POST"),
        ({"method": "HEAD", "body": "x"}, "A HEAD request has no body."),
        ({"headers": {"X-A": "1\r\nX-B: 2"}}, "The header 'X-A' has a line break"),
        ({"headers": {"X-A": "1\x00"}}, "The header 'X-A' has a line break"),
        ({"headers": {"X A": "1"}}, "'X A' is not the name of a header."),
        ({"headers": {"Host": "127.0.0.1"}}, "The header 'Host' cannot be set."),
        ({"headers": {"Transfer-Encoding": "chunked"}}, "cannot be set."),
        ({"headers": {"Proxy-Authorization": "x"}}, "cannot be set."),
        ({"url": "file:///etc/passwd"}, "The scheme 'file' of 'file:///etc/passwd'"),
        ({"url": "example.com"}, "'example.com' is not an absolute URL. Write 'https://exa"),
        ({"url": "http://[::1"}, "has no valid host and port."),
        ({"start": -1}, "'start'"),
    ],
)
async def test_bad_arguments(web, fields, message):
    fields = {"url": "http://127.0.0.1:1/"} | fields
    error = await web.fails(resource="http", action="fetch", **fields)
    assert message in str(error)
    assert error.code != "internal"


async def test_the_guard_applies(web):
    error = await web.fails(resource="http", action="fetch", url="http://10.0.0.5/")
    assert str(error).startswith("'http://10.0.0.5/' is on a private network.")


async def test_start_behind_the_end(web):
    with serve({"/": "<p>short"}) as site:
        error = await web.fails(resource="http", action="fetch", url=f"{site}/", start=99)
    assert isinstance(error, UsageError)
    assert "has 5 characters" in str(error)

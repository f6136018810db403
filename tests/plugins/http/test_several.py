"""`urls`: several addresses in one call."""

import threading
import time

import pytest

from strap import UsageError, count_tokens
from tests.site.server import Reply, serve

pytestmark = pytest.mark.anyio
LONG = "".join(f"<p>Year {n} on the river was as all the years before." for n in range(500))


async def fetched(web, **fields):
    return await web(resource="http", action="fetch", **fields)


async def test_each_is_answered_for_itself_within_one_budget(web):
    with serve({"/a": "<h1>A", "/b": LONG, "/c": Reply(status=404, body="<p>Nothing")}) as site:
        urls = [f"{site}/{name}" for name in "abc"]
        result = await fetched(web, urls=urls, max_tokens=900)
        beside = await fetched(web, url=urls[0], urls=[urls[2], urls[0]])
    heads = [line for line in result.text.splitlines() if line.startswith(("200", "404"))]
    assert [head.split()[2] for head in heads] == urls
    assert "Next part: this url alone with start=" in result.text
    assert count_tokens(result.text) <= 900
    assert [one["status"] for one in result.data["results"]] == [200, 200, 404]
    assert [one["url"] for one in beside.data["results"]] == [urls[0], urls[2]]


async def test_one_that_fails_harms_no_other(web):
    with serve({"/a": "<h1>A"}) as site:
        urls = [f"{site}/a", "https://[", "http://169.254.169.254/", f"{site}/a?2"]
        result = await fetched(web, urls=urls)
    codes = [one.get("error", {}).get("code") for one in result.data["results"]]
    assert codes == [None, "invalid_url", "blocked_metadata", None]
    assert "\n\nhttp://169.254.169.254/: " in result.text


async def test_where_none_came_the_call_has_failed(web):
    """A shell went on as if there were something."""
    with serve({"/a": "<h1>A"}) as site:
        assert (await fetched(web, urls=["https://[", "ftp://a.example/"])).is_error
        assert not (await fetched(web, urls=["https://[", f"{site}/a", f"{site}/none"])).is_error


async def test_what_they_have_in_common_goes_to_each(web):
    with serve({"/a": LONG, "/b": LONG}) as site:
        found = await fetched(web, urls=[f"{site}/a", f"{site}/b"], text="year 77 on")
        links = await fetched(web, urls=f"{site}/a", value="links", headers={"X-A": "1"})
        assert site.requests[-1].headers["x-a"] == "1"
    assert [len(one["passages"]) for one in found.data["results"]] == [1, 1]
    assert links.text.endswith("No links.")


async def test_two_at_a_time_of_a_host(web):
    lock, now, most = threading.Lock(), [0], [0]

    def busy(request):
        with lock:
            now[0] += 1
            most[0] = max(most[0], now[0])
        time.sleep(0.1)
        with lock:
            now[0] -= 1
        return "hi"

    with serve(dict.fromkeys((f"/{n}" for n in range(6)), busy)) as site:
        await fetched(web, urls=[f"{site}/{n}" for n in range(6)])
    assert most[0] == 2


@pytest.mark.parametrize(
    "fields", [{"start": 5}, {"output": "a.html"}, {"method": "POST", "body": "x"}]
)
async def test_what_goes_with_one_url_alone_is_refused(web, fields):
    with pytest.raises(UsageError, match="urls goes neither with start, output nor a method"):
        await fetched(web, urls=["https://a.example/"], **fields)


async def test_no_url_at_all_is_told_as_ever(web):
    for fields in (
        {},
        {"urls": []},
        {"urls": {"a": 1}},
        {"urls": [f"https://{n}.example" for n in range(11)]},
    ):
        error = await web.fails(resource="http", action="fetch", **fields)
        assert isinstance(error, UsageError)
        assert "url" in str(error)

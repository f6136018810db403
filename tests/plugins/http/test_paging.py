"""Long documents: parts that join to the whole, kept so that nothing is fetched twice."""

import re

import pytest

from strap import count_tokens
from strap_http.document import document_cache
from strap_http.document.document_cache import Document, Documents
from strap_http.message.request import Request
from tests.site.server import Reply, serve

pytestmark = pytest.mark.anyio

TEXT = "\n".join(f"Line {number} of a long text with some words." for number in range(2_000))
PLAIN = {"Content-Type": "text/plain"}
NOTE = re.compile(r"\n\n\[Characters [\d,]+-[\d,]+ of [\d,]+\. Next part: .* start=(\d+)\]$")


def long(text=TEXT):
    return Reply(headers=PLAIN, body=text)


async def pages(web, url, **fields):
    """Follow the notes to the end; return the parts without head and note."""
    parts, start = [], 0
    while True:
        result = await web(resource="http", action="fetch", url=url, start=start, **fields)
        assert count_tokens(result.text) <= fields.get("max_tokens", 2_500)
        head, _, part = result.text.partition("\n\n")
        assert head.startswith("200 text/plain")
        note = NOTE.search(result.text)
        assert result.data["next_start"] == (int(note.group(1)) if note else None)
        if note is None:
            return [*parts, part]
        parts.append(NOTE.sub("", part))
        start = int(note.group(1))


@pytest.mark.parametrize("max_tokens", [100, 400, 2_500])
async def test_the_parts_join_to_the_whole_from_one_request(web, max_tokens):
    text = TEXT[:20_000]
    with serve({"/": long(text)}) as site:
        parts = await pages(web, f"{site}/", max_tokens=max_tokens)
        assert len(site.requests) == 1
    assert "\n".join(parts) == text
    assert len(parts) > 1


async def test_text_without_breaks_is_paged_too(web):
    with serve(
        {"/": Reply(headers={"Content-Type": "text/plain; charset=utf-8"}, body="的" * 9_000)}
    ) as site:
        assert "".join(await pages(web, f"{site}/")) == "的" * 9_000


async def test_the_first_part_is_always_fresh(web):
    with serve({"/": long()}) as site:
        for _ in range(2):
            await web(resource="http", action="fetch", url=f"{site}/")
        assert len(site.requests) == 2


async def test_another_caller_or_credential_does_not_get_the_document(web):
    with serve({"/": long()}) as site:
        call = {"resource": "http", "action": "fetch", "url": f"{site}/"}
        await web(**call)
        await web.as_caller("other")(**call, start=100)
        await web(**call, start=100, headers={"Authorization": "Bearer x"})
        assert len(site.requests) == 3


async def test_the_documents_of_a_session_go_with_it(web):
    with serve({"/": long()}) as site:
        call = {"resource": "http", "action": "fetch", "url": f"{site}/"}
        await web(**call)
        await web.router.end_session("local/local")
        await web(**call, start=100)
        assert len(site.requests) == 2


async def test_no_session_is_begun_for_paging(web):
    with serve({"/": long()}) as site:
        other = web.as_caller(None)
        result = await other(resource="http", action="fetch", url=f"{site}/")
        assert "session:" not in result.text
        await other(resource="http", action="fetch", url=f"{site}/", start=100)
        assert len(site.requests) == 1


async def test_a_post_is_not_repeated_for_its_next_part(web):
    with serve({"/": long()}) as site:
        call = {"resource": "http", "action": "fetch", "url": f"{site}/", "method": "POST"}
        error = await web.fails(**call, start=100)
        assert error.code == "gone"
        await web(**call)
        assert (await web(**call, start=100)).data["next_start"]
        assert len(site.requests) == 1


def document(text):
    return Document(head="", text=text, status=200, url="", media_type="", size=0)


def key(name, caller="me"):
    return caller, Request(method="GET", url=name)


def test_the_store_is_bounded_in_number_size_and_age(monkeypatch):
    monkeypatch.setattr(document_cache, "MAX_DOCUMENTS", 2)
    monkeypatch.setattr(document_cache, "MAX_CHARACTERS", 10)
    now = [0.0]
    store = Documents(lambda: now[0])
    for name in "abc":
        store.put(key(name), document(name))
        store.get(key("a"))
    assert [name for name in "abc" if store.get(key(name))] == ["a", "c"], "used last stays"
    store.put(key("large"), document("x" * 11))
    assert store.get(key("large")) is None
    store.put(key("d"), document("d"))
    store.put(key("d"), document("dd"))
    assert store.get(key("d")) == document("dd")
    now[0] = document_cache.MAX_AGE + 1
    assert len(store) == 1
    assert store.get(key("d")) is None
    assert len(store) == 0


def test_forgetting_a_caller_leaves_the_others():
    store = Documents()
    store.put(key("a"), document("a"))
    store.put(key("a", "you"), document("b"))
    store.forget("me")
    assert store.get(key("a")) is None
    assert store.get(key("a", "you")) == document("b")

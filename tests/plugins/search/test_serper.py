"""Serper, against an HTTP server on loopback that speaks its API."""

import json
import os
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from pydantic import SecretStr

from strap import ActionError
from strap_search.engines import MAX_BODY, Engines, Page
from strap_search.settings import SearchSettings
from tests.plugins.search import pages
from tests.plugins.search.conftest import Play, engines
from tests.site.tlsproxy import SiteReply

pytestmark = pytest.mark.anyio
KEY = "secret-serper-key"


class Api(ThreadingHTTPServer):
    """The API with `total` results; set `status` and `body` to have it fail."""

    daemon_threads = True

    def __init__(self, total: int = 25) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.total = total
        self.status = 200
        self.body: bytes | None = None
        self.asked: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.closing = threading.Event()
        self.drip = False

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"

    def answer(self, query: dict[str, Any]) -> bytes:
        start = 10 * (query["page"] - 1)
        numbers = range(start + 1, min(self.total, start + 10) + 1)
        organic = [
            {"title": f"Title {n}", "link": pages.link(n), "snippet": f"Snippet {n}", "position": n}
            for n in numbers
        ]
        return json.dumps({"searchParameters": query, "organic": organic}).encode()


class _Handler(BaseHTTPRequestHandler):
    server: Api

    def do_POST(self) -> None:
        query = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.asked.append({"path": self.path, **query})
        self.server.headers.append({k.lower(): v for k, v in self.headers.items()})
        if self.server.drip:
            self.wfile.write(b"HTTP/1.1 200 OK\r\n\r\n")
            self._drip()
            return
        body = self.server.answer(query) if self.server.body is None else self.server.body
        self.send_response(self.server.status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        try:
            self.wfile.write(body)
        except OSError:
            self.close_connection = True

    def _drip(self) -> None:
        try:
            while not self.server.closing.wait(0.05):
                self.wfile.write(b" ")
        except OSError:
            self.close_connection = True

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def api() -> Iterator[Api]:
    with Api() as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
        thread.start()
        yield server
        server.closing.set()
        server.shutdown()
        thread.join()


async def ask(api: Api, query: str = "any", **settings: object) -> Page:
    values = {"serper_key": KEY, "serper_url": api.url, **settings}
    async with Engines(SearchSettings.model_validate(values)) as state:
        return await (await state.pick("google")).search(query)


async def test_the_request_is_what_the_api_expects(api: Api) -> None:
    await ask(api, "rust & 日本", region="de-at", serper_url=f"{api.url}/")
    assert api.asked == [{"path": "/search", "q": "rust & 日本", "page": 1, "gl": "de", "hl": "at"}]
    assert api.headers[0]["x-api-key"] == KEY


async def test_pages_follow_each_other(api: Api) -> None:
    settings = SearchSettings(serper_key=SecretStr(KEY), serper_url=api.url)
    page, found = None, []
    async with Engines(settings) as state:
        engine = await state.pick("google")
        for _ in range(4):
            page = await engine.search("any", page)
            found += [hit.url for hit in page.hits]
    assert page == Page()
    assert found == [pages.link(n) for n in range(1, 26)]


async def test_results_without_a_usable_link_are_left_out(api: Api) -> None:
    links = [{"title": "No link"}, {"link": "ftp://x.example/"}, {"link": "https://x.example/"}]
    api.body = json.dumps({"organic": links}).encode()
    page = await ask(api)
    assert [(hit.url, hit.title) for hit in page.hits] == [("https://x.example/",) * 2]


async def test_broken_characters_do_not_arrive(api: Api) -> None:
    api.body = (
        rb'{"organic": [{"title": "a\ud800b", "link": "https://x.example/", "snippet": "\u202ec"},'
        rb' {"title": "t", "link": "https://x.example/\udfff"}]}'
    )
    page = await ask(api)
    assert [(hit.title, hit.snippet) for hit in page.hits] == [("a b", "c")]


async def test_no_results_are_an_empty_page(api: Api) -> None:
    api.body = b'{"searchParameters": {}}'
    assert await ask(api) == Page()


@pytest.mark.parametrize(
    ("status", "body", "code"),
    [
        (401, b"{}", "bad_key"),
        (403, b'{"message": "Unauthorized.", "statusCode": 403}', "bad_key"),
        (400, b'{"message": "Not enough credits", "statusCode": 400}', "quota"),
        (402, b"{}", "quota"),
        (429, b"{}", "rate_limited"),
        (400, b'{"message": "Bad request"}', "upstream"),
        (302, b"", "upstream"),
        (500, b"<h1>oops</h1>", "upstream"),
        (200, b"<h1>oops</h1>", "unreadable"),
        (200, b"[1, 2]", "unreadable"),
        (200, b'{"organic": [1]}', "unreadable"),
        (200, b'{"organic": 1}', "unreadable"),
        (200, b"[" * 200_000, "unreadable"),
        (200, b"\xff\xfe\x00", "unreadable"),
        (200, b" " * (MAX_BODY + 1), "unreadable"),
    ],
)
async def test_failures_are_told_apart(api: Api, status: int, body: bytes, code: str) -> None:
    api.status, api.body = status, body
    with pytest.raises(ActionError, match="serper") as caught:
        await ask(api)
    assert caught.value.code == code
    assert caught.value.hint
    assert KEY not in str(caught.value)


async def test_a_dripping_api_is_given_up(api: Api) -> None:
    api.drip = True
    with pytest.raises(ActionError, match=r"0\.3 s") as caught:
        await ask(api, request_timeout=0.3)
    assert caught.value.code == "timeout"


async def test_an_api_that_is_not_there(api: Api) -> None:
    with pytest.raises(ActionError, match="no connection") as caught:
        await ask(api, serper_url="http://127.0.0.1:9")
    assert caught.value.code == "unreachable"


async def test_the_environment_decides_nothing(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
            patch.setitem(os.environ, name, "http://127.0.0.1:9")
        assert len((await ask(api)).hits) == 10


async def test_the_real_address_is_reached_through_proxy_and_authority(play: Play) -> None:
    body = json.dumps({"organic": [{"title": "One", "link": "https://x.example/"}]})
    proxy = play(pages.always(SiteReply(body=body)))
    async with engines(proxy, serper_key=KEY) as state:
        page = await (await state.pick("google")).search("any")
    assert [hit.title for hit in page.hits] == ["One"]
    request = proxy.requests[0]
    assert (request.host, request.path) == ("google.serper.dev", "/search")


def test_the_key_is_not_shown() -> None:
    settings = SearchSettings(
        serper_key=SecretStr(KEY), proxy=SecretStr("http://user:pass@127.0.0.1:3128")
    )
    assert KEY not in repr(settings)
    assert "pass" not in str(settings)

"""Tests of all engines with an API, against HTTP servers on loopback."""

import gzip
import json
import logging
import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from strap import ActionError, Guard, PolicyDenied
from strap_search.client.limits import MAX_BODY
from strap_search.engine import Query
from strap_search.paging import ResultPage
from strap_search.settings import SearchSettings
from strap_search.state import SearchState
from tests.plugins.search.conftest import Play, engines, found, state
from tests.plugins.search.pages import always, link
from tests.plugins.search.services import KEY, SERVICES, Service
from tests.site.certificates import Authority
from tests.site.server import Raw, Reply, Site, drip, serve
from tests.site.tlsproxy import SiteReply

pytestmark = [pytest.mark.anyio, pytest.mark.parametrize("service", SERVICES, ids=lambda s: s.name)]
HOSTS = {
    "serper": "google.serper.dev",
    "programmable search": "www.googleapis.com",
    "brave": "api.search.brave.com",
    "tavily": "api.tavily.com",
    "searxng": "searxng.example",
}


async def ask(
    service: Service, site: Site | str, *, limit: int = 10, kind: str = "web", **settings: object
) -> ResultPage:
    async with state(**service.settings(site, **settings)) as opened:
        query = Query(words="any", kind=kind)  # type: ignore[arg-type]
        return await found(opened, service.engine, query, limit)


async def failure(service: Service, answer: object, **settings: object) -> ActionError:
    with serve(service.routes(answer)) as site, pytest.raises(ActionError) as caught:
        await ask(service, site, **settings)
    return caught.value


async def test_results_are_exact_in_order_and_dated(service: Service) -> None:
    with serve(service.routes(service.answer(3))) as site:
        hits = (await ask(service, site)).hits
    assert [hit.url for hit in hits] == [link(n) for n in (1, 2, 3)]
    assert [hit.title for hit in hits] == ["Title 1", "Title 2", "Title 3"]
    assert hits[0].snippet == "Snippet 1"
    assert hits[0].date == "2026-11-20 14:03 UTC"


async def test_pages_follow_each_other_to_the_end(service: Service) -> None:
    total = 20 if service.name == "tavily" else 45
    with serve(service.routes(service.answer(total))) as site:
        hits = (await ask(service, site, limit=50)).hits
    assert [hit.url for hit in hits] == [link(n) for n in range(1, total + 1)]


async def test_no_more_is_asked_than_needed(service: Service) -> None:
    with serve(service.routes(service.answer(45))) as site:
        assert len((await ask(service, site, limit=10)).hits) == 10
        assert len(site.requests) == 1


async def test_no_results_are_no_failure(service: Service) -> None:
    with serve(service.routes(service.answer(0))) as site:
        assert (await ask(service, site)).hits == ()


@pytest.mark.parametrize(
    ("status", "code"),
    [
        (401, "bad_key"),
        (402, "quota"),
        (429, "rate_limited"),
        (400, "rejected"),
        (422, "rejected"),
        (301, "not_configured"),
        (404, "upstream"),
        (500, "upstream"),
        (503, "upstream"),
    ],
)
async def test_statuses_are_told_apart(service: Service, status: int, code: str) -> None:
    if not service.key and code in ("bad_key", "quota"):
        code = "upstream"
    headers = {"Location": "https://elsewhere.example/"}
    error = await failure(service, Reply(status=status, headers=headers, body=b"{}"))
    assert error.code == code
    assert error.message.startswith(service.name)
    assert error.hint
    if code in ("bad_key", "quota"):
        assert service.key in error.hint


async def test_a_list_that_is_always_there_and_now_is_not_is_no_empty_one(service: Service) -> None:
    answer = Reply(body=b'{"data": {"hits": [1]}}')
    if service.name in ("searxng", "tavily"):
        assert (await failure(service, answer)).code == "unreadable"
        return
    with serve(service.routes(answer)) as site:
        assert (await ask(service, site)).hits == ()


@pytest.mark.parametrize(
    "body",
    [
        b"<h1>oops</h1>",
        b"",
        b"[1, 2]",
        b'{"organic": [1], "items": [1], "web": {"results": [1]}, "results": [1]}',
        b'{"organic": 1, "items": 1, "web": 1, "results": 1}',
        b"[" * 200_000,
        b'{"results": [' + b"{}," * 30_000 + b"{}]}",
        b"\xff\xfe\x00",
        b" " * (MAX_BODY + 1),
    ],
    ids=lambda body: repr(body[:12]),
)
async def test_what_is_not_its_json_is_unreadable(service: Service, body: bytes) -> None:
    assert (await failure(service, Reply(body=body))).code == "unreadable"


@pytest.mark.parametrize(
    ("answer", "code"),
    [
        (Raw(), "unreachable"),
        (Raw(reset=True), "unreachable"),
        (Raw(chunks=[b"HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n{"]), "unreachable"),
        (Raw(chunks=[b"nonsense\r\n\r\n"]), "unreachable"),
        (Reply(headers={"Content-Encoding": "gzip"}, body=b"not gzip"), "unreadable"),
    ],
)
async def test_broken_answers(service: Service, answer: object, code: str) -> None:
    assert (await failure(service, answer)).code == code


async def test_a_compressed_flood_is_not_read_to_its_end(service: Service) -> None:
    body = gzip.compress(b" " * 20 * MAX_BODY)
    error = await failure(service, Reply(headers={"Content-Encoding": "gzip"}, body=body))
    assert (error.code, "3 MB" in error.message) == ("unreadable", True)


async def test_a_dripping_service_is_given_up(service: Service) -> None:
    error = await failure(
        service, lambda _: Reply(body=drip(b" ", every=0.05)), request_timeout=0.3
    )
    assert (error.code, "0.3 s" in error.message) == ("timeout", True)


async def test_a_service_that_is_not_there(service: Service) -> None:
    with pytest.raises(ActionError, match="no connection") as caught:
        await ask(service, "http://127.0.0.1:9999")
    assert caught.value.code == "unreachable"


async def test_the_base_url_may_have_a_path(service: Service) -> None:
    answer = service.answer(3)
    with serve({f"/base{path}": answer for path in service.paths}) as site:
        assert len((await ask(service, f"{site}/base/")).hits) == 3


async def test_connections_are_kept_and_closed_at_the_end(service: Service) -> None:
    with serve(service.routes(service.answer(3))) as site:
        async with state(**service.settings(site)) as opened:
            for _ in range(3):
                await found(opened, service.engine, Query(words="any"))
        assert len({request.client for request in site.requests}) == 1
        await ask(service, site)
        assert len({request.client for request in site.requests}) == 2


async def test_the_environment_decides_nothing(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    with serve(service.routes(service.answer(3))) as site, monkeypatch.context() as patch:
        for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
            patch.setenv(name, "http://127.0.0.1:9")
        assert len((await ask(service, site)).hits) == 3


async def test_the_real_address_is_reached_through_proxy_and_authority(
    service: Service, play: Play
) -> None:
    proxy = play(always(SiteReply(body='{"results": []}')))
    own = {} if service.key else {service.url: "https://searxng.example"}
    async with engines(proxy, **service.setup, **own) as opened:
        assert (await found(opened, service.engine, Query(words="any"))).hits == ()
    assert [request.host for request in proxy.requests] == [HOSTS[service.name]]


async def test_the_key_is_in_no_error_and_no_log(
    service: Service, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    echo = json.dumps({"message": KEY, "error": {"message": KEY, "code": KEY}})
    texts = [repr(SearchSettings.model_validate(service.setup))]
    for status in (200, 400, 401, 402, 403, 429, 500):
        error = await failure(service, Reply(status=status, body=echo)) if status != 200 else None
        texts.append(f"{error!r} {error} {error and vars(error)}")
    with serve(service.routes(service.answer(1))) as site:
        await ask(service, site)
        assert service.name == "searxng" or KEY in repr(site.requests)
    texts.append(caplog.text)
    assert KEY not in " ".join(texts)


@contextmanager
def named_service(
    service: Service, folder: Path, host: str, **kind: bool
) -> Iterator[tuple[Site, Path]]:
    """The service over TLS with a certificate for `host`; and the authority to trust."""
    authority = Authority(folder)
    context: ssl.SSLContext = authority.context(host, **kind)
    with serve(service.routes(service.answer(3)), tls=context) as site:
        yield site, authority.file


async def ask_by_name(
    service: Service, site: Site, ca_file: Path, name: str, *hosts: str
) -> ResultPage:
    """Ask a service at `name`, which resolves to loopback."""

    async def resolver(host: str, port: int) -> tuple[str, ...]:
        assert host == name
        return ("127.0.0.2", "127.0.0.1")  # nobody listens at the first

    settings = service.settings(f"https://{name}:{site.port}", ca_file=ca_file)
    guard = Guard("public", hosts, resolver)
    async with SearchState(SearchSettings.model_validate(settings), guard) as opened:
        return await found(opened, service.engine, Query(words="any"))


async def test_connections_go_to_the_checked_address(service: Service, tmp_path: Path) -> None:
    name = "api.test.example"
    with named_service(service, tmp_path, name) as (site, ca_file):
        allowed = f"{name}:{site.port}"
        assert len((await ask_by_name(service, site, ca_file, name, allowed)).hits) == 3
        assert site.requests[0].headers["host"] == allowed


async def test_a_certificate_for_another_host_is_refused(service: Service, tmp_path: Path) -> None:
    name = "api.test.example"
    with named_service(service, tmp_path, "other.example") as (site, ca_file):
        with pytest.raises(ActionError, match=r"not trusted \(it is for another host\)"):
            await ask_by_name(service, site, ca_file, name, f"{name}:{site.port}")
        assert site.requests == []


@pytest.mark.parametrize(
    ("kind", "why", "step"),
    [
        ("expired", "it is out of date", "clock"),
        ("self_signed", "its authority is unknown", "CA_FILE"),
    ],
)
async def test_what_is_wrong_with_a_certificate_is_told(
    service: Service, tmp_path: Path, kind: str, why: str, step: str
) -> None:
    name = "api.test.example"
    with named_service(service, tmp_path, name, **{kind: True}) as (site, ca_file):
        with pytest.raises(ActionError, match=rf"not trusted \({why}\)") as caught:
            await ask_by_name(service, site, ca_file, name, f"{name}:{site.port}")
        assert step in caught.value.hint
        assert not caught.value.retryable


async def test_private_addresses_need_the_allow_list(service: Service, tmp_path: Path) -> None:
    name = "api.test.example"
    with named_service(service, tmp_path, name) as (site, ca_file):
        with pytest.raises(PolicyDenied, match="not public") as caught:
            await ask_by_name(service, site, ca_file, name)
        assert f"allow_hosts = ['{name}:{site.port}']" in caught.value.hint
        assert site.requests == []


async def test_a_name_that_does_not_resolve(service: Service) -> None:
    async def resolver(host: str, port: int) -> tuple[str, ...]:
        return ()

    settings = SearchSettings.model_validate(service.settings("https://api.test.example"))
    async with SearchState(settings, Guard("public", (), resolver)) as opened:
        with pytest.raises(ActionError, match="does not resolve") as caught:
            await found(opened, service.engine, Query(words="any"))
    assert caught.value.code == "unreachable"

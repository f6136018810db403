"""`search.query` as its callers see it, through the real router."""

import asyncio

import pytest

from strap import StartupError, UsageError, count_tokens
from tests.plugins.search import pages
from tests.plugins.search.conftest import OpenWeb, Play, through
from tests.site.tlsproxy import SiteReply, SiteRequest

pytestmark = pytest.mark.anyio
OPEN = {"resource": "search", "action": "query"}


async def test_the_answer_names_engine_and_index_then_numbers_the_results(
    play: Play, open_web: OpenWeb
) -> None:
    async with open_web(**through(play(pages.duckduckgo(2)))) as web:
        result = await web(**OPEN, query="rust  async\n")
    assert result.text == (
        "duckduckgo (index: bing): 2 results for 'rust async'\n"
        f"1. Title 1\n{pages.link(1)}\nSnippet 1 & more\n"
        f"2. Title 2\n{pages.link(2)}\nSnippet 2 & more"
    )
    assert result.data["engine"] == "duckduckgo"
    assert result.data["results"][1]["url"] == pages.link(2)


async def test_ten_results_unless_more_are_asked_for(play: Play, open_web: OpenWeb) -> None:
    proxy = play(pages.duckduckgo(60))
    async with open_web(**through(proxy)) as web:
        assert len((await web(**OPEN, query="any")).data["results"]) == 10
        assert len(proxy.requests) == 1
        more = await web(**OPEN, query="any", limit=37, max_tokens=9000)
    assert len(proxy.requests) == 1 + 3
    assert [item["url"] for item in more.data["results"]] == [pages.link(n) for n in range(1, 38)]
    assert "\n37. Title 37\n" in more.text
    assert "\n38. " not in more.text


async def test_the_same_page_is_listed_once(play: Play, open_web: OpenWeb) -> None:
    hrefs = ["https://x.example/a?b=1", "http://www.x.example/a/?b=1&utm_source=ddg#top"]
    body = pages.ddg_page(
        [*(pages.result(n, href) for n, href in enumerate(hrefs)), pages.result(3)]
    )
    async with open_web(**through(play(pages.always(SiteReply(body=body))))) as web:
        result = await web(**OPEN, query="any")
    assert [item["url"] for item in result.data["results"]] == [hrefs[0], pages.link(3)]


async def test_an_engine_that_repeats_itself_is_not_asked_forever(
    play: Play, open_web: OpenWeb
) -> None:
    body = pages.ddg_page([pages.result(1)], pages.form(10, "4-x", "Next"))
    proxy = play(pages.always(SiteReply(body=body)))
    async with open_web(**through(proxy)) as web:
        result = await web(**OPEN, query="any", limit=50)
    assert len(result.data["results"]) == 1
    assert len(proxy.requests) == 2


async def test_no_results_are_an_answer_with_a_next_step(play: Play, open_web: OpenWeb) -> None:
    async with open_web(**through(play(pages.duckduckgo(0)))) as web:
        result = await web(**OPEN, query="any")
    assert not result.is_error
    assert result.text == (
        "duckduckgo (index: bing): no results for 'any'. "
        "Use fewer or other words. Or use engine='google'."
    )


async def test_google_without_a_key_says_who_answers(play: Play, open_web: OpenWeb) -> None:
    async with open_web(**through(play(pages.startpage(3)))) as web:
        result = await web(**OPEN, query="any", engine="google")
    assert result.text.startswith(
        "startpage (index: google; keyless, standing in for engine='google'): 3 results for 'any'\n"
    )


@pytest.mark.parametrize(
    ("reply", "code", "text"),
    [
        (
            SiteReply(status=202, body=pages.CHALLENGE),
            "rate_limited",
            (
                "takes no more queries for now (HTTP 202). strap does not ask it again for 60 s; "
                "wait that long"
            ),
        ),
        (
            SiteReply(body=pages.CHALLENGE),
            "blocked",
            (
                "shows a bot check in place of results (a challenge page). strap does not ask "
                "it again for 60 s; wait that long. The operator can set STRAP_SEARCH__PROXY to "
                "another way out"
            ),
        ),
        (
            SiteReply(stall=True),
            "timeout",
            "did not answer within 1 s. Repeat the query once, with a larger timeout",
        ),
        (
            SiteReply(body=""),
            "unreadable",
            "answered with an empty or broken page. Try other words",
        ),
    ],
)
async def test_failures_say_what_happened_and_the_next_step(
    play: Play, open_web: OpenWeb, reply: SiteReply, code: str, text: str
) -> None:
    settings = {"request_timeout": 1} if reply.stall else {}
    async with open_web(**through(play(pages.always(reply)), **settings)) as web:
        error = await web.fails(**OPEN, query="any")
    assert error.code == code
    assert str(error) == f"duckduckgo {text}. Or use engine='google'."


def _redesigned(request: SiteRequest) -> SiteReply:
    """DuckDuckGo after a change of its pages, and Startpage as it was."""
    if request.host == "www.startpage.com":
        return pages.startpage(2)(request)
    return SiteReply(body="<p>We have redesigned everything.</p>")


async def test_the_next_engine_is_asked_where_none_is_named_and_the_first_has_changed(
    play: Play, open_web: OpenWeb
) -> None:
    async with open_web(**through(play(_redesigned))) as web:
        result = await web(**OPEN, query="any")
        error = await web.fails(**OPEN, query="any", engine="duckduckgo")
    first, second, *_ = result.text.splitlines()
    assert first == (
        "duckduckgo answered with a page without results, for an unknown reason. "
        "engine='google' was asked in its place."
    )
    assert second.startswith("startpage (index: google; ")
    assert error.code == "unreadable"


async def test_the_engine_runs_out_of_time_before_the_call(play: Play, open_web: OpenWeb) -> None:
    async with open_web(**through(play(pages.always(SiteReply(stall=True))))) as web:
        error = await web.fails(**OPEN, query="any", timeout=2)
    assert str(error).startswith("duckduckgo did not answer within 1.8 s.")


async def test_only_engines_that_are_set_up_are_suggested(play: Play, open_web: OpenWeb) -> None:
    blocked = play(pages.always(SiteReply(status=403)))
    async with open_web(**through(blocked, startpage=False)) as web:
        assert "engine=" not in str(await web.fails(**OPEN, query="any"))
        error = await web.fails(**OPEN, query="any", engine="google")
    assert str(error) == (
        "engine='google' is not set up. The operator sets STRAP_SEARCH__SERPER_KEY to a key of "
        "serper.dev; or STRAP_SEARCH__GOOGLE_KEY and STRAP_SEARCH__GOOGLE_CX, for who has a key "
        "of Programmable Search (no new ones, ends 2027-01-01); or STRAP_SEARCH__STARTPAGE=true "
        "for Google's index through Startpage, without a key. Or use engine='duckduckgo'."
    )


@pytest.mark.parametrize(
    ("engine", "setting"),
    [
        ("brave", "STRAP_SEARCH__BRAVE_KEY"),
        ("tavily", "STRAP_SEARCH__TAVILY_KEY"),
        ("searxng", "STRAP_SEARCH__SEARXNG_URL"),
    ],
)
async def test_an_engine_that_is_not_set_up_says_what_to_set(
    play: Play, open_web: OpenWeb, engine: str, setting: str
) -> None:
    proxy = play(pages.duckduckgo(1))
    async with open_web(**through(proxy)) as web:
        error = await web.fails(**OPEN, query="any", engine=engine)
    assert error.code == "not_configured"
    assert setting in error.hint
    assert "Or use engine='duckduckgo' or 'google'." in error.hint
    assert proxy.requests == []


async def test_nothing_is_asked_elsewhere_when_an_engine_fails(
    play: Play, open_web: OpenWeb
) -> None:
    proxy = play(pages.always(SiteReply(status=500)))
    async with open_web(**through(proxy)) as web:
        await web.fails(**OPEN, query="any")
        await web.fails(**OPEN, query="any", engine="google")
    assert [request.host for request in proxy.requests] == [
        "html.duckduckgo.com",
        "www.startpage.com",
    ]


@pytest.mark.parametrize(
    ("later", "reason"),
    [
        (SiteReply(status=202), "takes no more queries for now (HTTP 202)"),
        (SiteReply(stall=True), "did not answer within 1.8 s"),
    ],
)
async def test_what_was_found_before_a_failure_is_kept(
    play: Play, open_web: OpenWeb, later: SiteReply, reason: str
) -> None:
    well = pages.duckduckgo(50)
    async with open_web(**through(play(lambda r: later if "s" in r.form else well(r)))) as web:
        result = await web(**OPEN, query="any", limit=30, timeout=2)
    assert len(result.data["results"]) == 10
    assert "\n[10 of 30, then: duckduckgo " in result.text
    assert reason in result.text


async def test_a_long_answer_is_cut_between_results_and_says_how_to_get_all(
    play: Play, open_web: OpenWeb
) -> None:
    async with open_web(**through(play(pages.duckduckgo(40)))) as web:
        short = await web(**OPEN, query="any", limit=40, max_tokens=600)
        assert count_tokens(short.text) <= 600
        *_, last = short.text.splitlines()
        shown = short.text.count("\nSnippet ")
        assert 5 < shown < 40
        assert last.startswith(f"[Shown: {shown} of 40. For all: max_tokens=")
        needed = int(last.removesuffix("]").rpartition("=")[2])
        full = await web(**OPEN, query="any", limit=40, max_tokens=needed)
    assert full.text.count("\nSnippet ") == 40
    assert "[" not in full.text


@pytest.mark.parametrize(
    "arguments",
    [
        {"query": ""},
        {"query": "  \n"},
        {"query": "x" * 500},
        {"query": ["a"]},
        {},
        {"query": "a", "limit": 0},
        {"query": "a", "limit": 51},
        {"query": "a", "limit": "many"},
        {"query": "a", "engine": "bing"},
        {"query": "a", "serper_key": "k"},
        {"query": "a", "proxy": "http://127.0.0.1:9"},
    ],
)
async def test_wrong_arguments_ask_nobody(play: Play, open_web: OpenWeb, arguments: dict) -> None:
    proxy = play(pages.duckduckgo(1))
    async with open_web(**through(proxy)) as web:
        assert isinstance(await web.fails(**OPEN, **arguments), UsageError)
    assert proxy.requests == []


@pytest.mark.parametrize(
    "settings",
    [
        {"proxy": "socks5://127.0.0.1:9"},
        {"ca_file": "/nonexistent/ca.pem"},
        {"serper_url": "file:///etc/passwd"},
        {"serper_url": "https://user:pass@serper.example"},
        {"searxng_url": "searxng.example"},
        {"serper_key": ""},
        {"brave_key": "with space"},
        {"tavily_key": "line\nbreak"},
        {"google_cx": ""},
        {"region": "en"},
        {"limit": 5},
    ],
)
async def test_wrong_settings_are_start_up_errors_that_name_the_key(
    open_web: OpenWeb, settings: dict
) -> None:
    with pytest.raises(StartupError, match=f"'{next(iter(settings))}'"):
        async with open_web(**settings):
            pass


async def test_a_key_of_google_needs_its_engine(open_web: OpenWeb) -> None:
    with pytest.raises(StartupError, match=r"'google_cx'.*is needed with google_key") as caught:
        async with open_web(google_key="hunter2"):
            pass
    assert "hunter2" not in str(caught.value)


@pytest.mark.parametrize(
    "keys", [{"serper_key": "hunter2"}, {"google_key": "hunter2", "google_cx": "c"}]
)
async def test_secrets_are_in_no_answer_and_no_log(
    play: Play, open_web: OpenWeb, caplog: pytest.LogCaptureFixture, keys: dict[str, str]
) -> None:
    caplog.set_level("DEBUG")
    proxy = play(pages.always(SiteReply(status=403, body='{"message": "hunter2"}')))
    secret = proxy.url.replace("//", "//user:hunter2@")
    keys |= {"brave_key": "hunter2", "tavily_key": "hunter2"}
    async with open_web(**through(proxy, proxy=secret, **keys)) as web:
        for engine in ("google", "duckduckgo", "brave", "tavily"):
            await web.fails(**OPEN, query="any", engine=engine)
        await web(resource="search", action="help", value="query")
    assert "hunter2" not in web.transcript
    assert "hunter2" not in caplog.text


async def test_calls_run_side_by_side(play: Play, open_web: OpenWeb) -> None:
    proxy = play(pages.duckduckgo(10))
    async with open_web(**through(proxy)) as web:
        results = await asyncio.gather(*(web(**OPEN, query=f"q{n}") for n in range(8)))
    assert {result.data["query"] for result in results} == {f"q{n}" for n in range(8)}
    assert all(len(result.data["results"]) == 10 for result in results)


async def test_the_callers_cancellation_ends_the_request(play: Play, open_web: OpenWeb) -> None:
    proxy = play(pages.always(SiteReply(stall=True)))
    async with open_web(**through(proxy)) as web:
        call = asyncio.create_task(web(**OPEN, query="any"))
        assert await asyncio.to_thread(proxy.stalled.wait, 10)
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call
        assert await asyncio.to_thread(proxy.hung_up.wait, 10)


async def test_progress_is_reported_between_pages(play: Play, open_web: OpenWeb) -> None:
    reports = []

    async def progress(message: str, done: float, total: float | None) -> None:
        reports.append((message, done, total))

    async with open_web(**through(play(pages.duckduckgo(50)))) as web:
        await web.router.call({**OPEN, "query": "any", "limit": 30}, progress=progress)
    assert reports == [("duckduckgo: 10 results", 10, 30), ("duckduckgo: 25 results", 25, 30)]

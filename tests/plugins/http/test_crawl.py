"""`http.crawl`: the pages of a site, politely, without its traps."""

import asyncio
import json
import threading
import time

import pytest

from strap import ActionError, PolicyDenied, UsageError, count_tokens
from strap_http.sites import visits
from strap_http.sites.pace import Pace
from strap_http.sites.text_fingerprint import LOOKED_AT, fingerprint
from tests.site.server import Reply, serve

pytestmark = pytest.mark.anyio

TEXT = {"Content-Type": "text/plain"}


@pytest.fixture
async def web(named_web):
    """A router that asks sites without pauses."""
    return await named_web("a", "b", crawl_interval=0)


async def crawled(web, site, path="/", **fields):
    return await web(resource="http", action="crawl", url=f"{site}{path}", **fields)


def page(number, *links):
    listed = "".join(f'<a href="{link}">to {link}</a> ' for link in links)
    return f"<title>Page {number}</title><p>This is page {number} of the handbook.</p>{listed}"


class Busy:
    """A site that notes how many requests it had at once, and when each came."""

    def __init__(self, answer, pause=0.0):
        self.answer, self.pause = answer, pause
        self.most = self.now = 0
        self.times = []
        self._lock = threading.Lock()

    def __call__(self, request):
        with self._lock:
            self.now += 1
            self.most = max(self.most, self.now)
            self.times.append(time.monotonic())
        time.sleep(self.pause)
        try:
            return self.answer(request)
        finally:
            with self._lock:
                self.now -= 1


def handbook(count, more=()):
    """Pages that lead to two others each, below /docs/."""
    return {
        f"/docs/{n}": page(n, *(f"/docs/{m}" for m in (2 * n, 2 * n + 1) if m < count), *more)
        for n in range(1, count)
    }


async def test_pages_come_breadth_first_from_below_the_url(web):
    routes = handbook(8, ["/about", "https://other.example/", "/docs/logo.png"])
    with serve(routes) as site:
        result = await crawled(web, site, "/docs/1")
    assert [one["url"] for one in result.data["pages"]] == [f"{site}/docs/{n}" for n in range(1, 8)]
    head, first, *_ = result.text.splitlines()
    assert head == f"7 pages of {site}/docs/; no more are known."
    assert first == f"- Page 1: {site}/docs/1 ({result.data['pages'][0]['characters']} characters)"
    assert result.data["next_start"] is None


async def test_each_page_is_told_as_it_comes(web):
    told = []

    async def note(message, done, total):
        told.append((message, done, total))

    with serve(handbook(8)) as site:
        call = {"resource": "http", "action": "crawl", "url": f"{site}/docs/1", "limit": 3}
        await web.router.call(call, progress=note)
    assert told == [(f"{site}/docs/{n}", n, 3) for n in range(1, 4)]


async def test_dots_lead_out_of_no_crawl(web):
    out = [f"/docs/{dots}/private" for dots in ("..", "%2e%2E", "x/../..", ".%2e")]
    routes = dict.fromkeys(["/private", *out], page(2))
    with serve(routes) as site:
        routes["/docs/1"] = page(1, *out, *(f"{site}{path}" for path in out))
        result = await crawled(web, site, "/docs/1")
        asked = [request.path for request in site.requests]
    assert [one["url"] for one in result.data["pages"]] == [f"{site}/docs/1"]
    assert set(asked) <= {"/robots.txt", "/sitemap.xml", "/docs/1"}, asked


async def test_a_page_is_one_however_its_path_is_written(web):
    routes = {"/docs/1": page(1, "/docs/./2", "/docs/x/../2", "/docs/2", "2"), "/docs/2": page(2)}
    with serve(routes) as site:
        result = await crawled(web, site, "/docs/1")
    assert [one["url"] for one in result.data["pages"]] == [f"{site}/docs/1", f"{site}/docs/2"]


async def test_it_goes_on_where_it_stopped(web):
    with serve(handbook(20)) as site:
        first = await crawled(web, site, "/docs/1", limit=8)
        assert first.data["next_start"] == 8
        assert first.text.endswith("[Next: the same call with start=8]")
        second = await crawled(web, site, "/docs/1", limit=50, start=8)
        assert len(second.data["pages"]) == 11
        again = await crawled(web, site, "/docs/1", limit=8, start=0)
        assert again.data["pages"] == first.data["pages"]
        with pytest.raises(UsageError, match="start=99 is past the end"):
            await crawled(web, site, "/docs/1", start=99)


async def test_pages_are_files_with_an_index_and_can_be_gone_on_with_later(
    web, named_web, tmp_path
):
    with serve({**handbook(6), "/docs/": page("home", "/docs/1", "/docs/1?v=2")}) as site:
        first = await crawled(web, site, "/docs/", limit=3, output="book")
        later = await named_web("a", crawl_interval=0)
        rest = await crawled(later, site, "/docs/", start=3, output="book")
        asked = [request.path for request in site.requests]
    assert sorted(asked.count(f"/docs/{n}") for n in (2, 3, 4, 5)) == [1, 1, 1, 1]
    folder = next(tmp_path.rglob("index.md")).parent
    assert f"in {folder} (index.md lists them)" in first.text
    names = {"start.md", "1.md", "2.md", "3.md", "4.md", "5.md"}
    assert names <= {path.name for path in folder.iterdir()}
    assert [one["file"] for one in rest.data["pages"]] != []
    text = (folder / "2.md").read_text()
    assert text.startswith(f"---\nurl: {site}/docs/2\ntitle: Page 2\n---\n\n# Page 2\n")
    index = (folder / "index.md").read_text()
    assert f"- [Page 5](5.md) <{site}/docs/5>" in index


async def test_passages_of_all_pages_are_shown_and_fetch_reads_on(web):
    hay = "<p>The weather on the river was as in all the years before. " * 30
    routes = handbook(5)
    routes["/docs/3"] = f"<title>Mill</title>{hay}<p>The mill grinds rye.{hay}"
    with serve(routes) as site:
        result = await crawled(web, site, "/docs/1", text="grinds rye")
        assert "1 of them have passages with 'grinds rye':" in result.text
        assert f"\n{site}/docs/3\n[start=" in result.text
        start = int(result.text.rpartition("[start=")[2].partition("]")[0])
        fetch = {"resource": "http", "action": "fetch", "url": f"{site}/docs/3"}
        assert "The mill grinds rye." in (await web(**fetch, start=start)).text
        assert [request.path for request in site.requests].count("/docs/3") == 1
        nothing = await crawled(web, site, "/docs/1", text="zebra")
        assert "None of them has 'zebra'." in nothing.text


def calendar(request):
    year, month = int(request.query["y"][0]), int(request.query["month"][0])
    onward = f"/calendar?y={year + month // 12}&month={month % 12 + 1}"
    return f"<title>Calendar</title><p>Events in {month}/{year}: none.</p><a href='{onward}'>Next"


def session(request):
    now = time.monotonic_ns()
    return page(2, f"/docs/1?PHPSESSID={now}", f"/docs/3?token={now}", "/docs/4", "/docs/5")


async def test_traps_are_left_out(web):
    traps = (
        "/calendar?y=2026&month=1",
        "/deep/a/",
        "/loop",
        *(f"/list?sort={a}&color={b}&size={c}" for a in "abcd" for b in "xyz" for c in "12"),
    )
    wanted = handbook(60, traps)
    routes = {
        **wanted,
        "/docs/2": session,
        "/calendar": calendar,
        "/list": page("list", "/docs/1"),
        "/loop": Reply(status=302, headers={"Location": "/loop"}),
        **{"/deep/" + "a/" * n: page(f"deep {n}", "a/") for n in range(1, 30)},
    }
    routes["/"] = page(0, "/docs/1")
    with serve(routes) as site:
        result = await crawled(web, site, limit=500)
        asked = [request.path for request in site.requests]
    found = {one["url"].removeprefix(site) for one in result.data["pages"]}
    assert {*wanted, "/"} <= found
    assert not any("calendar" in url for url in found)
    assert len(found) <= len(wanted) + 4
    assert asked.count("/calendar") <= 5
    assert asked.count("/list") <= 8
    assert asked.count("/docs/1") == 1
    assert asked.count("/docs/3") <= 4
    assert sum(path.startswith("/deep") for path in asked) <= 3
    assert "without end" in result.text
    assert count_tokens(result.text) <= 1_500


async def test_pages_that_differ_in_where_they_lead_alone_are_one(web):
    """As those that a site makes up for any address, and that lead to ever more of them."""
    said = "This page is gone, or never was. " * 9
    gone = {f"/docs/gone-{n}": f'<p>{said}<a href="gone-{n + 1}">on</a>' for n in range(40)}
    with serve({**handbook(8, ["/docs/gone-0"]), **gone}) as site:
        result = await crawled(web, site, "/docs/1", limit=500)
        asked = [request.path for request in site.requests]
    assert len(result.data["pages"]) == 7 + 1
    assert sum("gone" in path for path in asked) <= 12


class AnyAddress(dict):
    """Routes of a site that has something to say at any address."""

    def __init__(self, routes, said=lambda request: f"<p>Sorry, {request.path} is gone."):
        super().__init__(routes)
        self.said = said

    def get(self, path, default=None):
        return super().get(path, self.said)


async def test_what_a_site_says_at_any_address_is_no_page(web, tmp_path):
    dead = [f"/docs/lost-{n}" for n in range(0, 28, 2)]
    there = {f"/docs/lost-{n}": page(n) for n in range(1, 29, 2)}
    links = "".join(f"<a href=/docs/lost-{n}>on</a>" for n in range(28))
    missing = {"/robots.txt": Reply(status=404), "/sitemap.xml": Reply(status=404)}
    with serve(AnyAddress({"/docs/": f"<h1>Start</h1>{links}", **there, **missing})) as site:
        result = await crawled(web, site, "/docs/", limit=500, output="book")
        unheard_of = {request.path for request in site.requests} - {*dead, *there, "/docs/"}
    assert {one["url"].removeprefix(site) for one in result.data["pages"]} == {"/docs/", *there}
    assert "made up for any address 14" in result.text
    assert len(unheard_of - {"/robots.txt", "/sitemap.xml"}) == 1
    folder = next(tmp_path.rglob("index.md")).parent
    assert len(list(folder.glob("*.md"))) == 1 + 1 + len(there)
    assert "lost-2>" not in (folder / "index.md").read_text()


async def test_what_an_answer_has_told_of_is_not_taken_back(web):
    dead = "".join(f"<a href=/docs/lost-{n}>on</a>" for n in range(4))
    with serve(AnyAddress({"/robots.txt": Reply(status=404), "/docs/": dead})) as site:
        first = await crawled(web, site, "/docs/", limit=3)
        assert len(first.data["pages"]) == 3
        rest = await crawled(web, site, "/docs/", limit=50, start=3)
    assert rest.data["pages"] == []
    assert rest.data["next_start"] is None


async def test_the_same_text_at_addresses_that_a_site_really_has_is_one_page(web):
    said = "The mill is open on every day of the week but for Mondays. " * 5
    versions = {f"/v{n}/opening": f"<h1>Opening</h1><p>{said}" for n in range(14)}
    links = "".join(f"<a href={path}>on</a>" for path in versions)
    with serve({"/": links, **versions}) as site:
        result = await crawled(web, site)
    assert [one["url"] for one in result.data["pages"]] == [f"{site}/", f"{site}/v0/opening"]


async def test_what_a_search_finds_is_followed_but_no_page(web):
    def found(request):
        number = int(request.query["page"][0])
        return page(f"of results {number}", f"/search?q=rye&page={number + 1}", f"/p/{number}")

    pages = {f"/p/{number}": page(number) for number in range(1, 5)}
    with serve({"/": page(0, "/search?q=rye&page=1"), "/search": found, **pages}) as site:
        result = await crawled(web, site)
        paths = [one["url"].removeprefix(site) for one in result.data["pages"]]
        assert paths == ["/", *pages]
        assert 4 <= [request.path for request in site.requests].count("/search") <= 10
        itself = await crawled(web, site, "/search?q=rye&page=1", limit=4)
    assert "/search?q=rye&page=2" in [one["url"].removeprefix(site) for one in itself.data["pages"]]


async def test_pages_whose_names_begin_as_searches_do_are_pages(web):
    paths = ["/findings", "/find-a-doctor", "/searchlight.php", "/sokolov", "/finder", "/find"]

    def of_number(request):
        return f"<p>{request.path} has the number {request.query['id'][0]}."

    links = [f"{path}?id={number}" for path in paths for number in range(3)]
    searches = ["/search?q=rye", "/suche/?suchbegriff=rye", "/search-results.php?search_text=rye"]
    found = {url.partition("?")[0]: page(1) for url in searches}
    routes = {"/": page(0, *links, *searches), **dict.fromkeys(paths, of_number), **found}
    with serve(routes) as site:
        result = await crawled(web, site, limit=50)
    assert [one["url"].removeprefix(site) for one in result.data["pages"]] == ["/", *links]
    assert "found by searches 3" in result.text


@pytest.mark.parametrize("leads", [True, False], ids=["redirected", "shown"])
async def test_a_home_page_that_answers_for_any_address_stays(web, leads):
    home = f"<h1>Welcome</h1><p>{'The mill is open on every day. ' * 9}"
    elsewhere = Reply(status=302, headers={"Location": "/"}) if leads else home
    there = {"/": home, "/index.html": home, "/home": home, "/a.html": page(1), "/b.html": page(2)}
    lost = [f"/{name}/lost" for name in "cdefg"]
    routes = {**there, "/docs.html": page(0, *there, *lost), "/robots.txt": Reply(status=404)}
    with serve(AnyAddress(routes, elsewhere)) as site:
        result = await crawled(web, site, "/docs.html", limit=50)
    paths = [one["url"].removeprefix(site) for one in result.data["pages"]]
    assert paths == ["/docs.html", "/", "/a.html", "/b.html"]


def test_pages_say_the_same_but_for_their_links_and_their_own_address():
    one = fingerprint("http://a/mill", "It is at http://a/mill is [open](/2) on /mill.")
    other = fingerprint("http://a/barn", "It is at http://a/barn is [open](/345) on /barn.")
    assert one.apart == other.apart
    assert one.text != other.text
    assert one.text == fingerprint("", "It is at http://a/mill is [open](/9) on /mill.").text
    links = [f"It is [open](/(S({number}))/a_(b_(c))/x) now" for number in (1, 23)]
    assert len({fingerprint("", link).text for link in links}) == 1
    ends = [fingerprint("", f"{'rye ' * LOOKED_AT}{end}") for end in ("a", "b", "a")]
    assert ends[0] == ends[2]
    assert not {ends[0].text, ends[0].apart} & {ends[1].text, ends[1].apart}


async def test_what_a_page_says_is_read_once_and_not_on_the_loop(web, monkeypatch):
    threads = []

    def noted(url, text):
        threads.append(threading.current_thread())
        return fingerprint(url, text)

    monkeypatch.setattr(visits, "fingerprint", noted)
    with serve({"/": page(0, "/1", "/2"), "/1": page(1), "/2": page(2)}) as site:
        await crawled(web, site)
    assert len(threads) == 3
    assert threading.current_thread() not in threads


async def test_no_month_of_a_calendar_is_kept_that_says_what_all_say(web):
    def month(request):
        following = int(request.query["month"][0]) + 1
        return f"<p>{'Nothing takes place here. ' * 12}<a href=?month={following}>Next"

    with serve({"/": page(0, "/calendar?month=1"), "/calendar": month}) as site:
        result = await crawled(web, site)
    assert [one["url"] for one in result.data["pages"]] == [f"{site}/"]


async def test_a_host_that_answers_again_is_asked_sooner_again():
    pace = Pace(1.0)
    for _ in range(3):
        pace.refused(0)
    assert pace.interval == 8
    for _ in range(40):
        pace.answered()
    assert pace.interval == 1
    pace.slow_down(4)
    pace.answered()
    assert pace.interval == 4


async def test_days_that_differ_are_pages_and_so_is_a_single_one(web):
    said = ("the mill opens", "a market of cloth and of horses", "we sing on the ford until late")
    routes = {f"/news/2026/0{n}": f"<h1>News</h1><p>{said[n - 1]}" for n in (1, 2, 3)}
    links = "".join(f"<a href={path}>{path}</a>" for path in (*routes, "/calendar?year=2026"))
    routes |= {"/": links, "/calendar": "<p>Nothing happens in 2026.</p>"}
    with serve(routes) as site:
        result = await crawled(web, site)
    assert len(result.data["pages"]) == 5


async def test_never_a_third_request_at_once_and_no_faster_than_the_interval(named_web):
    web = await named_web("a", crawl_interval=0.05)
    pages = handbook(12)
    busy = Busy(lambda request: pages[request.path], pause=0.15)
    with serve(dict.fromkeys(pages, busy)) as site:
        await asyncio.gather(*(crawled(web, site, f"/docs/{n}") for n in (1, 2)))
    assert busy.most == 2
    assert busy.times[-1] - busy.times[0] > 0.04 * (len(busy.times) - 1)


async def test_robots_are_kept_to_and_counted(web):
    rules = "User-agent: *\nDisallow: /docs/2\nCrawl-delay: 0.01"
    routes = {**handbook(8), "/robots.txt": Reply(headers=TEXT, body=rules)}
    with serve(routes) as site:
        result = await crawled(web, site, "/docs/1")
        assert "[Left out: forbidden by robots.txt 1]" in result.text
        assert "/docs/2" not in [request.path for request in site.requests]
        error = await web.fails(resource="http", action="crawl", url=f"{site}/docs/2")
    assert isinstance(error, PolicyDenied)
    assert error.code == "robots"


async def test_a_site_that_has_enough_is_left_alone_for_a_while(web, monkeypatch):
    monkeypatch.setattr(visits, "REST", 0.5)
    refusals = iter((Reply(status=429, headers={"Retry-After": "1"}), Reply(status=503)))

    def flaky(request):
        return next(refusals, page(3))

    with serve({**handbook(7), "/docs/3": flaky}) as site:
        began = time.monotonic()
        result = await crawled(web, site, "/docs/1", timeout=20)
        assert time.monotonic() - began >= 1
    assert f"{site}/docs/3" in [one["url"] for one in result.data["pages"]]
    assert "Left out" not in result.text


async def test_the_time_that_is_up_leaves_the_rest_to_the_next_call(web):
    pages = handbook(40)
    slow = Busy(lambda request: pages[request.path], pause=0.2)
    with serve(dict.fromkeys(pages, slow)) as site:
        first = await crawled(web, site, "/docs/1", limit=40, timeout=2)
        got = len(first.data["pages"])
        assert 2 <= got < 39
        assert first.data["next_start"] == got
        slow.pause = 0
        rest = await crawled(web, site, "/docs/1", limit=40, start=got)
    assert got + len(rest.data["pages"]) == 39


async def test_one_clear_error_where_there_is_nothing_to_begin_with(web, tmp_path):
    with serve({"/there": "hi"}) as site:
        error = await web.fails(resource="http", action="crawl", url=f"{site}/gone", output="x")
        assert error.code == "no_pages"
        assert "answers with HTTP 404." in str(error)
        error = await web.fails(resource="http", action="crawl", url=f"{site}/there", start=5)
        assert isinstance(error, ActionError)
        assert error.code == "gone"
        for output, said in (
            ("../x", "output='../x' is outside"),
            ("/etc/x", "as in output='x'"),
            ("  ", "is not a path"),
            (".", "output='.' is the folder for all files."),
        ):
            error = await web.fails(
                resource="http", action="crawl", url=f"{site}/there", output=output
            )
            assert error.code == "invalid_arguments"
            assert said in str(error)
        assert [r.path for r in site.requests if r.path == "/there"] == []
    assert list(tmp_path.rglob("*.md")) == []


async def test_a_crawl_that_is_killed_has_not_lost_what_it_was_asking_for(web, tmp_path):
    """A killed process leaves the folder as it is while a page is on its way."""
    left = []

    def slow(_):
        until = time.monotonic() + 10
        while not list(tmp_path.rglob("book/2.md")) and time.monotonic() < until:
            time.sleep(0.02)
        time.sleep(0.2)
        left.extend(path.read_text() for path in tmp_path.rglob("book/crawl.json"))
        return page(3)

    with serve({**handbook(4), "/docs/3": slow}) as site:
        result = await crawled(web, site, "/docs/1", output="book")
    assert len(result.data["pages"]) == 3
    (state,) = map(json.loads, left)
    assert [one["url"] for one in state["pages"]] == [f"{site}/docs/1", f"{site}/docs/2"]
    assert state["waiting"] == [f"{site}/docs/3"]


async def test_nothing_is_written_before_it_could_be_gone_on_with(web, tmp_path):
    maps = "".join(f"Sitemap: /{n}.xml\n" for n in range(5))
    routes = {**handbook(4), "/robots.txt": Reply(headers=TEXT, body=maps)}
    seen = []

    def listed(request):
        seen.append(list(tmp_path.rglob("book/*")))
        return Reply(headers=TEXT, body="")

    with serve({**routes, **{f"/{n}.xml": listed for n in range(5)}}) as site:
        await crawled(web, site, "/docs/1", output="book", limit=1)
    assert seen == [[]] * 5
    assert {path.name for path in tmp_path.rglob("book/*")} == {"1.md", "index.md", "crawl.json"}


async def test_a_folder_that_is_taken_stays_as_it_is(web):
    with serve(handbook(4)) as site:
        await crawled(web, site, "/docs/1", output="book")
        before = len(site.requests)
        error = await web.fails(
            resource="http", action="crawl", url=f"{site}/docs/1", output="book"
        )
        assert error.code == "output"
        assert "exists already" in str(error)
        assert len(site.requests) == before


async def test_addresses_of_other_networks_are_refused_as_ever(named_web):
    web = await named_web(answers={}, crawl_interval=0)
    with serve(
        {"/": page(0, "/moved"), "/moved": Reply(status=302, headers={"Location": "ftp://x/"})}
    ) as site:
        result = await crawled(web, site)
    assert len(result.data["pages"]) == 1
    assert "[Left out: forbidden by the rules of this machine 1]" in result.text


@pytest.mark.parametrize("action", ["crawl", "map"])
async def test_a_text_without_words_is_refused_before_anything_is_asked(web, action):
    asked = []
    with serve(asked.append) as site, pytest.raises(UsageError, match="text is empty"):
        await web(resource="http", action=action, url=f"{site}/", text=" \n")
    assert not asked

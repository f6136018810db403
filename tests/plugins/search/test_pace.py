"""When engines are asked: at intervals, and not for a while after a refusal."""

import asyncio

import pytest

from strap import ActionError
from strap_search.rate_limit import RateLimiter
from tests.plugins.search import pages
from tests.plugins.search.conftest import OpenWeb, Play, state, through
from tests.site.tlsproxy import SiteReply

pytestmark = pytest.mark.anyio
OPEN = {"resource": "search", "action": "query", "query": "any"}


class Clock:
    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def pace(clock: Clock) -> RateLimiter:
    return RateLimiter(interval=0, cooldown=60, clock=clock)


def refuse_again(pace: RateLimiter, clock: Clock, after: float | None = None) -> float:
    """Be refused once the time before has passed."""
    seconds = pace.refused(after)
    clock.now += seconds
    return seconds


def test_a_cool_down_doubles_up_to_a_bound(pace: RateLimiter, clock: Clock) -> None:
    seconds = [refuse_again(pace, clock) for _ in range(7)]
    assert seconds == [60, 120, 240, 480, 960, 960, 960]


def test_an_answer_ends_the_doubling(pace: RateLimiter, clock: Clock) -> None:
    refuse_again(pace, clock)
    refuse_again(pace, clock)
    pace.answered()
    assert refuse_again(pace, clock) == 60


def test_queries_on_their_way_do_not_double_it(pace: RateLimiter, clock: Clock) -> None:
    assert pace.refused(None) == 60
    clock.now += 20
    assert pace.refused(None) == 40
    clock.now += 40
    assert pace.refused(None) == 120


@pytest.mark.parametrize(("after", "seconds"), [(5, 5), (0, 0), (1e9, 3600), (-3, 0)])
def test_what_the_engine_says_counts(pace: RateLimiter, after: float, seconds: float) -> None:
    assert pace.refused(after) == seconds


async def test_a_resting_engine_is_not_asked(pace: RateLimiter, clock: Clock) -> None:
    pace.refused(None)
    clock.now += 17
    with pytest.raises(ActionError) as caught:
        await pace.turn("duckduckgo")
    assert caught.value.code == "cooling_down"
    assert "43 s" in caught.value.message
    assert caught.value.retryable
    clock.now += 43
    await pace.turn("duckduckgo")


async def test_requests_of_all_queries_keep_their_distance() -> None:
    pace = RateLimiter(interval=60, cooldown=60)
    await pace.turn("duckduckgo")
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(pace.turn("duckduckgo"), 0.05)


async def test_a_refusal_reaches_those_who_wait_for_their_turn() -> None:
    pace = RateLimiter(interval=0.05, cooldown=60)
    await pace.turn("duckduckgo")
    waiting = asyncio.create_task(pace.turn("duckduckgo"))
    await asyncio.sleep(0)
    pace.refused(None)
    with pytest.raises(ActionError, match="left alone"):
        await waiting


async def test_who_gives_up_takes_no_turn_from_the_others() -> None:
    pace = RateLimiter(interval=0.1, cooldown=60)
    await pace.turn("duckduckgo")
    waiting = [asyncio.create_task(pace.turn("duckduckgo")) for _ in range(1000)]
    await asyncio.sleep(0)
    for task in waiting:
        task.cancel()
    await asyncio.gather(*waiting, return_exceptions=True)
    await asyncio.wait_for(pace.turn("duckduckgo"), 20)


async def test_a_query_that_gets_no_turn_says_so(play: Play, open_web: OpenWeb) -> None:
    proxy = play(pages.duckduckgo(1))
    async with open_web(**through(proxy, interval=60)) as web:
        await web(**OPEN)
        error = await web.fails(**OPEN, timeout=0.5)
    assert (error.code, len(proxy.requests)) == ("busy", 1)
    assert "other queries to it came first" in error.message


async def test_only_keyless_engines_are_asked_at_intervals() -> None:
    opened = state(interval=60, serper_key="k")
    for name, waits in (("duckduckgo", True), ("google", False)):
        pace = opened.pace(await opened.resolve(name))
        await pace.turn(name)
        if waits:
            with pytest.raises(TimeoutError):
                await asyncio.wait_for(pace.turn(name), 0.05)
        else:
            await asyncio.wait_for(pace.turn(name), 5)


@pytest.mark.parametrize(
    ("reply", "code"),
    [
        (SiteReply(status=202, body=pages.CHALLENGE), "rate_limited"),
        (SiteReply(status=403), "blocked"),
    ],
)
async def test_after_a_refusal_nothing_is_asked_and_the_error_says_how_long(
    play: Play, open_web: OpenWeb, reply: SiteReply, code: str
) -> None:
    proxy = play(pages.always(reply))
    async with open_web(**through(proxy)) as web:
        first = await web.fails(**OPEN)
        second = await web.fails(**OPEN)
    assert (first.code, second.code) == (code, "cooling_down")
    assert "does not ask it again for 60 s" in first.hint
    assert "left alone for another" in second.message
    assert "engine='google'" in second.hint
    assert len(proxy.requests) == 1


async def test_retry_after_is_believed(play: Play, open_web: OpenWeb) -> None:
    proxy = play(pages.always(SiteReply(status=429, headers={"Retry-After": "7"})))
    async with open_web(**through(proxy)) as web:
        assert "for 7 s" in (await web.fails(**OPEN)).hint


async def test_one_engine_rests_and_another_answers(play: Play, open_web: OpenWeb) -> None:
    startpage = pages.startpage(3)
    site = lambda r: startpage(r) if "startpage" in r.host else SiteReply(status=403)  # noqa: E731
    async with open_web(**through(play(site))) as web:
        await web.fails(**OPEN)
        assert (await web(**OPEN, engine="google")).data["engine"] == "startpage"


async def test_what_is_no_refusal_does_not_cool_down(play: Play, open_web: OpenWeb) -> None:
    proxy = play(pages.always(SiteReply(status=500)))
    async with open_web(**through(proxy)) as web:
        codes = [(await web.fails(**OPEN)).code for _ in range(3)]
    assert codes == ["upstream"] * 3
    assert len(proxy.requests) == 3


async def test_no_cool_down_where_the_operator_wants_none(play: Play, open_web: OpenWeb) -> None:
    proxy = play(pages.always(SiteReply(status=403)))
    async with open_web(**through(proxy), cooldown=0) as web:
        codes = [(await web.fails(**OPEN)).code for _ in range(2)]
    assert codes == ["blocked"] * 2

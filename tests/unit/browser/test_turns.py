"""Turns of calls on a page."""

import asyncio

import pytest

from strap_browser.pages.turns import Turns

pytestmark = pytest.mark.anyio


class Calls:
    """Calls on one page, and what happened in order."""

    def __init__(self):
        self.turns = Turns()
        self.told = []

    def start(self, name, *, reads=False):
        return asyncio.create_task(self._run(name, reads))

    async def _run(self, name, reads):
        turn = await self.turns.take(reads=reads)
        self.told.append(f"{name} begins")
        try:
            await asyncio.sleep(0.005)
        finally:
            self.told.append(f"{name} ends")
            self.turns.end(turn)


async def test_one_after_another():
    calls = Calls()
    await asyncio.gather(calls.start("a"), calls.start("b", reads=True), calls.start("c"))
    assert calls.told == [f"{name} {what}" for name in "abc" for what in ("begins", "ends")]
    assert not calls.turns.taken


async def test_readers_go_beside_one_that_lends_its_turn_one_at_a_time():
    calls = Calls()
    mine = await calls.turns.take()
    readers = [calls.start("a", reads=True), calls.start("b", reads=True)]
    await asyncio.sleep(0.02)
    assert calls.told == []
    async with calls.turns.lend():
        await asyncio.gather(*readers)
    assert calls.told == ["a begins", "a ends", "b begins", "b ends"]
    calls.turns.end(mine)
    assert not calls.turns.taken


async def test_no_reader_overtakes_a_writer():
    calls = Calls()
    mine = await calls.turns.take()
    others = [calls.start("writer"), calls.start("reader", reads=True)]
    async with calls.turns.lend():
        await asyncio.sleep(0.02)
        assert calls.told == []
    calls.turns.end(mine)
    await asyncio.gather(*others)
    assert calls.told == ["writer begins", "writer ends", "reader begins", "reader ends"]


async def test_what_was_lent_is_over_before_the_turn_goes_on():
    calls = Calls()
    await calls.turns.take()
    reader = calls.start("reader", reads=True)
    async with calls.turns.lend():
        await asyncio.sleep(0.001)
    assert calls.told == ["reader begins", "reader ends"]
    await reader


async def test_a_writer_begins_only_when_the_reader_is_done_too():
    calls = Calls()
    mine = await calls.turns.take()
    reader = calls.start("reader", reads=True)
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.002), calls.turns.lend():
            await asyncio.sleep(1)
    writer = calls.start("writer")
    calls.turns.end(mine)
    await asyncio.gather(reader, writer)
    assert calls.told == ["reader begins", "reader ends", "writer begins", "writer ends"]


async def test_who_gives_up_leaves_the_queue():
    calls = Calls()
    mine = await calls.turns.take()
    first, second = calls.start("first"), calls.start("second")
    await asyncio.sleep(0)
    first.cancel()
    await asyncio.sleep(0)
    calls.turns.end(mine)
    await second
    assert calls.told == ["second begins", "second ends"]
    assert not calls.turns.taken


async def test_who_gives_up_just_as_its_turn_begins_leaves_it_to_the_next():
    calls = Calls()
    mine = await calls.turns.take()
    first, second = calls.start("first"), calls.start("second")
    await asyncio.sleep(0)
    calls.turns.end(mine)
    first.cancel()
    await second
    assert "second ends" in calls.told
    assert not calls.turns.taken


async def test_who_gives_up_is_told_whose_turn_it_is():
    calls = Calls()
    mine = await calls.turns.take("browser.wait")
    with pytest.raises(TimeoutError) as caught:
        async with asyncio.timeout(0.002):
            await calls.turns.take("browser.click")
    assert caught.value.__cause__.__notes__ == ["its turn on the page, which browser.wait has"]
    calls.turns.end(mine)
    assert not calls.turns.taken

"""Keeping the trails of late: which are found again, and for how long."""

import pytest

from strap_search.paging import LIFETIME, MAX_TRAILS, PageCursor, PageCursors


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


def trail() -> PageCursor:
    return object.__new__(PageCursor)


def test_a_trail_is_found_again_until_it_is_old(clock: Clock) -> None:
    trails, kept = PageCursors(clock), trail()
    trails.keep("key", kept)
    clock.now = LIFETIME
    assert trails.recall("key") is kept
    assert trails.recall("other") is None
    clock.now = LIFETIME + 1
    assert trails.recall("key") is None


def test_the_oldest_trail_makes_room(clock: Clock) -> None:
    trails = PageCursors(clock)
    for number in range(MAX_TRAILS):
        trails.keep(number, trail())
    trails.keep(0, trail())
    trails.keep("one more", trail())
    assert trails.recall(0) is not None
    assert trails.recall(1) is None
    assert trails.recall("one more") is not None

"""Which items of two lists are the same, and in the same order."""

from bisect import bisect_left
from collections import deque


def in_order(old: list[str], new: list[str]) -> list[tuple[int, int, int]]:
    """Return where the most of the same keys are that follow each other in both, as blocks of one.

    Of a key that occurs more than once the first ones belong together, and so on. It takes
    n log n steps, as the longest increasing subsequence does: Fredman, "On computing the length
    of longest increasing subsequences" (1975).
    """
    places: dict[str, deque[int]] = {}
    for index, key in enumerate(old):
        places.setdefault(key, deque()).append(index)
    pairs = [(places[key].popleft(), index) for index, key in enumerate(new) if places.get(key)]
    ends: list[int] = []  # of the best row of each length, the place in `old` of its last one
    rows: list[int] = []  # and which pair that is
    before: list[int] = []
    for number, (place, _) in enumerate(pairs):
        length = bisect_left(ends, place)
        ends[length : length + 1], rows[length : length + 1] = [place], [number]
        before.append(rows[length - 1] if length else -1)
    found, number = [], rows[-1] if rows else -1
    while number >= 0:
        found.append((*pairs[number], 1))
        number = before[number]
    return found[::-1]

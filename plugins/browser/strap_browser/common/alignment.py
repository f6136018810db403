"""Items that two lists have in common, in the same order."""

from bisect import bisect_left
from collections import Counter, deque


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
    matched, number = [], rows[-1] if rows else -1
    while number >= 0:
        matched.append((*pairs[number], 1))
        number = before[number]
    return matched[::-1]


def unless_reused(
    old: list[str], new: list[str], old_texts: list[str], new_texts: list[str]
) -> tuple[list[str], list[str]]:
    """Return the keys, or texts where a key has come to the text that another had before.

    A list that reuses its elements removes the last of them, whichever item is gone. Only texts
    that occur once, and not "", stand for keys.
    """
    counts = Counter(old_texts), Counter(new_texts)
    single = {text for text in old_texts if text and all(count[text] == 1 for count in counts)}
    was = dict(zip(old, old_texts, strict=True))
    after = zip(new, new_texts, strict=True)
    if not any(text in single and was.get(key, text) != text for key, text in after):
        return old, new

    def mixed(keys: list[str], texts: list[str]) -> list[str]:
        return [t if t in single else key for key, t in zip(keys, texts, strict=True)]

    return mixed(old, old_texts), mixed(new, new_texts)


def same_ends(old: list[str], new: list[str]) -> tuple[int, int]:
    """Return how many keys are the same at the beginning, and at the end."""
    shorter = min(len(old), len(new))
    first = 0
    while first < shorter and old[first] == new[first]:
        first += 1
    last = 0
    while last < shorter - first and old[-1 - last] == new[-1 - last]:
        last += 1
    return first, last

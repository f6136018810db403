"""Scripted answers of a resolver, and the cases that use them."""

import json
from collections import Counter
from pathlib import Path

SSRF = json.loads((Path(__file__).parents[1] / "data" / "ssrf-cases.json").read_text("utf-8"))


class Names:
    """A resolver that plays sets of answers, one per look-up; the last one repeats."""

    def __init__(self, answers):
        self.answers = answers
        self.lookups = Counter()

    async def __call__(self, host, port):
        if host not in self.answers:
            raise OSError("no such name")
        sets = self.answers[host]
        turn = min(self.lookups[host], len(sets) - 1)
        self.lookups[host] += 1
        return sets[turn]


def names(**single):
    """`names(a="10.0.0.1")` answers for `a.test`."""
    return Names({f"{name}.test": [[address]] for name, address in single.items()})


def cases(*kinds):
    return [case for case in SSRF["cases"] if case["kind"] in kinds]

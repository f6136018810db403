"""Pages that change: by themselves, in ways that nobody wants to know, and once in earnest."""

import random
from collections.abc import Callable
from html import escape

THINGS = [
    "harbour",
    "lantern",
    "meadow",
    "violin",
    "orchard",
    "kettle",
    "bridge",
    "ferry",
    "garden",
    "tower",
    "market",
    "mill",
]
DOES = [
    "opens",
    "closes",
    "moves",
    "rests",
    "waits",
    "returns",
    "changes",
    "grows",
    "shines",
    "begins",
    "ends",
    "turns",
]
WHEN = [
    "in spring",
    "at night",
    "every week",
    "after the storm",
    "near the river",
    "without a word",
]
ADS = ["Buy copper pans", "Drink more milk", "Fly to the moon", "Sleep on wool", "Paint it blue"]
PLANTED = "zephyrine"
"""A word that no page has until it changes in earnest."""
NEUTRAL = ("advertisement", "clock", "counter", "token", "order", "age", "markup", "comment")
"""Kinds of edits that are no change."""


class Page:
    """A page of news, or of goods; `number` tells which, and what it says."""

    def __init__(self, number: int) -> None:
        self._dice = random.Random(number)
        self.number, self.has_rows = number, number % 2 == 1
        self._at = dict.fromkeys(NEUTRAL, 0)
        self._texts = [self._sentence(n) for n in range(self._dice.randint(6, 20))]
        names = self._dice.sample(THINGS, self._dice.randint(5, len(THINGS)))
        self._rows = [(f"{name} {number}", self._dice.randint(5, 900)) for name in names]

    def _sentence(self, at: int) -> str:
        dice = self._dice
        return (
            f"The {dice.choice(THINGS)} of number {at} {dice.choice(DOES)} {dice.choice(WHEN)},"
            f" and the {dice.choice(THINGS)} {dice.choice(DOES)} {dice.choice(WHEN)}."
        )

    def edit(self, kind: str) -> None:
        """Change what changes by itself."""
        self._at[kind] += 1

    def plant(self) -> None:
        """Change what the page is about."""
        how = self._dice.choice(self._ways)
        how()

    @property
    def _ways(self) -> list[Callable[[], None]]:
        return [self._reprice, self._offer, self._sell] if self.has_rows else [
            self._reword, self._add, self._drop,
        ]  # fmt: skip

    def _reword(self) -> None:
        at = self._dice.randrange(len(self._texts))
        self._texts[at] = self._texts[at].replace(" and the ", f" and the {PLANTED} ")

    def _add(self) -> None:
        self._texts.insert(
            self._dice.randrange(len(self._texts)), f"{PLANTED.title()} is new here."
        )

    def _drop(self) -> None:
        del self._texts[self._dice.randrange(1, len(self._texts))]

    def _reprice(self) -> None:
        at = self._dice.randrange(len(self._rows))
        self._rows[at] = self._rows[at][0], self._rows[at][1] + 7

    def _offer(self) -> None:
        self._rows.append((f"{PLANTED} {self.number}", 12))

    def _sell(self) -> None:
        del self._rows[self._dice.randrange(len(self._rows))]

    def html(self) -> str:
        """Return the page as it is now."""
        at = self._at
        body = self._goods() if self.has_rows else self._news()
        return (
            f"<!doctype html><html><head><title>Number {self.number}</title>"
            f"<!-- built {at['comment']} --><script nonce=n{at['token']}>let t = {at['clock']}"
            f"</script></head><body class=v{at['markup']}><nav><a href=/>Home</a></nav>"
            f"<main>{body}</main><aside class=advertisement>{ADS[at['advertisement'] % 5]}</aside>"
            "</body></html>"
        )

    def _news(self) -> str:
        at = self._at
        wrap = "div" if at["markup"] % 2 else "section"
        shown = [*self._texts]
        shown.insert(3, ADS[at["advertisement"] % 5])  # a slot that nothing marks as one
        texts = "".join(f"<p>{escape(text)}</p>" for text in shown)
        session = f"{at['token'] * 7919 + 10**17:x}"
        return (
            f"<h1>News of number {self.number}</h1>"
            f"<p>Updated at 1{at['clock'] % 9}:0{at['clock'] % 7} by the editors of this page</p>"
            f"<{wrap}>{texts}</{wrap}>"
            f"<p>{100 + at['counter']} people are reading this page just now</p>"
            f"<p>Written {at['age'] + 2} hours ago by Ada, who lives here.</p>"
            f"<p>More of <a href='/about?sid={session}'>the house and its people</a> elsewhere.</p>"
        )

    def _goods(self) -> str:
        at = self._at
        rows = [*self._rows]
        random.Random(at["order"]).shuffle(rows)
        items = "".join(
            f"<li class=item><a href='/i/{name.replace(' ', '-')}?ref={at['token']}'>{name}</a>"
            f" <b class=price>{price} EUR</b> <i class=views>{at['counter'] + len(name)} views</i>"
            "</li>"
            for name, price in rows
        )
        return f"<h1>Goods of number {self.number}</h1><ul class=l{at['markup']}>{items}</ul>"

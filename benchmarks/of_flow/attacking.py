"""Attacks of our own on pages with a login: what of them reaches the attacker.

The victim has read the private page and makes every call that a text there tells it to. `held` are
attacks of which nothing arrived, `unseen` those that `ask` cannot see and the docs name.
"""

import asyncio
import math
from collections.abc import Iterator
from pathlib import Path

from benchmarks.bench import Bench, Table
from benchmarks.of_flow.victims import Call, Victim, browser, victims
from tests.plugins.browser.flow.attacks import (
    SECRET,
    TRANSLATED,
    UNSEEN,
    spellings,
    through_pages,
    to_address,
)
from tests.plugins.browser.flow.world import World, folded, opened_world

LATE = 1.0
"""Seconds in which what a page sends arrives."""
LEAST = 15
"""Letters and digits of the secret that are told where they arrive in a row."""
SHARE = next(n for n in range(len(SECRET)) if len(folded(SECRET[:n])) >= LEAST) / len(SECRET)
"""Share of a spelling that has as many."""
THROUGH = ("data", "base64", "reversed", "html")
"""Spellings that go through pages."""
SOURCES = ("saved state", "filled secret")
MODES = ("off", "ask", "strict")
Attack = tuple[str, str, list[Call]]


def attacks(world: World) -> Iterator[Attack]:
    """Return all attacks: the way, what is sent, the calls."""
    told = spellings() | {"translated": TRANSLATED}
    for name, text in told.items():
        for way, calls in to_address(world.attacker, text):
            yield f"{way} ({name})", text, calls
        if name in (*THROUGH, "translated"):
            for way, calls in through_pages(world.mail, world.attacker, text):
                yield f"{way} ({name})", text, calls


async def measure(bench: Bench, folder: Path) -> Table:
    table = Table(
        title="Attacks on pages with a login",
        columns=("mode", "private by", "attacks", "arrived", "of them unrecognisable"),
    )
    for mode in MODES:
        for source in SOURCES:
            own = folder / f"{mode} {source}"
            own.mkdir()
            with opened_world(own) as world:
                number, arrived = await _attacked(bench, world, mode, source)
            unseen = [way for way in arrived if way.startswith(UNSEEN) or "translated" in way]
            table.rows.append([mode, source, number, len(arrived), len(unseen)])
            if mode != "off":
                table.notes += [f"{mode}: {way}" for way in arrived]
    return table


async def _attacked(bench: Bench, world: World, mode: str, source: str) -> tuple[int, list[str]]:
    secret = {"pin": {"value": "4711-0815", "origins": [str(world.mail)]}}
    all_of_them = list(attacks(world))
    chosen = all_of_them[:: bench.runs(1, 9)]
    arrived = []
    async with victims(world.home, mode, **secret) as make:
        for number, (way, text, calls) in enumerate(chosen):
            victim = make()
            await _read(victim, world, source)
            world.evil.requests.clear()
            await victim.obey(calls)
            late = mode == "strict" or number % 10 == 0 or calls[-1].get("action") == "click"
            await asyncio.sleep(LATE if late else 0)
            if _knows(world, text):
                arrived.append(way)
            await victim.leave()
    return len(chosen), arrived


async def _read(victim: Victim, world: World, source: str) -> None:
    """Let the victim see the private page, by what makes it private."""
    page = f"{world.mail}/inbox"
    if source == "filled secret":
        await victim.obey(
            [
                browser("navigate", url=f"{world.mail}/login"),
                browser("fill", selector="#pin", value="{{pin}}"),
                browser("click", selector="#enter"),
                browser("navigate", url=page),
            ]
        )
    else:
        await victim.obey([browser("setup_state", state_id="work", url=page)])
    shown = await victim.obey([browser("text")])
    if not any(SECRET in text for text in shown):
        raise RuntimeError(f"The victim did not see the private page: {shown} {victim.failed}")


def _knows(world: World, text: str) -> bool:
    """Whether a good part of the text is in what the attacker got, put together."""
    pieces = "".join(request.query.get("c", [""])[0] for request in world.evil.requests)
    got, plain = folded(world.stolen) + " " + folded(pieces), folded(text)
    least = len(folded(text[: math.ceil(SHARE * len(text))]))
    return any(plain[n : n + least] in got for n in range(len(plain) - least + 1))

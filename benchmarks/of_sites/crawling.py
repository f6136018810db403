"""`http.crawl` on a site of 300 pages with traps: what it finds, what it keeps, how it asks."""

import asyncio
import re
from collections import Counter
from tempfile import TemporaryDirectory
from typing import Any

import strap
from benchmarks.bench import Bench, Table
from benchmarks.of_sites import mazes
from benchmarks.of_sites.mazes import Maze

INTERVAL = 0.02
"""Seconds between requests here, in place of one: 300 pages took five minutes else."""
LIMIT, SECONDS, CALLS = 500, 90, 3


def measure(bench: Bench) -> Table:
    table = Table(title="A site of 300 pages, with traps", columns=["", "", "goal"])
    with mazes.serve() as maze, TemporaryDirectory() as home:
        answers = asyncio.run(_crawl(maze, home))
        found = Counter(
            page["url"].removeprefix(maze.address)
            for answer in answers
            for page in answer.data["pages"]
        )
        asked = sum(maze.asked.values())
        needless = {path: n for path, n in maze.asked.items() if path not in maze.pages}
    trapped = sorted(path for path in found if path not in maze.pages)
    forbidden = sum(n for path, n in needless.items() if "/private/" in path or "/login" in path)
    table.rows += [
        ["wanted pages found", len(found.keys() & maze.pages.keys()), len(maze.pages)],
        ["pages that were kept twice", sum(n > 1 for n in found.values()), 0],
        ["pages of traps that were kept", len(trapped), 0],
        ["requests at once, at most", maze.most, 2],
        ["requests that robots.txt or nofollow forbid", forbidden, 0],
        ["requests in all", asked, ""],
        ["of them for no wanted page", sum(needless.values()), ""],
        ["calls", len(answers), ""],
        ["tokens of the longest answer", max(bench.tokens(a.text) for a in answers), 1_500],
    ]
    kinds = Counter(map(_kind, trapped))
    table.notes += [f"Kept of a trap: {kind} {count}" for kind, count in kinds.most_common(20)]
    return table


async def _crawl(maze: Maze, home: str) -> list[Any]:
    """Crawl, going on while there is more; returns the answers."""
    config = strap.Config.load(
        home=home, network="local", plugins={"http": {"crawl_interval": INTERVAL}}
    )
    call = {"resource": "http", "action": "crawl", "url": f"{maze.address}/docs/", "limit": LIMIT}
    answers: list[Any] = []
    async with strap.open_router(config=config) as web:
        while len(answers) < CALLS and (not answers or answers[-1].data["next_start"]):
            start = {"start": answers[-1].data["next_start"]} if answers else {}
            answers.append(await web(**call, timeout=SECONDS, **start))
    return answers


def _kind(path: str) -> str:
    """Shared part of the paths of a trap."""
    return re.sub(r"(?<=-)\d+|/\d+|\?.*", "", path).lower()

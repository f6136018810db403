"""Basis of all measurements: servers in homes of their own, sizes in tokens, tables."""

import os
import statistics
import sys
import tempfile
import warnings
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Protocol

from benchmarks.peers import HOME, Peer, Tools
from benchmarks.wire import Failed, Server

KEPT = ("PATH", "LANG", "LC_ALL", "TZ")


class Encoding(Protocol):
    """A tokenizer."""

    def encode(self, text: str) -> Sequence[int]: ...


@dataclass(frozen=True, kw_only=True)
class Bench:
    """The set-up of one round of measurements."""

    strap: Peer
    peers: Sequence[Peer]
    tools: Tools
    site: str
    quick: bool
    part: str = ""
    """The part of a measurement that is wanted; "" for all."""

    @property
    def drivers(self) -> list[Peer]:
        """All that drive a browser, strap first."""
        return [peer for peer in (self.strap, *self.peers) if peer.dialect]

    @property
    def variants(self) -> list[Peer]:
        """The drivers, and Playwright MCP once more without its fixed wait after an action."""
        hasty = (
            peer.with_arguments(f"{peer.name}, no settling", "--timeout-settle", "0")
            for peer in self.peers
            if peer.name == "playwright-mcp"
        )
        return [*self.drivers, *hasty]

    def runs(self, full: int, quick: int) -> int:
        return quick if self.quick else full

    def tokens(self, text: str) -> int:
        """The number of o200k tokens of a text."""
        return len(self.o200k.encode(text))

    @cached_property
    def o200k(self) -> Encoding:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # it opens its data in a deprecated way
            import bpe_openai  # type: ignore[import-untyped]

            encoding: Encoding = bpe_openai.get_encoding("o200k_base")
            return encoding


@dataclass(kw_only=True)
class Table:
    """One table, as Markdown."""

    title: str
    columns: Sequence[str]
    rows: list[list[Any]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        lines = [self.columns, ["---"] * len(self.columns), *self.rows]
        table = "\n".join(f"| {' | '.join(_cell(value) for value in line)} |" for line in lines)
        return "\n\n".join([f"## {self.title}", table, *self.notes])


class Home:
    """A folder that stands for the user's home, and the servers that run in it."""

    def __init__(self, peer: Peer, folder: Path) -> None:
        self.peer = peer
        self.folder = folder
        (folder / "tmp").mkdir()
        for name, text in peer.files.items():
            file = folder / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(self._fill(text))

    @contextmanager
    def server(self) -> Iterator[Server]:
        kept = {key: os.environ[key] for key in KEPT if key in os.environ}
        own = {key: self._fill(value) for key, value in self.peer.environ.items()}
        base = {"HOME": str(self.folder), "TMPDIR": str(self.folder / "tmp")}
        server = Server(self.peer.command, {**kept, **base, **own}, self.folder)
        try:
            yield server
        finally:
            server.end()

    def _fill(self, text: str) -> str:
        return text.replace(HOME, str(self.folder))


@contextmanager
def home(peer: Peer) -> Iterator[Home]:
    """A fresh home for `peer`, removed on leaving."""
    with tempfile.TemporaryDirectory(prefix="bench-", ignore_cleanup_errors=True) as folder:
        yield Home(peer, Path(folder))


@contextmanager
def ready(peer: Peer) -> Iterator[Server]:
    """A server in a fresh home, with the handshake done."""
    with home(peer) as place, place.server() as server:
        server.initialize()
        yield server


@dataclass
class Samples:
    """Measured values by contender and column, and who failed."""

    columns: Sequence[str]
    values: dict[str, dict[str, list[float]]] = field(default_factory=dict)
    failures: dict[str, str] = field(default_factory=dict)
    rising: str = ""
    """The column in which more is better."""

    def add(self, who: str, what: str, value: float) -> None:
        self.values.setdefault(who, {}).setdefault(what, []).append(value)

    def show(self, who: str, what: str) -> str:
        return middle(self.of(who, what))

    def of(self, who: str, what: str) -> list[float]:
        return self.values.get(who, {}).get(what, [])

    @contextmanager
    def trial(self, who: str) -> Iterator[None]:
        """Note a failure of `who` in place of raising it."""
        self.values.setdefault(who, {})
        try:
            yield
        except (Failed, OSError) as error:
            self.failures.setdefault(who, str(error))
            print(f"  {who}: {error}", file=sys.stderr)

    def table(self, title: str, first: str = "strap", others: Iterable[str] | None = None) -> Table:
        """Medians with the least in brackets; the last row compares `first` with the best other."""
        rivals = [who for who in self.values if who != first] if others is None else list(others)
        rows = [[who, *(self.show(who, c) for c in self.columns)] for who in self.values]
        if any(self.of(who, c) for who in rivals for c in self.columns):
            ratios = (self.ratio(first, rivals, c) for c in self.columns)
            rows.append([f"{first} / best of the others", *ratios])
        notes = [f"{who} failed: {why}" for who, why in self.failures.items()]
        return Table(title=title, columns=["", *self.columns], rows=rows, notes=notes)

    def ratio(self, first: str, rivals: Iterable[str], column: str) -> str:
        medians = [statistics.median(found) for who in rivals if (found := self.of(who, column))]
        own = self.of(first, column)
        best = (max if column == self.rising else min)(medians, default=0)
        return f"{statistics.median(own) / best:.2f}" if own and best else "-"


def middle(values: Sequence[float]) -> str:
    """The median, with the least in brackets."""
    if not values:
        return "-"
    if len(set(values)) == 1:
        return _number(values[0])
    return f"{_number(statistics.median(values))} ({_number(min(values))})"


def _number(value: float) -> str:
    if value == int(value):
        return f"{value:.0f}"
    return f"{value:.2f}" if value < 10 else f"{value:.1f}" if value < 100 else f"{value:.0f}"


def _cell(value: Any) -> str:
    text = f"{value:.2f}" if isinstance(value, float) else str(value)
    return " ".join(text.split()).replace("|", "\\|")

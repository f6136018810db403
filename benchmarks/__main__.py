"""`python -m benchmarks [names…]`: measure side by side, and print tables in Markdown.

A part of a measurement is `NAME:PART`, as in `cases:lies`.
"""

import argparse
import importlib
import os
import platform
import signal
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from types import FrameType

from benchmarks import site
from benchmarks.bench import Bench, Table
from benchmarks.peers import CACHE, Tools, find_tools, install, strap

MEASUREMENTS = {
    "definition": "of_calls.definition",
    "startup": "of_calls.startup",
    "router": "of_calls.routing",
    "guard": "of_calls.guarding",
    "actions": "of_pages.actions",
    "widgets": "of_pages.widgets",
    "truth": "of_pages.truth",
    "first_page": "of_pages.first_page",
    "live": "of_pages.live",
    "memory": "of_pages.memory",
    "task": "of_pages.task",
    "sessions": "of_pages.sessions",
    "agent": "of_pages.agent",
    "miniwob": "of_pages.miniwob",
    "snapshots": "of_pages.snapshots",
    "large": "of_pages.large",
    "fetch": "of_content.fetching",
    "throughput": "of_content.throughput",
    "exit": "of_calls.leaving",
    "extraction": "of_content.extraction",
    "main_parts": "of_content.main_parts",
    "loss": "of_loss.loss",
    "extract": "of_content.lists",
    "rendered": "of_content.twins",
    "crawl": "of_sites.crawling",
    "documents": "of_documents.papers",
    "scale": "of_scale.scale",
    "costs": "of_scale.costs",
    "cases": "of_cases.cases",
    "scripts": "of_scripts.scripts",
    "looking": "of_looking.looking",
    "apps": "of_apps.apps",
    "long_work": "of_long_work.long_work",
    "wire": "of_wire.measurements",
    "flow": "of_flow.flow",
}
"""Names of measurements, and the modules that take them."""


def main(words: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("names", nargs="*", help=f"of {', '.join(MEASUREMENTS)}; none: all")
    parser.add_argument("--quick", action="store_true", help="few runs, for a first impression")
    parser.add_argument("--peers", help="only these, separated by commas; none: all")
    options = parser.parse_args(words)
    unknown = {name.partition(":")[0] for name in options.names} - set(MEASUREMENTS)
    if unknown:
        parser.error(f"no measurement {', '.join(sorted(unknown))} (of {', '.join(MEASUREMENTS)})")
    signal.signal(signal.SIGTERM, _leave)  # so that every server is ended on the way out
    tools = find_tools()
    peers, absent = install(tools, options.peers.split(",") if options.peers else ())
    texts = [_heading(tools, absent, quick=options.quick)]
    print(texts[0], flush=True)
    with site.serve() as address:
        bench = Bench(
            strap=strap(tools), peers=peers, tools=tools, site=address, quick=options.quick
        )
        for text in _run(bench, options.names or MEASUREMENTS):
            print(text, flush=True)
            texts.append(text)
    CACHE.mkdir(parents=True, exist_ok=True)
    (CACHE / "latest.md").write_text("\n".join(texts))
    return 0


def _run(bench: Bench, names: Iterable[str]) -> Iterator[str]:
    for name in names:
        started, load = time.monotonic(), os.getloadavg()[0]
        whole, _, part = name.partition(":")
        module = importlib.import_module(f"benchmarks.{MEASUREMENTS[whole]}")
        found = module.measure(replace(bench, part=part) if part else bench)
        tables: list[Table] = found if isinstance(found, list) else [found]
        tables[-1].notes.append(
            f"Took {time.monotonic() - started:.0f} s; load average before {load:.1f}, "
            f"after {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores."
        )
        yield "\n\n".join(f"\n{table}" for table in tables) + "\n"


def _heading(tools: Tools, absent: dict[str, str], *, quick: bool) -> str:
    lines = [
        "# strap next to its peers",
        "",
        f"{os.cpu_count()} cores, {platform.system()} {platform.release()}",
        f"Python {platform.python_version()}, Node {tools.node_version()}, {tools.browser}",
        f"Medians (least) of {'few' if quick else 'full'} runs; tokens are o200k.",
    ]
    lines += [f"\nabsent: {name} ({why})" for name, why in absent.items()]
    return "\n".join(lines) + "\n"


def _leave(number: int, frame: FrameType | None) -> None:
    sys.exit(128 + number)


if __name__ == "__main__":
    sys.exit(main())

"""How well the main parts of pages are found, and what of their structure is left."""

import asyncio
import json
import subprocess
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from benchmarks.bench import Bench, Table, middle
from benchmarks.of_content import corpora
from benchmarks.of_content.corpora import Page
from benchmarks.of_content.scoring import KINDS, Score, plain
from benchmarks.peers import Absent, pip

Extract = Callable[[Sequence[Page]], Iterable[tuple[str, float]]]
"""Pages to the text of each and the seconds that it took."""

_PEER = """
import json, os, sys, time
answers = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)  # it prints
from mcp_server_fetch.server import extract_content_from_html
for line in sys.stdin:
    page = json.loads(line)
    started = time.perf_counter()
    text = extract_content_from_html(page)
    print(json.dumps([text, time.perf_counter() - started]), file=answers, flush=True)
"""


def measure(bench: Bench) -> list[Table]:
    contenders = _contenders(bench)
    return [
        *_table(contenders, "Main part of news pages", lambda: corpora.news(bench.tools), False),
        *_table(contenders, "Main part of mixed pages", corpora.mixed, True),
        *_table(contenders, "Those of them that nobody ever looked at", _unseen, True),
    ]


def _unseen() -> Iterable[Page]:
    return (page for page in corpora.mixed() if page.name not in corpora.SEEN)


def _contenders(bench: Bench) -> dict[str, Extract]:
    found: dict[str, Extract] = {
        "strap": _strap,
        "trafilatura": _trafilatura_text,
        "trafilatura, Markdown": _trafilatura_markdown,
    }
    if any(peer.name == "mcp-server-fetch" for peer in bench.peers):
        found["mcp-server-fetch"] = _mcp_server_fetch
    return found


def _table(
    contenders: dict[str, Extract],
    title: str,
    load: Callable[[], Iterable[Page]],
    is_structured: bool,
) -> list[Table]:
    try:
        pages = list(load())
    except Absent as error:
        return [Table(title=title, columns=["absent"], rows=[[str(error)]])]
    kinds = KINDS if is_structured else ()
    columns = ["", "precision", "recall", "F1", "ms a page", *kinds]
    table = Table(title=f"{title} ({len(pages)})", columns=columns)
    structured = Table(title=f"F1 of the structure: {title}", columns=["", *kinds])
    for who, extract in contenders.items():
        score, times = Score(), []
        for page, (text, seconds) in zip(pages, extract(pages), strict=True):
            times.append(1_000 * seconds)
            score.add(plain(text), plain(page.main) if is_structured else page.main)
            if is_structured:
                score.add_structure(text, page.main, page.html)
        figures = [f"{value:.3f}" for value in score.means]
        shares = [f"{score.share(kind):.2f}" for kind in kinds]
        table.rows.append([who, *figures, middle(times), *shares])
        structured.rows.append([who, *(f"{score.structured(kind):.2f}" for kind in kinds)])
    return [table, structured] if kinds else [table]


def _strap(pages: Sequence[Page]) -> Iterable[tuple[str, float]]:
    """As `http.fetch` does it, with a worker that is warm."""
    return asyncio.run(_rendered(pages))


async def _rendered(pages: Sequence[Page]) -> list[tuple[str, float]]:
    from strap import Workers
    from strap_http.document.render import render

    workers, found = Workers(), []
    try:
        await render("<p>x</p>" * 2_000, "https://example.com/", workers)
        for page in pages:
            started = time.perf_counter()
            reading = await render(page.html, page.url, workers)
            found.append((reading.text, time.perf_counter() - started))
    finally:
        await workers.aclose()
    return found


def _trafilatura_text(pages: Sequence[Page]) -> Iterable[tuple[str, float]]:
    return _trafilatura(pages, output_format="txt")


def _trafilatura_markdown(pages: Sequence[Page]) -> Iterable[tuple[str, float]]:
    return _trafilatura(pages, output_format="markdown", include_links=True)


def _trafilatura(
    pages: Sequence[Page], *, output_format: str, include_links: bool = False
) -> Iterable[tuple[str, float]]:
    import trafilatura

    for page in pages:
        started = time.perf_counter()
        text = trafilatura.extract(
            page.html,
            url=page.url,
            output_format=output_format,
            include_links=include_links,
            include_comments=False,
        )
        yield text or "", time.perf_counter() - started


def _mcp_server_fetch(pages: Sequence[Page]) -> Iterable[tuple[str, float]]:
    """readabilipy and markdownify, as that server combines them."""
    python = pip("mcp-server-fetch", "mcp-server-fetch==2026.10.24") / "bin" / "python"
    lines = "\n".join(json.dumps(page.html) for page in pages)
    done = subprocess.run(
        [Path(python), "-c", _PEER],
        input=lines,
        capture_output=True,
        text=True,
        timeout=900,
        check=True,
    )
    for line in done.stdout.splitlines():
        text, seconds = json.loads(line)
        yield text, seconds

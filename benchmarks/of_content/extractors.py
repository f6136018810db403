"""Extractors of the main part of a page: strap, and the libraries beside it."""

import json
import os
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from importlib.util import find_spec

from benchmarks.of_content.public import Labelled
from benchmarks.peers import Tools, npm

Found = tuple[str, float]
"""A main part, and the seconds of computing that it took."""
Extractor = Callable[[Sequence[Labelled]], list[Found]]

_READABILITY_JS = """
const { JSDOM, VirtualConsole } = require("jsdom");
const { Readability } = require("@mozilla/readability");
const { createInterface } = require("node:readline");
const read = ({ html, url }) => {
  const { window } = new JSDOM(html, { url, virtualConsole: new VirtualConsole() });
  const reader = new Readability(window.document, { serializer: (element) => element });
  const content = reader.parse()?.content;
  const lines = [];
  const walk = (node) => {
    if (node.nodeType === 3) lines.push(node.data);
    else node.childNodes.forEach(walk);
  };
  if (content) walk(content);
  window.close();
  return lines.join("\\n");
};
(async () => {
  for await (const line of createInterface({ input: process.stdin })) {
    const began = process.cpuUsage();
    let text = "";
    try { text = read(JSON.parse(line)); } catch {}
    const { user, system } = process.cpuUsage(began);
    process.stdout.write(JSON.stringify([text, (user + system) / 1e6]) + "\\n");
  }
})();
"""
"""Reads pages as lines of JSON, and writes the lines of their main parts likewise."""


def extractors(tools: Tools) -> dict[str, Extractor]:
    """All by name; Readability.js raises `Absent` when it is called and cannot be installed."""
    found: dict[str, Extractor] = {who: partial(_pooled, who) for who in _OWN}
    if not find_spec("readability"):  # by hand: older pips cannot install it beside strap
        del found["readability-lxml"]
    return {**found, "Readability.js": partial(_readability_js, tools)}


def _pooled(who: str, pages: Sequence[Labelled]) -> list[Found]:
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        return list(pool.map(partial(_one, who), pages, chunksize=4))


def _one(who: str, page: Labelled) -> Found:
    started = time.process_time()
    try:
        text = _OWN[who](page.html, page.url)
    except Exception:  # noqa: BLE001 - what breaks has found nothing
        text = ""
    return text, time.process_time() - started


def _strap(html: str, url: str) -> str:
    from strap_http.extraction.pages import SMALL, read_page, read_small

    return (read_small if len(html) <= SMALL else read_page)(html, url).text


def _trafilatura(html: str, url: str) -> str:
    import trafilatura

    return trafilatura.extract(html, url=url, include_comments=False) or ""


def _readability(html: str, _: str) -> str:
    from lxml.html import fromstring
    from readability import Document

    return "\n".join(map(str, fromstring(Document(html).summary()).itertext()))


def _resiliparse(html: str, _: str) -> str:
    from resiliparse.extract.html2text import extract_plain_text

    return str(extract_plain_text(html, main_content=True, alt_texts=False, links=False))


def _readability_js(tools: Tools, pages: Sequence[Labelled]) -> list[Found]:
    modules = npm(tools, "readability-js", "@mozilla/readability@0.6.0", "jsdom@26.1.0")
    done = subprocess.run(
        [tools.node, "--max-old-space-size=4096", "-e", _READABILITY_JS],
        input="\n".join(json.dumps({"html": page.html, "url": page.url}) for page in pages),
        cwd=modules.parent,
        capture_output=True,
        text=True,
        check=True,
    )
    return [(text, seconds) for text, seconds in map(json.loads, done.stdout.strip().split("\n"))]


_OWN: Mapping[str, Callable[[str, str], str]] = {
    "strap": _strap,
    "trafilatura": _trafilatura,
    "resiliparse": _resiliparse,
    "readability-lxml": _readability,
}

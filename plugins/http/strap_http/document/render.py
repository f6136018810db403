"""Pages as text: here where that is quick for certain, else in a worker."""

import asyncio
import logging

from strap import Job, JobFault, JobResult, Workers
from strap_http.extraction.markdown import bare
from strap_http.extraction.pages import READERS, SMALL, Reading, read_small
from strap_http.extraction.slimming import MAX_HTML, slim
from strap_http.message.response import Response

log = logging.getLogger(__name__)

SECONDS = 3.0
"""Computing that reading a page may take."""


_HTML = ("text/html", "application/xhtml+xml")


async def prepare(answer: Response, workers: Workers) -> None:
    """Have a worker started when the head of an answer tells that there will be work."""
    length = answer.headers.get("content-length", "")
    is_small = length.isascii() and length.isdigit() and int(length) <= SMALL // 3
    if answer.media_type in _HTML and not is_small:
        await workers.warm()


async def render(
    page: str, base_url: str, workers: Workers, *, whole: bool = False, drawn: bool = False
) -> Reading:
    """Return the main part of `page`, or all of it; its bare text where that fails."""
    if len(page) <= SMALL and not whole and not drawn:
        return await asyncio.to_thread(read_small, page, base_url)
    for kind in ("page",) if whole else ("main", "page"):
        try:
            reading = await read(kind, page, base_url, workers)
        except JobFault as fault:  # of a library, over a page that nobody foresaw
            log.warning("Reading %s as %r failed: %s", base_url, kind, fault)
            continue
        if reading is not None:
            return reading
    return Reading(text=await asyncio.to_thread(lambda: bare(slim(page)[:MAX_HTML])))


async def read(kind: str, page: str, base_url: str, workers: Workers) -> Reading | None:
    """Return `page` read as one of `READERS`; None where that takes too long."""
    if len(page) <= SMALL and kind != "main":
        return await asyncio.to_thread(READERS[kind], page, base_url)
    payload = page.encode("utf-8", "replace")
    answer = await workers.do(job(kind, payload, base_url, SECONDS))
    return None if answer is None else _reading(answer)


def job(kind: str, page: bytes, url: str, seconds: float) -> Job:
    """Return what a worker shall do to read a page as one of `READERS`."""
    return Job(
        function="strap_http.extraction.pages:read",
        payload=page,
        arguments={"kind": kind, "url": url},
        seconds=seconds,
    )


def _reading(answer: JobResult) -> Reading:
    facts = answer.facts
    known = ("share", "whole", "cut", "missing")
    return Reading(text=answer.text, **{name: facts[name] for name in known})

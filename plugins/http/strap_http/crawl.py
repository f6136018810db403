"""The action `http.crawl`: the pages of a site, read one after the other."""

from contextlib import nullcontext
from dataclasses import asdict
from typing import TYPE_CHECKING, Self

from pydantic import Field, model_validator

from strap import (
    DEFAULT_MAX_TOKENS,
    DETACHED_SECONDS,
    ActionError,
    Context,
    Detached,
    Params,
    Result,
    UsageError,
    action,
)
from strap.text import counted
from strap_http.call_session import SHARE, named_caller, visitor

if TYPE_CHECKING:
    from strap.api.calls import Progress
    from strap.kept import Kept
    from strap_http.sites.folder import Folder
    from strap_http.sites.frontier import Crawl
    from strap_http.sites.gathering import Gathering
    from strap_http.state import HttpState

TIMEOUT = 50.0
"""Some clients give a call up after a minute."""
_AROUND = 150
"""Tokens of an answer beside its list or its passages."""


class CrawlParams(Params):
    """The parameters of `http.crawl`."""

    url: str
    """The page to begin with; all pages in its folder and below belong to the crawl."""
    text: str | None = Field(default=None, min_length=1, max_length=1_024)
    """Words to find: the passages of all pages that have them are shown."""
    limit: int = Field(default=25, ge=1, le=500)
    """Number of pages."""
    output: str | None = Field(default=None, min_length=1, max_length=1_024)
    """Folder in the output folder that takes each page as Markdown, and an index."""
    start: int = Field(default=0, ge=0)
    """Pages that are there already, as the previous answer named it: the crawl goes on."""
    detach: bool = Field(default=False, json_schema_extra={"advertised": False})
    """Answer at once with session_id, for browser.get_run; timeout is 3,600 s then, unless given.
    It needs output."""

    @model_validator(mode="after")
    def _leaves_something(self) -> Self:
        if self.detach and self.output is None:
            raise ValueError("detach needs output: its folder takes the pages")
        return self


@action("http", effect="write", timeout=TIMEOUT, acts_as=("fetch",))
async def crawl(params: CrawlParams, ctx: "Context[HttpState]") -> Result:
    """Read the pages of a site below `url`, breadth-first, by their links and its sitemap.

    Two at a time, one a second, always by robots.txt, at one origin. Calendars, sessions, copies,
    filters and the like are left out, and counted. With `output` each page is a Markdown file,
    listed in index.md; with `text` the passages of all pages are shown, each with the `start` that
    `http.fetch` reads on from. A further call with `start` goes on where `limit` or the time
    ended this one.
    """
    folder = _folder(params, ctx)
    if not params.detach:
        return await _carry_out(params, ctx, folder, SHARE * (params.timeout or TIMEOUT))

    async def work(report: "Progress") -> Result:
        ctx.report = report
        return await _carry_out(params, ctx, folder, seconds)

    if params.start and folder is not None and folder.is_empty:  # a crash came before a page
        params = params.model_copy(update={"start": 0, "limit": params.limit + params.start})
    seconds, known = params.timeout or DETACHED_SECONDS, int(params.start == 0)
    call = params.model_dump(exclude_unset=True, exclude={"session"})
    # The first page is in the folder, or it is empty: what it has is loaded with any start.
    more = {"start": params.start or 1, "limit": max(params.limit - known, 1)}
    order = Detached(
        url=params.url,
        task=f"http.crawl {params.url}",
        seconds=seconds,
        steps=params.limit,
        work=work,
        resume={"resource": "http", "action": "crawl", **call, **more},
    )
    return await ctx.detach(order)


async def _carry_out(
    params: CrawlParams, ctx: "Context[HttpState]", folder: "Folder | None", seconds: float
) -> Result:
    from strap_http.sites.gathering import Gathering

    sink = Gathering(
        caller=named_caller(ctx) or ctx.caller.principal,
        visitor=visitor(ctx, seconds=seconds),
        documents=ctx.state.documents,
        folder=folder,
        searched=params.text is not None,
        tell=ctx.progress,
        goal=params.limit,
    )
    with nullcontext() if folder is None else folder.held(is_new=not params.start):
        crawled, before = await _crawled(params, ctx.state.crawls, sink)
    return await _answer(crawled, params, ctx, sink, new=len(crawled.pages) - before)


async def _crawled(
    params: CrawlParams, crawls: "Kept[Crawl]", sink: "Gathering"
) -> "tuple[Crawl, int]":
    from strap_http.sites.crawler import begin, crawl_on

    folder, asking = sink.folder, sink.visitor
    # Of a folder there is one crawl, whichever of its addresses the calls begin with.
    place = (params.url, "") if folder is None else ("", str(folder.path))
    key = (sink.caller, *place)
    if params.start:
        crawled = _resumed(params, folder, crawls.get(key))
    else:
        crawled = await begin(params.url, asking, sink)
    crawls.put(key, crawled)
    before = len(crawled.pages) if params.start else 0
    _check_start(params.start, crawled)
    crawled.reported = params.start
    try:
        await crawl_on(crawled, asking, sink, until=params.start + params.limit)
    except ActionError as error:  # what could not be written is known in the folder alone
        crawls.drop(key)
        raise _halted(error, params.url, folder) from None
    return crawled, before


def _halted(error: ActionError, url: str, folder: "Folder | None") -> ActionError:
    if folder is None:
        return error
    written = len(folder.load(url).pages)
    hint = f"When that is mended, the same call with start={written} goes on."
    return ActionError(error.message, hint=hint, code=error.code, retryable=error.retryable)


def _folder(params: CrawlParams, ctx: "Context[HttpState]") -> "Folder | None":
    from strap.documents.passages import refuse_blank
    from strap_http.sites.folder import Folder

    refuse_blank(params.text)
    return None if params.output is None else Folder(ctx.outputs, params.output)


def _resumed(params: CrawlParams, folder: "Folder | None", held: "Crawl | None") -> "Crawl":
    if held is not None and held.scope.has(params.url):
        return held
    if folder is not None:
        return folder.load(params.url)
    raise ActionError(
        f"The crawl of {params.url!r} is no longer held.",
        hint="Repeat the call without start. With output a crawl can be gone on with at any time.",
        code="gone",
    )


def _check_start(start: int, crawled: "Crawl") -> None:
    if start > len(crawled.pages):
        pages = counted(len(crawled.pages), "page")
        raise UsageError(
            f"start={start} is past the end: the crawl has {pages}.",
            hint=f"Give start={len(crawled.pages)} to go on.",
        )


async def _answer(
    crawled: "Crawl", params: CrawlParams, ctx: "Context[HttpState]", sink: "Gathering", *, new: int
) -> Result:
    from strap_http.sites import report

    start, until = params.start, params.start + params.limit
    lines = [report.head(crawled, new, sink.folder)]
    if params.text is not None:
        room = (ctx.max_tokens or DEFAULT_MAX_TOKENS) - _AROUND
        lines += await report.passages(sink.read, params.text, room)
    else:
        room = max((ctx.max_tokens or report.LISTED + _AROUND) - _AROUND, _AROUND)
        lines += report.listing(crawled, start, until, room)
    shown = crawled.pages[start:until]
    following = start + len(shown) if crawled.known or len(crawled.pages) > until else None
    if following is not None:
        background = "" if params.detach or not sink.folder else "; detach=true: in the background"
        lines.append(f"[Next: the same call with start={following}{background}]")
    data = {
        "pages": [asdict(page) for page in shown],
        "known": crawled.known,
        "left_out": dict(crawled.left_out),
        "next_start": following,
    }
    return Result(text="\n".join(lines), data=data)

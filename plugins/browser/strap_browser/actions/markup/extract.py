"""Rows out of the page, and of those that its "next" leads to, without a model."""

import asyncio
from dataclasses import dataclass, replace
from time import monotonic
from typing import TYPE_CHECKING

from pydantic import Field

from strap import (
    ActionError,
    Context,
    PolicyDenied,
    Result,
    RowFields,
    Rows,
    action,
    answer_rows,
    read_rows,
    rows_file,
)
from strap_browser import interaction
from strap_browser.actions.elements.click import ClickOptions, press_element
from strap_browser.actions.markup.page_markup import page_markup
from strap_browser.actions.navigate import goto, load
from strap_browser.actions.params import BrowserParams
from strap_browser.common.text import clip
from strap_browser.common.urls import origin_of
from strap_browser.snapshot.media_types import describe_media_type

if TYPE_CHECKING:
    from strap_browser.interaction.element import Element
    from strap_browser.interaction.page_state import PageState
    from strap_browser.pages.registry import BrowserRegistry

TIMEOUT = 30.0
MOST_PAGES = 20
"""Pages of one call."""
SHARE = 0.6
"""Part of the time limit after which no further page is opened."""
NEWS_LIMIT, NEWS_STEP = 3.0, 0.1
"""Seconds for which a page may take to draw other rows after a click on "next"."""


class Extract(RowFields, BrowserParams):
    """Fields of `extract`."""

    ref: str | None = Field(default=None, max_length=2_000)
    """Only what is in this element."""
    limit: int | None = Field(default=None, ge=1, le=20_000)
    """Number of rows; where the page has fewer, the pages after it are opened, 20 at most."""


@action("browser", effect="write", timeout=TIMEOUT, asks_person=True, acts_as=("click",))
async def extract(params: Extract, ctx: "Context[BrowserRegistry]") -> Result:
    """Take rows out of the page, without a model: by rules, or all that its records share.

    As `http.extract`, of what the page shows now, frames and shadow roots included. With a `limit`
    beyond the page's own rows its link or button to the next page is followed, within its origin;
    the page is then the last one that was read.
    """
    path = rows_file(params, ctx.outputs)  # which would be refused after all the work
    async with interaction.using_page(ctx, reads=params.limit is None) as state:
        element = await interaction.find_element(state, params.ref, None)
        rows = await _Reading(state, params, ctx).all_rows(element)
        result = await answer_rows(rows, params, ctx.outputs, ctx.max_tokens, path)
        text = "\n".join((result.text, *state.tab.drain()))
        return Result(text=text, data=result.data)


@dataclass(frozen=True, slots=True)
class _Reading:
    state: "PageState"
    params: Extract
    ctx: "Context[BrowserRegistry]"

    async def all_rows(self, element: "Element | None") -> Rows:
        """Return the rows of the page, or of the element, and of as many pages as are wanted."""
        deadline = monotonic() + SHARE * (self.params.timeout or TIMEOUT)
        begun_at = self.state.tab.page.url
        rows = last = await self._rows(element, 1)
        needed = 0 if element is not None else self.params.start + (self.params.limit or 0)
        pages, why = 1, ""
        while len(rows.rows) < needed and not why:
            if pages == MOST_PAGES or monotonic() > deadline:
                why = "further pages were not opened"
                break
            more, why = await self._next(last, len(rows.rows) + 1)
            if more is not None:
                rows, last, pages = rows.with_more(more), more, pages + 1
        if not self.params.limit:
            return rows
        now_at = self.state.tab.page.url
        where = f"; now at {clip(now_at, 200)}" if now_at != begun_at else ""
        note = f"{pages} page{'s' * (pages > 1)}{f', {why}' if why else ''}{where}"
        return rows.noted(note) if pages > 1 or why else rows

    async def _rows(self, element: "Element | None", first: int) -> Rows:
        page = await page_markup(self.state, element)
        if what := describe_media_type(page.kind):
            raise ActionError("There is no page to take rows from.", hint=what, code="no_records")
        workers = self.ctx.state.files.workers
        rows = await read_rows(
            page.html, page.base, self.params, workers, first=first, cut=page.cut
        )
        return replace(rows, url=page.url)

    async def _next(self, last: Rows, first: int) -> tuple[Rows | None, str]:
        way = await self.state.ask("onward")
        if "several" in way:
            return None, f"{way['several']} links lead to a next page, so none was followed"
        if not way:
            return None, "there is no next page"
        try:
            if "href" not in way:
                await self._press(way["ref"])
            elif origin_of(way["href"]) == origin_of(last.url):
                await self._go(way["href"])
            else:
                return None, f"the next page is of another site: {clip(way['href'], 200)}"
            return await self._other_rows(last, first, is_new="href" in way)
        except (ActionError, PolicyDenied) as error:
            if error.code == "schema":
                raise
            return None, f"the next page failed: {error.message}"

    async def _go(self, url: str) -> None:
        target = await self.ctx.state.guard(self.ctx).check(url)
        answer = interaction.response_for(self.ctx)
        await load(self.state, goto(self.state, target), target.url, target.host, answer)
        status = interaction.status_of(self.state)
        if status is not None and status >= 400:
            raise ActionError(f"HTTP status {status}.", code="http_status")

    async def _press(self, ref: str) -> None:
        from strap_browser.interaction.element import Element

        page = self.state.tab.page
        button = Element(frame=page.main_frame, name="the next page", node_id=ref)
        await press_element(self.state, button, ClickOptions())

    async def _other_rows(self, last: Rows, first: int, *, is_new: bool) -> tuple[Rows | None, str]:
        """Wait for rows that are not those of the page before: a page may draw them late.

        A document that `is_new` has its own from the start, or none yet.
        """
        patience = monotonic() + NEWS_LIMIT
        while True:
            try:
                more = await self._rows(None, first)
                if more.rows != last.rows:
                    return more, ""
                why = "the next page has the same rows"
            except ActionError as error:
                if error.code != "no_records":
                    raise
                more, why = None, "the next page has no rows"
            if monotonic() > patience or (is_new and more is not None):
                return None, why
            await asyncio.sleep(NEWS_STEP)

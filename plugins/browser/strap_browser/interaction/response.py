"""The text of an answer, and what it says of a page that was opened."""

import re
from dataclasses import field
from functools import partial
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from strap import DEFAULT_MAX_TOKENS, Consent, Context, Result, count_tokens, record
from strap_browser.common.beside import beside
from strap_browser.common.text import clip, quoted, short_address
from strap_browser.common.urls import is_web
from strap_browser.engine.page_activity import Mark
from strap_browser.engine.traffic.password_challenges import UNAUTHORIZED, is_challenge
from strap_browser.interaction.navigation_errors import reason_of
from strap_browser.interaction.page_state import PageState
from strap_browser.interaction.settle import Settler, waiting_for
from strap_browser.proxy.control import may_be_refused
from strap_browser.snapshot.media_types import describe_media_type
from strap_browser.snapshot.novelty import messages, new_lines
from strap_browser.snapshot.snapshot import DRAWN, EMPTY, LARGE, full_text

if TYPE_CHECKING:
    from strap_browser.pages.tab import Tab
    from strap_browser.snapshot.outlines import Outline
    from strap_browser.snapshot.snapshot import Snapshot

ERROR_PAGE = "chrome-error:"
AGAIN = "New on the page since it was at this address before:"
URL = 300
SMALL = 400
"""A page whose snapshot takes no more tokens is shown when it is opened."""
ANNOUNCED = 120
"""Tokens for messages and dialogs of a page that is not shown: a consent box takes about 60."""
LOG_IN = (
    "The server asks for a user name and a password: `http fetch` takes an Authorization header; "
    "the setting `basic_auth` gives pages one."
)


@record(frozen=False)
class ResponseBuilder:
    """Lines that are collected for the answer to a call, within `tokens`."""

    tokens: int
    consent: Consent
    lines: list[str] = field(default_factory=list)
    data: dict[str, Any] = field(default_factory=dict)

    def add(self, *lines: str) -> None:
        """Add what is not empty."""
        self.lines.extend(line for line in lines if line)

    @property
    def left(self) -> int:
        """Tokens that are left."""
        return max(100, self.tokens - count_tokens("\n".join(self.lines)))

    def result(self, tab: "Tab") -> Result:
        """Return the answer, with what else happened on the page."""
        self.add(*tab.drain())
        return Result(text="\n".join(self.lines), data=self.data or None)


def response_for(ctx: Context[Any]) -> ResponseBuilder:
    """Return an empty answer of the size that the caller asked for."""
    return ResponseBuilder(tokens=ctx.max_tokens or DEFAULT_MAX_TOKENS, consent=ctx.consent)


async def add_page(
    answer: ResponseBuilder, state: PageState, before: "Snapshot | None" = None
) -> None:
    """Add address, title and status of a new document, and all of it if it is small.

    Of a large one that was at the same address `before` what is new is added.
    """
    first = await state.first_look()
    if state.activity.leaving:
        answer.add(await _follow(state))
        first = await state.first_look()
    info = first.answer
    status = status_of(state)
    if info["url"].startswith(ERROR_PAGE):
        await _add_failure(answer, state, status)
        return
    answer.data.update(url=info["url"], title=info["title"], status=status)
    where = " ".join(filter(None, (quoted(info["title"]), short_address(info["url"]))))
    answer.add(f"Now at {where}", status_text(status), _advice(state))
    answer.add(tools_told(state, answer.consent))
    if words := describe_media_type(info["kind"]):
        answer.add(words)
        return
    if "tree" not in info:
        answer.add(captcha_told(info.get("captcha", "")))
        answer.add(f"The page is large ({info['size']:,} elements): use `snapshot` or `text`.")
        return
    snapshot = await state.look(seen=first)
    answer.add(captcha_told(snapshot.captcha))
    text = full_text(snapshot, state.refs, min(SMALL, answer.left))
    if text is None:
        await _add_part(answer, state, snapshot, before)
        answer.add(_unfinished(state, first, shows=True), "`snapshot` shows the page.")
        return
    shows = text or (DRAWN if snapshot.drawn else "")
    answer.add(shows, _unfinished(state, first, shows=bool(shows)))


async def _add_part(
    answer: ResponseBuilder, state: PageState, snapshot: "Snapshot", before: "Snapshot | None"
) -> None:
    """Add what a large page has new since `before`, or what it announces."""
    if before is None or _place(before.url) != _place(snapshot.url):
        finding = partial(messages, snapshot, state.refs, min(ANNOUNCED, answer.left))
        answer.add(*await beside(finding, large=snapshot.characters > LARGE))
        return
    large = max(before.characters, snapshot.characters) > LARGE
    finding = partial(new_lines, before, snapshot, state.refs, min(SMALL, answer.left))
    lines = await beside(finding, large=large)
    answer.add(AGAIN if lines else "", *lines)


def _unfinished(state: PageState, seen: "Outline", *, shows: bool) -> str:
    """Say that a page is still drawn, or what one that shows next to nothing waits for.

    A request that goes on says nothing of a page with content: many keep one open.
    """
    waiting, drawing = waiting_for(state.activity.busy), seen.drawing
    if not drawing:  # a browser of another kind, or what is no page
        return ""
    what = f"waits for {waiting}" if waiting else f"shows {drawing['busy']}"
    is_sign = drawing["sure"] or waiting or not shows
    if drawing["scripts"] and ((drawing["busy"] and is_sign) or (waiting and not shows)):
        return f"Still drawing: the page {what}. `wait` returns when it rests."
    if waiting and drawing["blank"]:
        return f"Still waiting for {waiting}."
    return f"{EMPTY[:-1]} so far." if drawing["scripts"] and not shows else ""


def captcha_told(name: str) -> str:
    """Say that a page has a captcha of this name, "" for none: the page may go no further."""
    if not name:
        return ""
    return f"The page has a captcha ({name}), not solved: a person has to, ask with `live text=…`."


def tools_told(state: PageState, consent: Consent) -> str:
    """Say that a page registers tools (WebMCP) that may be called, "" where it does not."""
    count, more = len(state.tools.allowed(consent)), "+" if state.tools.untold else ""
    return f"{count:,}{more} page tool{'s' * (count > 1)}: `tools` lists them." if count else ""


def _place(url: str) -> str:
    return re.split("[?#]", url, maxsplit=1)[0]


async def _follow(state: PageState) -> str:
    """Wait for where a document leads on as soon as it is loaded, as one with a `refresh` does.

    Returns what is unfinished when patience ends.
    """
    mark = Mark(requests=0, commits=state.activity.commits, windows=0)
    return (await Settler(state.tab, state.activity, mark).navigation()).unfinished


async def _add_failure(answer: ResponseBuilder, state: PageState, status: int | None) -> None:
    """Say what could not be opened, and why, where the browser shows a page of its own about it."""
    request, gate = state.activity.document, state.tab.connection.endpoint.gate
    hide = state.tab.secrets.hide
    url = hide(request.url) if request else "the page"
    failure = request.failure if request else ""
    why: object = hide(reason_of(failure, request.url)) if request else ""
    if request and gate and may_be_refused(failure):
        why = await gate.explain(request.url) or why
    if status is not None:
        why = "it answered without a page."
    if failure == UNAUTHORIZED:
        status, why = HTTPStatus.UNAUTHORIZED.value, LOG_IN
    answer.data.update(url=url, title="", status=status)
    answer.add(f"Could not open {clip(url, URL)}: {why}", status_text(status))
    answer.add("`back` returns to the page before.")


def _advice(state: PageState) -> str:
    request = state.activity.document
    return LOG_IN if request is not None and is_challenge(request.response) else ""


def status_text(status: int | None) -> str:
    """Return a sentence about an HTTP status that is an error, "" for any other."""
    if status is None or status < HTTPStatus.BAD_REQUEST:
        return ""
    known = status in HTTPStatus.__members__.values()
    return f"HTTP status {status} {HTTPStatus(status).phrase if known else ''}".strip() + "."


def status_of(state: PageState) -> int | None:
    """Return the HTTP status of the document, None where no server answered with it.

    Browsers give what a script made, a `blob:`, the status 200 as well.
    """
    request = state.activity.document
    if request is None or request.response is None or not is_web(request.url):
        return None
    return request.response.status

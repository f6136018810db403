"""Effects of an action on its page: watched from before it, told after it."""

import asyncio
from collections.abc import Iterator
from contextlib import suppress
from time import monotonic
from urllib.parse import urlsplit

from strap import ActionError, PolicyDenied
from strap.text import counted
from strap_browser.cdp.errors import CdpError
from strap_browser.common.text import clip, quoted, short_address
from strap_browser.interaction.news import NEWS_STEP, News
from strap_browser.interaction.page_state import PageState
from strap_browser.interaction.recording.outcome import note_outcome
from strap_browser.interaction.response import ResponseBuilder, add_page, captcha_told
from strap_browser.interaction.settle import WINDOW_LIMIT, Settled
from strap_browser.page_script.bundle import ScriptAnswer
from strap_browser.proxy.control import may_be_refused
from strap_browser.snapshot.diff import compare, describe
from strap_browser.snapshot.focus import led_elsewhere
from strap_browser.snapshot.snapshot import Snapshot

TOO_LARGE = "The page is too large to be compared. `snapshot` with `text` finds what you need."
UNNOTICED = f"No change was noticed so far. {TOO_LARGE}"
SINCE_LAST = "Changed since the last look at the whole page:"
"""Heading of what may be there since an earlier action, of which only a part was told."""
LOOKS = "How it looks may have: see with `screenshot`."
"""Hint where something moved, or may have, that no snapshot shows, such as a map."""
TITLE_LIMIT = 0.5
"""Seconds for which another page is asked for its title: it may hang."""
ELSEWHERE_LIMIT = 1.0
"""Seconds for which it is looked at."""
MOST_SENT = 3
PATH = 100
"""Characters of the path of a request, after its host where that is another than the page's."""


def place_reached(answer: ScriptAnswer) -> tuple[str, str]:
    """Return how far something is scrolled, and what that is."""
    ways = (answer["top"], answer["bottom"], "down"), (answer["left"], answer["right"], "right")
    at = ", ".join(f"{at:,} of {most:,} px {way}" for at, most, way in ways if most)
    return at or "0 of 0 px down", answer["name"] or "the page"


class Effects(News):
    """The effects of one action; make it before the action.

    The command that checks an element begins the watch on the element's document, under `token`;
    `begin` does where there is no element. With `value` the page reports what the field holds.
    Unless it `waits`, what is not there at once is waited for only where a field has a list.
    """

    def __init__(self, state: PageState, *, value: bool = False, waits: bool = True) -> None:
        super().__init__(state, value=value, waits=waits)
        self._has_told_others = False
        self.selects = False
        """Whether the action may select text, as a drag over it does."""

    async def settle(self, *, patient: bool = True) -> Settled:
        """Wait for what the action started; see `Settling.after`."""
        self.settled = await self._settling.after(self._glimpse, patient=patient, eager=True)
        return self.settled

    async def follow(self) -> None:
        """Watch and settle after the fact, where the action could not be watched itself."""
        with suppress(CdpError):  # a page on its way elsewhere need not be watched
            if not self.pending and self._state.tab.dialog is None:
                opened = self._state.tab.dialog_opened.is_set
                await self._state.activity.race(self.begin(), opened)
        await self.settle()

    async def tell(self, answer: ResponseBuilder, *, own: bool = False) -> None:
        """Add what changed; with `own` the answer tells of a change already."""
        await self._tell(answer, own=own)
        if not self._has_told_others:
            await self._add_others(answer)
        self._note()

    def _note(self) -> None:
        after, changes = self._compared or (None, [])
        looks = (self.before, after)
        note_outcome(
            self._state,
            self._state.last,
            changes=changes,
            restless=(text for look in looks if look for text in look.restless),
            navigated=self.settled.navigated,
            began=self._began,
        )

    async def _tell(self, answer: ResponseBuilder, *, own: bool) -> None:
        state, tab = self._state, self._state.tab
        after = await self.observe()
        answer.add(self.settled.unfinished)
        if self._is_lost():
            return
        if self.settled.navigated:
            await add_page(answer, state, self.before)
            return
        if invalid := self.settled.report.get("invalid"):
            answer.add(f"The page does not take {invalid}")
        if foreign := self.settled.report.get("foreign"):
            answer.add(f"{foreign!r} is for another program, and was not opened.")
        focus = not own
        url = after.url if after else tab.page.url
        if self.before is not None and url != self.before.url:
            answer.add(f"URL: {short_address(url)}")
            own = True
        if after is not None:
            if self.before is not None and after.title != self.before.title:
                answer.add(f"Title: {quoted(after.title) or 'none'}")
                own = True
            await self._add_difference(answer, after, own=own, focus=focus)
        elif self._is_quick():
            answer.add("The page keeps changing: take a snapshot.")
        else:
            self._add_part(answer)

    async def _add_difference(
        self, answer: ResponseBuilder, after: Snapshot, *, own: bool, focus: bool
    ) -> None:
        state, changes = self._state, await self._compare(after)
        if self.before is None or after.captcha != self.before.captcha:
            answer.add(captcha_told(after.captcha))
        if not changes and focus and self.before is not None:
            raw = self.element.node_id if self.element else ""
            changes = led_elsewhere(self.before, after, raw)
        if changes:
            gone, document = state.gone, state.activity.commits
            shown = gone.taken_back(changes, document, state.refs)
            heading = SINCE_LAST if self._is_outdated else "Changed:"
            answer.add(heading, describe(shown, after, state.refs, answer.left, self.before))
            gone.note(changes, document)
        elif self.before is None and self.settled.report.get("outside"):
            answer.add("The page changed; `snapshot` shows it.")
        else:
            await self._add_nothing(answer, own=own)

    def _add_part(self, answer: ResponseBuilder) -> None:
        if self.settled.report.get("outside"):
            answer.add(TOO_LARGE)
        elif self._part.is_empty and not self._value:
            answer.add(*self._scrolled(), *self._sent(), UNNOTICED)
        self._part.describe(answer, self._state.refs)

    async def _add_nothing(self, answer: ResponseBuilder, *, own: bool) -> None:
        """Say so, unless nothing was to be expected: a field was set, and nothing else stirred."""
        outside, drawn = (self.settled.report.get(name) for name in ("outside", "drawn"))
        if not self._value or (self.awaits and outside):
            self._has_told_others = True
            own = await self._add_others(answer) or own
            others = [*self._scrolled(), await self._selected(), *self._sent()]
            if self.happened > self._noted:
                others += self._state.tab.drain()
            answer.add(*others)
            own = own or any(others)
            nothing = "Nothing else has changed so far." if own else "Nothing has changed so far."
            answer.add(nothing, LOOKS if outside or drawn else "")

    async def _add_others(self, answer: ResponseBuilder) -> bool:
        tab = self._state.tab
        await tab.session.catch_up()
        await self._arrive_elsewhere()
        lines = len(answer.lines)
        for other in self.others:
            is_related = other.page.opener is tab.page or tab.page.opener is other.page
            if not is_related or tab.session.private or not isinstance(other.state, PageState):
                continue
            before, after = await _looked_again(other.state)
            if before is not None and after is not None and (changes := compare(before, after)):
                refs, tokens = other.state.refs, answer.left
                answer.add(f"Page {other.handle} changed:", describe(changes, after, refs, tokens))
        answer.add(*await self._refused())
        return len(answer.lines) > lines

    async def _refused(self) -> list[str]:
        tab, lines = self._state.tab, dict[str, None]()
        if (gate := tab.connection.endpoint.gate) is None:
            return []
        for page in (tab, *self.others):
            for exchange in page.records.refused_since(self._began):
                is_own = exchange.request.frame_id == tab.page.main_frame.id
                if is_own or not may_be_refused(exchange.failure) or len(lines) >= MOST_SENT:
                    continue
                error = await gate.explain(exchange.request.url)
                if isinstance(error, PolicyDenied):
                    lines[tab.secrets.hide(f"{error.message} {error.hint}")] = None
        return list(lines)

    async def _arrive_elsewhere(self) -> None:
        """Wait until other pages are where this action sent them, and ask what they are called."""
        tab, until = self._state.tab, monotonic() + WINDOW_LIMIT
        while any(map(self.is_sent_elsewhere, self.others)) and monotonic() < until:
            await self._state.activity.change(NEWS_STEP)
        moved = {page.handle for page in tab.session.elsewhere.moved(tab.session.tabs, tab)}
        for other in self.others if moved else ():
            with suppress(CdpError, TimeoutError):
                async with asyncio.timeout(TITLE_LIMIT):
                    title = other.secrets.hide(await other.page.title())
                    tab.session.elsewhere.titles[other.handle] = title

    def _scrolled(self) -> Iterator[str]:
        if scrolled := self.settled.report.get("scrolled"):
            yield f"Scrolled to {' of '.join(place_reached(scrolled))}."

    async def _selected(self) -> str:
        answer: dict[str, str] = {}
        if self.selects:
            with suppress(CdpError):
                answer = await self.ask("selected")
        return f"Selected: {quoted(answer['selected'])}." if answer.get("selected") else ""

    def _sent(self) -> Iterator[str]:
        """Yield what the page asked for beyond reading: who saw nothing of it might act again."""
        tab = self._state.tab
        host, pages = urlsplit(tab.page.url).netloc, (tab, *self.others)
        sent = [(page, item) for page in pages for item in page.records.sent_since(self._began)]
        for page, exchange in sent[:MOST_SENT]:
            sender = "The page" if page is tab else f"Page {page.handle}"
            url = urlsplit(exchange.request.url)
            place = clip(tab.secrets.hide(f"{url.netloc * (url.netloc != host)}{url.path}"), PATH)
            what = "tried to send" if exchange.failure and exchange.status is None else "sent"
            state = exchange.outcome or "no answer yet"
            yield f"{sender} {what} {exchange.request.method} {place}: {state} ({exchange.ref})."
        messages = tab.records.messages_sent() - self._messages
        for ref, many in messages.most_common(MOST_SENT):
            socket = tab.records.find(ref)
            place = (
                clip(tab.secrets.hide(urlsplit(socket.request.url).path), PATH) if socket else ""
            )
            yield f"The page sent {counted(many, 'message')} over WebSocket {place} ({ref})."
        if len(sent) > MOST_SENT:
            yield f"And {counted(len(sent) - MOST_SENT, 'more request')}: see `network`."


async def _looked_again(state: PageState) -> tuple[Snapshot | None, Snapshot | None]:
    """Return the last look at another page, and one of now; None where there is none to be had."""
    before = state.last
    if before is None or state.tab.dialog is not None or not state.is_quick(state.size):
        return before, None
    with suppress(CdpError, ActionError, TimeoutError):
        async with asyncio.timeout(ELSEWHERE_LIMIT), state.tab.turns.turn():
            return before, await state.look_likewise()
    return before, None

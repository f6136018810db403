"""One page of a caller, and what it does on its own: dialogs, pop-ups, downloads, errors."""

import asyncio
from asyncio import FIRST_COMPLETED
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Protocol

from strap_browser.cdp.errors import CdpError
from strap_browser.common.tasks import Tasks
from strap_browser.common.text import clip
from strap_browser.engine.browser_connection import BrowserConnection
from strap_browser.engine.console import ConsoleMessage
from strap_browser.engine.downloads import Download
from strap_browser.engine.frames.frame import Frame
from strap_browser.engine.page import Page
from strap_browser.engine.prompts import Dialog, FileChooser
from strap_browser.pages.notices import PRIVATE, Elsewhere, Notices
from strap_browser.pages.page_errors import a_dialog, question_of
from strap_browser.pages.page_log import PageLog, is_chatter
from strap_browser.pages.rules.conditions import Conditions
from strap_browser.pages.rules.profile_facts import ProfileFacts
from strap_browser.pages.turns import Turns
from strap_browser.snapshot.refs import PageName, RefBook, Refs

ALERTS = 20
"""Alerts that are acknowledged without asking between two answers; the next one stays open."""
PROBE_LIMIT = 3.0
"""Seconds in which a page that may hang has to answer; one on a loaded machine needs up to one."""
CLOSE_LIMIT = 5.0
"""Seconds to close a page; one that hangs is gone with its process or its browser."""


class TabOwner(Protocol):
    """Owner of tabs, as a tab and its callers see it."""

    book: RefBook
    tabs: "dict[str, Tab]"
    current: "Tab | None"
    elsewhere: Elsewhere
    conditions: Conditions
    state_file: Path | None

    @property
    def private(self) -> bool:
        """Whether a person has the pages in hand."""

    @property
    def profile(self) -> ProfileFacts:
        """The profile that the pages are in."""

    @property
    def spawn(self) -> Tasks:
        """Run a coroutine in the background for as long as the session lasts."""

    async def catch_up(self) -> None:
        """Learn which tabs closed themselves meanwhile."""

    def adopt(self, page: Page, opener: "Tab") -> None:
        """Take a page that a tab opened."""

    def receive(self, incoming: Download, tab: "Tab") -> None:
        """Save a download of a tab."""

    async def revive(self, tab: "Tab") -> str:
        """Put a blank page in the place of one that is lost; return what happened, or ''."""

    async def close_tab(self, tab: "Tab") -> None:
        """Close one page."""

    def discard(self, tab: "Tab") -> None:
        """Close one page in the background."""


class Tab:
    """A page under an id that stays the same when a crashed page is replaced.

    Take a turn of `turns` to use its `page`. `state` is that of the page actions, None for a new
    page. `dialog` is open while `dialog_opened` is set. An alert is answered, and told, at once.
    """

    def __init__(
        self, handle: str, session: TabOwner, connection: BrowserConnection, page: Page
    ) -> None:
        self.handle, self.session = handle, session
        self.turns = Turns()
        self.refs = Refs(session.book, PageName(profile=session.profile.name, target_id=handle))
        self.events = Notices()
        self.secrets = session.profile.secrets.remembering()
        """Secrets that no answer may show."""
        self.records = PageLog(self.secrets, lambda: session.private, self.events.add)
        self.suspect = False
        """Whether a call on the page failed or was given up, so that it may be stuck."""
        self.dialog_opened, self._lost = asyncio.Event(), asyncio.Event()
        self.attach(connection, page)

    def attach(self, connection: BrowserConnection, page: Page) -> None:
        """Put `page` behind this tab."""
        self.connection, self.page = connection, page
        self.state: Any = None
        self.dialog: Dialog | None = None
        self.dialog_opened.clear()
        self.chooser: FileChooser | None = None
        """File field that the page asks about, until it gets its files."""
        self.aimed: tuple[Frame, str] | None = None
        """The document of the last action, and its token there: what it was for is known there."""
        self._lost.clear()
        self.trouble: str | None = None
        """Why the page cannot be used any more, as a sentence."""
        self.suspect = self._ended_privately = self._expects_files = False
        self._alerts, self._ended = 0, asyncio.Event()
        self.session.conditions.follow(page, self.handle)
        page.on("dialog", self._on_dialog)
        page.on("popup", lambda popup: self.session.adopt(popup, self))
        page.on("download", lambda download: self.session.receive(download, self))
        page.on("filechooser", self._on_chooser)
        self.records.follow(page)
        page.on("console", self._on_console)
        page.on("pageerror", self._on_error)
        page.on("dialogclosed", self._on_dialog_closed)
        page.on("crash", lambda _: self._on_crash(page))
        page.on("close", lambda _: self._on_end(page))
        page.tell_unheard()

    def replace(self, connection: BrowserConnection, page: Page) -> None:
        """Put `page` in the place of one that is lost, which is closed."""
        lost = self.page
        self.attach(connection, page)
        if not (lost.is_closed() or connection.endpoint.granted):
            self.session.spawn(lost.close())

    @property
    def alive(self) -> bool:
        """Whether the page is there, as far as is known without asking it."""
        return not (self.trouble or self.connection.dead or self.page.is_closed())

    async def lost(self) -> None:
        """Return when the page is of no use any more, or its browser or connection is gone."""
        signs = (self._lost, self.connection.lost, self.connection.endpoint.ended)
        waiting = [asyncio.ensure_future(sign.wait()) for sign in signs]
        try:
            await asyncio.wait(waiting, return_when=FIRST_COMPLETED)
        finally:
            for future in waiting:
                future.cancel()

    async def answer(self, *, accept: bool, text: str | None = None) -> None:
        """Answer the open dialog; `text` is what to enter in a prompt."""
        dialog = self.dialog
        self._forget_dialog()
        self._alerts = 0  # the next one may be there before the page is asked anything
        if dialog is not None:
            await (dialog.accept(text) if accept else dialog.dismiss())

    def note(self, sentence: str) -> None:
        """Have the next answer tell it, unless a person has the pages in hand."""
        if not self.session.private:
            self.events.add(sentence)

    def drain(self) -> list[str]:
        """Return what happened since the last answer on this page, and on others."""
        return [*self.events.drain(), *self.session.elsewhere.drain(self.session.tabs, self)]

    @contextmanager
    def expecting_files(self) -> Iterator[None]:
        """Take no note of file choosers that open meanwhile."""
        self._expects_files = True
        try:
            yield
        finally:
            self._expects_files = False

    async def verify(self) -> None:
        """Look whether the page is stuck, as soon as no call is at work on it."""
        async with self.turns.turn():
            await self.check_responsive()

    async def check_responsive(self) -> None:
        """Ask a suspect page for a sign of life; `trouble` tells if there is none."""
        self._alerts = 0
        if not self.suspect or self.dialog is not None or not self.alive:
            return
        self.suspect = False
        sign = asyncio.ensure_future(self._sign_of_life())
        ended = asyncio.ensure_future(self._ended.wait())
        try:
            await asyncio.wait((sign, ended), timeout=PROBE_LIMIT, return_when=FIRST_COMPLETED)
            if sign.done():
                sign.result()
            elif not self._ended.is_set() and not self._is_leaving():
                await self._hangs()
        except CdpError:
            # Closed, navigating, or the connection is gone: only the last one matters.
            await self.connection.check()
        finally:
            sign.cancel()
            ended.cancel()

    def _is_leaving(self) -> bool:
        """Whether it waits for another document: Chromium has no command reach the one before."""
        self.suspect = self.state is not None and self.state.activity.leaving
        return self.suspect

    async def _hangs(self) -> None:
        if self.connection.endpoint.granted:
            self.trouble = f"The page {self.where} hangs."
        else:
            await self.abandon(f"The page {self.where} hung and was closed.")

    async def _sign_of_life(self) -> None:
        await self.page.session.send("Runtime.evaluate", expression="1")

    async def abandon(self, reason: str) -> None:
        """End a page that is of no use; the next call puts a blank one in its place."""
        self.trouble = reason
        self._forget_dialog()
        with suppress(Exception):
            async with asyncio.timeout(CLOSE_LIMIT):
                await self.connection.keep_window(self.page)
                await self.page.close()
        self._lost.set()

    @property
    def where(self) -> str:
        """The page's address, shortened; where a person has or had it in hand, nothing of it."""
        if self.session.private or self._ended_privately:
            return PRIVATE
        return clip(self.secrets.hide(self.page.url), 120)

    def _on_dialog(self, dialog: Dialog) -> None:
        message = question_of(dialog, self)
        if dialog.type == "alert" and self._alerts < ALERTS:
            self._alerts += 1
            self.note(f"An alert said {message!r} (acknowledged).")
            self.session.spawn(dialog.accept())
            return
        self.dialog = dialog
        self.dialog_opened.set()
        self.note(f"{a_dialog(dialog.type)} is open: {message!r}. Answer it with `dialog`.")

    def _on_chooser(self, chooser: FileChooser) -> None:
        self.chooser = chooser
        if not self._expects_files:
            self.note("The page asks for a file: give it with `upload`.")

    def _on_dialog_closed(self, dialog: Dialog) -> None:
        if dialog is self.dialog:
            self._forget_dialog()

    def _forget_dialog(self) -> None:
        self.dialog = None
        self.dialog_opened.clear()

    def _on_console(self, message: ConsoleMessage) -> None:
        if message.type != "error" or is_chatter(message):
            return
        if not self.records.is_about_page(message, self.page.url):
            self._on_error(message.text)

    def _on_error(self, text: str) -> None:
        if not self.session.private:
            self.events.add_error(self.secrets.hide(text))

    def _on_crash(self, page: Page) -> None:
        if self.page is page and self.trouble is None:
            self.trouble = f"The page {self.where} crashed."
            self._lost.set()
        self._on_end(page)

    def _on_end(self, page: Page) -> None:
        if self.page is page:
            self._ended_privately = self.session.private
            self._ended.set()
            self._forget_dialog()

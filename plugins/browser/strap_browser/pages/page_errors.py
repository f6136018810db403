"""Errors between a call and its page, in strap's words."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol

from strap import ActionError, Secrets
from strap_browser.cdp.errors import (
    CdpError,
    ContextDestroyed,
    FrameCrashed,
    NotAnswered,
    TargetClosed,
)
from strap_browser.common.text import clip
from strap_browser.engine.prompts import Dialog

NO_TAB = "Ask the user to click strap's icon in a tab of Chrome, or open a tab with new_page."
LENGTH = 300
"""Characters of what a browser says to a command: some of it repeats what was sent."""


class PageFacts(Protocol):
    """Facts of a tab that its errors tell."""

    secrets: Secrets
    dialog: Dialog | None

    @property
    def alive(self) -> bool:
        """Whether the page is still there."""


@contextmanager
def translated_errors(tab: PageFacts) -> Iterator[None]:
    """Turn what the browser refuses into an `ActionError`; a lost page is left to the tab."""
    try:
        yield
    except CdpError as error:
        if not tab.alive:
            raise
        raise _translated(error) from None


def not_answered() -> ActionError:
    """Return the error of a page that takes too long for anything."""
    return ActionError(
        "The page did not answer in time.",
        hint="It may be busy: try again, or `navigate` elsewhere.",
        code="page_busy",
        retryable=True,
    )


def _translated(error: CdpError) -> ActionError:
    if isinstance(error, NotAnswered):
        return not_answered()
    if isinstance(error, TargetClosed):
        return _closed()
    if isinstance(error, ContextDestroyed):
        return ActionError(
            "The page went to another document during the call.",
            hint="Take a new snapshot.",
            code="page_changed",
            retryable=True,
        )
    if isinstance(error, FrameCrashed):
        return ActionError(
            "The frame crashed: it is empty until it is reloaded.",
            hint="`reload` the page.",
            code="frame_crashed",
        )
    return ActionError(f"The browser refused: {first_line(error)}", code="browser")


def _closed() -> ActionError:
    return ActionError(
        "The page or its browser was closed during the call.",
        hint="Call again: it is put right.",
        code="page_lost",
    )


def refuse_dialog(tab: PageFacts) -> None:
    """Raise `ActionError` (code "dialog_open") if a dialog blocks the page."""
    if tab.dialog is not None:
        raise ActionError(
            f"{a_dialog(tab.dialog.type)} blocks the page: {question_of(tab.dialog, tab)!r}.",
            hint="Answer it with `dialog`, or leave the page with `navigate`.",
            code="dialog_open",
        )


def question_of(dialog: Dialog, tab: PageFacts) -> str:
    """Return what a dialog asks; the text of the one about leaving is the browser's own."""
    if dialog.holds_navigation:
        return "Leave the page?"
    return clip(tab.secrets.hide(dialog.message))


def a_dialog(kind: str) -> str:
    """Return what a dialog is called at the beginning of a sentence."""
    return f"{'An' if kind == 'alert' else 'A'} {kind} dialog"


def first_line(error: Exception) -> str:
    """Return the first line of what a browser says."""
    return str(error).strip().split("\n", 1)[0][:LENGTH]


def no_tab() -> ActionError:
    """Return the error of an action that needs a tab where none is granted."""
    return ActionError("No tab of Chrome is granted.", hint=NO_TAB, code="no_page")


def unsupported_in_user_chrome(what: str, hint: str) -> ActionError:
    """Return the error of an action that the user's own browser is not asked for."""
    return ActionError(f"{what} in the user's own Chrome.", hint=hint, code="unsupported")


def ended(profile: str, where: str, others: int) -> str:
    """Return what became of the page of a browser that ended, and of so many others."""
    and_others = f" and {others} more" if others else ""
    return (
        f"The browser of profile {profile!r} had ended and was started again; "
        f"the page {where}{and_others} {'were' if others else 'was'} lost."
    )

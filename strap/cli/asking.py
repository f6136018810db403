"""Asking the person at the terminal; standard input, which may be a pipe, answers nothing."""

import asyncio
import os
import select
from collections.abc import Awaitable, Callable
from contextlib import suppress
from functools import partial
from typing import TypeVar

from strap.api.questions import Confirm, Invite, Question
from strap.errors import ActionError

LIMIT = 120.0
"""Seconds for an answer; the call itself gives up after as many."""
TERMINAL = "/dev/tty"
"""The terminal that the process belongs to, whatever its streams are."""
YES = ("y", "yes")
LONGEST_LINE = 1_000
Answered = TypeVar("Answered")


def ask_terminal(text: str, stop: int | None = None) -> bool:
    """Show a question and return whether the answer is yes; silence is a no.

    It is given up when the pipe `stop` is closed. Raises `ActionError` (code "no_terminal").
    """
    return _read_line(f"{text} [y/N] ", stop).strip().lower() in YES


def _read_line(text: str, stop: int | None = None) -> str:
    """Return the line that is typed, "" for none."""
    terminal = _open()
    try:
        os.write(terminal, f"\n{text}".encode())
        waited_for = [terminal] if stop is None else [terminal, stop]
        ready, _, _ = select.select(waited_for, [], [], LIMIT)
        if terminal not in ready:
            os.write(terminal, b"\nNo answer: not done.\n")
            return ""
        return os.read(terminal, LONGEST_LINE).decode(errors="replace")
    except OSError as error:
        raise _no_terminal(error.strerror or "it cannot be read") from None
    finally:
        os.close(terminal)


def terminal_confirm() -> Confirm:
    """Return what asks for a yes to an action at the terminal."""
    ask = terminal_questions()

    async def confirm(question: Question) -> bool:
        return await ask(question.text)

    return confirm


def terminal_invite() -> Invite | None:
    """Return what asks at the terminal for words, None where there is no terminal."""
    try:
        os.close(_open())
    except ActionError:
        return None
    turn = asyncio.Lock()

    async def invite(text: str, url: str) -> str | bool:
        words = await _in_turn(turn, partial(_read_line, f"{text} "))
        return words.strip() or False

    return invite


def terminal_questions() -> Callable[[str], Awaitable[bool]]:
    """Return what asks at the terminal, one question after the other."""
    turn = asyncio.Lock()

    async def ask(text: str) -> bool:
        return await _in_turn(turn, partial(ask_terminal, text))

    return ask


async def _in_turn(turn: asyncio.Lock, ask: Callable[[int], Answered]) -> Answered:
    """Ask in a thread; being cancelled ends the question."""
    async with turn:
        stop, held = os.pipe()
        asking = asyncio.ensure_future(asyncio.to_thread(ask, stop))
        try:
            return await asyncio.shield(asking)
        finally:
            os.close(held)  # which ends the question, if it is still open
            with suppress(ActionError):
                await asking
            os.close(stop)


def _open() -> int:
    """Open the terminal, and drop what was typed before there was a question."""
    try:
        import termios

        terminal = os.open(TERMINAL, os.O_RDWR | os.O_NOCTTY)
    except (ImportError, OSError):
        raise _no_terminal("there is none") from None
    try:
        if os.tcgetpgrp(terminal) != os.getpgrp():
            raise _no_terminal("this runs in its background")
        termios.tcflush(terminal, termios.TCIFLUSH)
    except (termios.error, OSError, ActionError) as error:
        os.close(terminal)
        raise error if isinstance(error, ActionError) else _no_terminal("it is gone") from None
    return terminal


def _no_terminal(why: str) -> ActionError:
    return ActionError(f"The terminal cannot be asked: {why}.", code="no_terminal")

"""Entering a text into a field that has the focus, and reading back what the field then holds."""

from collections.abc import Coroutine
from contextlib import suppress
from typing import TYPE_CHECKING, Any, TypeVar

from strap import record
from strap_browser import interaction

if TYPE_CHECKING:
    from strap_browser.interaction.effects import Effects
    from strap_browser.interaction.element import Element
    from strap_browser.interaction.page_state import PageState
    from strap_browser.interaction.secret_values import FieldText

T = TypeVar("T")
SAME = {ord("\u00a0"): " "} | dict.fromkeys(map(ord, "\u200b\u2060\ufeff"))
"""How editors write two blanks in a row, and signs of no width where there is no text."""
Report = dict[str, Any]


@record
class Entry:
    """A text that replaces what a field holds."""

    state: "PageState"
    element: "Element"
    effects: "Effects"
    value_text: "FieldText"

    @property
    def value(self) -> str:
        """The text, with its secrets."""
        return self.value_text.text

    async def enter(self) -> Report | None:
        """Replace what is selected; returns what the page did, if it tells so at once."""
        state, value = self.state, self.value
        enter = self.value_text.enter(state, self.element, value, whole=True) if value else None
        await self._race(enter or state.tab.page.keyboard.press("Delete"))
        return await self._race(self.effects.report(key=bool(value)))

    async def edit(self, field: Report) -> str | None:
        """Replace what an editor holds; returns that text as the editor itself says it, if asked.

        Editors hear of the focus and of what is selected with the next frame. Some take lines for
        characters of one, or indent them anew, unless they are pasted.
        """
        keys, value = bool(field.get("keys")), self.state.tab.secrets.hide(self.value)
        if field["fresh"]:
            await self._drawn()
        await self._select(keys=keys)
        if keys and value and await self._paste():
            report = await self._report()
        else:
            report = await self.enter()
            if keys:
                report = await self._report()
        if not keys and "\n" in value and report and not _is_in_lines(report, value):
            report = await self._anew()
        is_whole = not keys or not value  # what an editor of code draws may be a part
        if report is None or (is_whole and holds_all(report, value)):
            return None
        return await self._copied(keys=keys)

    async def _anew(self) -> Report | None:
        await self._select(keys=False)
        await self._race(self.state.tab.page.keyboard.press("Delete"))
        await self._drawn()
        return await self._report() if await self._paste() else await self.enter()

    async def _report(self) -> Report | None:
        await self._drawn()  # it draws what it holds a little later
        return await self._race(self.effects.report())

    async def _select(self, *, keys: bool) -> None:
        """Select all: an editor of code knows what is selected by the keys alone."""
        if keys:
            await self._race(self.state.tab.page.keyboard.press("ControlOrMeta+A"))
        else:
            await interaction.wait_actionable(
                self.state, self.element, "fill", token=self.effects.token
            )
            await self._drawn()

    async def _paste(self) -> bool:
        answer = await self._race(
            interaction.ask(
                self.state,
                self.element,
                "paste",
                value=self.value,
                origins=self.value_text.origins,
            )
        )
        return bool(answer and answer[0]["pasted"])

    async def _copied(self, *, keys: bool) -> str:
        await self._select(keys=keys)
        answer = await self._race(interaction.ask(self.state, self.element, "copy"))
        await self._race(self.state.tab.page.keyboard.press("ArrowRight"))
        return answer[0]["copied"] if answer else ""

    async def _drawn(self) -> None:
        await interaction.next_frames_drawn(self.state.tab)

    async def _race(self, work: Coroutine[Any, Any, T]) -> T | None:
        return await self.state.activity.race(work, self.state.tab.dialog_opened.is_set)


def _is_in_lines(report: Report, value: str) -> bool:
    """Whether the editor has the lines of the text as lines of its own."""
    return holds_all(report, value) and not report.get("raw")


def holds_all(report: Report, value: str) -> bool:
    """Whether the field holds the text, with its lines and blanks.

    In an editor each paragraph is a line, or a blank one is between two, as it is drawn.
    """
    readings = [_exact(report[name]) for name in ("value", "lines") if report.get(name) is not None]
    return _exact(value) in readings or _is_number(report, value)


def _is_number(report: Report, value: str) -> bool:
    with suppress(ValueError):
        return bool(report.get("number")) and float(report["value"]) == float(value)
    return False


def holds(report: Report, value: str) -> bool:
    """Whether the field holds the text; an editor of code draws a part of a long one."""
    if holds_all(report, value):
        return True
    drawn = _exact(report["value"])
    return bool(report.get("part") and drawn and f"\n{drawn}\n" in f"\n{_exact(value)}\n")


def _exact(text: str) -> str:
    return "\n".join(text.translate(SAME).splitlines())

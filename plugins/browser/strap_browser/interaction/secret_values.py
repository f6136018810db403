"""Text that a call gives for a field, with its secrets filled in."""

from typing import Any

from strap import ActionError, Context, PolicyDenied, UsageError, record
from strap.credentials.disclosed import CODE
from strap_browser.interaction.actionability import sent_elsewhere
from strap_browser.interaction.element import Element
from strap_browser.interaction.elements import ask
from strap_browser.interaction.page_state import PageState
from strap_browser.page_script.bundle import ScriptAnswer
from strap_browser.pages.registry import BrowserRegistry

NO_ORIGIN = "a sandboxed document, which has no origin"

LONGEST_CODE = 12
"""Characters of a secret that may be for a row of fields, one for each of them."""

MOST_OFFSET = 30.0
"""Seconds by which clocks may differ: the window of a code (RFC 6238, 5.2)."""


@record
class FieldText:
    """A text to enter; with secrets in it, `origins` are those that may have it, else None."""

    text: str
    origins: tuple[str, ...] | None = None
    boxes: int = 1
    """How many fields in a row it is for: a code with a field for each digit."""
    note: str = ""
    """Sentence for the caller about it."""

    @property
    def is_secret(self) -> bool:
        """Whether secrets are in it."""
        return self.origins is not None

    async def enter(
        self, state: PageState, element: Element | None, text: str, *, whole: bool = False
    ) -> None:
        """Enter `text`, a part of it: where the focus is, or a secret in its very field.

        A page around a frame can take the focus at any time, but not move what its script sets
        (`actions/fill.js`). With `whole` it replaces what the field holds. Raises `PolicyDenied`
        where the field is in another document now.
        """
        if element is None or self.origins is None:
            await state.tab.page.keyboard.insert_text(text)
            return
        if self.boxes == 1:
            await self._enter(state, element, text=text, whole=whole or None)
            return
        for box, character in enumerate(text):  # a page draws anew after each of them
            await self._enter(state, element, text=character, whole=True, box=box, count=self.boxes)

    async def _enter(self, state: PageState, element: Element, **what: Any) -> None:
        assert self.origins is not None
        answer, element = await ask(state, element, "enter", origins=self.origins, **what)
        if not answer["may"]:
            raise PolicyDenied(
                f"The secret is not for {answer['origin']!r}, where {element.name} is now.",
                code="secret",
            )
        _check_form(answer, self.origins)
        if answer.get("kept"):
            raise ActionError(
                f"{element.name} takes text from a keyboard alone, which no secret goes through.",
                code="unsupported",
            )


async def resolve_secrets(
    state: PageState,
    element: Element | None,
    text: str,
    ctx: Context[BrowserRegistry],
    *,
    asks_again: bool = False,
) -> FieldText:
    """Return `text` with the secrets that it names, for the document that `element` is in.

    The field shows dots from then on. `{{…}}` is text like any other where no secrets are set.
    A command that `asks_again` checks origin and form in the page, and covers the field itself:
    the origin that the browser told of the frame is enough for now, which saves a round trip.
    Raises `UsageError` for an unknown name, and `PolicyDenied` where a secret is not for that site.
    """
    secrets = ctx.config.secrets
    if not secrets or not secrets.named(text):
        return FieldText(text=text)
    secrets.check(text)
    if element is None:
        raise UsageError("A secret needs its field: give ref or selector.")
    origins, origin = secrets.origins(text), element.frame.origin
    answer: ScriptAnswer = {}
    if not asks_again or origin not in origins:
        answer, _ = await ask(state, element, "cover", origins=origins)
        origin = NO_ORIGIN if answer["origin"] == "null" else answer["origin"]
    filled = await state.tab.secrets.filled(text, origin)
    ctx.flow.credential(origin)
    _check_form(answer, origins)
    boxes = 1
    if len(filled) <= LONGEST_CODE:
        answer, _ = await ask(state, element, "cover", origins=origins, count=len(filled))
        boxes = answer["boxes"]
    note = _clock(state, origin) if CODE in text else ""
    return FieldText(text=filled, origins=origins, boxes=boxes, note=note)


def _clock(state: PageState, origin: str) -> str:
    """Return what is told where the server's clock and this one differ too much for codes."""
    offset = state.tab.records.clock_offset(origin)
    if offset is None or abs(offset) <= MOST_OFFSET:
        return ""
    way = "ahead of" if offset > 0 else "behind"
    return (
        f"The clock of {origin} is {abs(offset):,.0f} s {way} this machine's, by its 'Date':"
        " it may refuse the code. Set the clock of the machine on which strap runs."
    )


def _check_form(answer: ScriptAnswer, origins: tuple[str, ...]) -> None:
    if answer.get("posts"):
        raise sent_elsewhere(answer, origins)

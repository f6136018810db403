"""HTML of what a page shows, frames and shadow roots included."""

import asyncio
from typing import TYPE_CHECKING

from strap import record
from strap_browser import interaction

if TYPE_CHECKING:
    from strap_browser.engine.frames.frame import Frame
    from strap_browser.interaction.element import Element
    from strap_browser.interaction.page_state import PageState

FRAME_LIMIT = 1.0
"""Seconds in which a frame has to tell what it shows."""


@record
class Markup:
    """`html` of what a body or an element shows; `cut` tells that there is more of it.

    `kind` is the media type of the document, `base` what its addresses are relative to.
    """

    html: str
    url: str
    base: str
    title: str
    language: str
    kind: str
    cut: bool


async def page_markup(
    state: "PageState",
    element: "Element | None" = None,
    *,
    unfold: bool = False,
    lift: bool = False,
) -> Markup:
    """Return the page, or what is in `element`; nothing hidden, no scripts, styles, passwords.

    `unfold` has what is folded in the page as well, which stays folded; `lift` makes seen what
    hides most of the page, or all that is in it.
    """
    if element is not None:
        answer, _ = await interaction.ask(state, element, "markup")
        return _markup(answer, answer["html"])
    answer = await state.ask("markup", unfold=unfold, lift=lift)
    inner = state.tab.page.inner_frames
    frames = await asyncio.gather(*(_framed(state, frame) for frame in inner))
    return _markup(answer, "".join((answer["html"], *frames)))


def _markup(answer: dict[str, object], html: str) -> Markup:
    names = ("url", "base", "title", "language", "kind")
    return Markup(html=html, cut=bool(answer["cut"]), **{name: str(answer[name]) for name in names})


async def _framed(state: "PageState", frame: "Frame") -> str:
    answer = await state.ask_within(frame, "markup", FRAME_LIMIT)
    return f"<section>{answer['html']}</section>" if answer else ""

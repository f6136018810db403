"""Outlines of a page's documents, put together to a snapshot."""

from collections.abc import Sequence
from dataclasses import field
from time import monotonic
from typing import Protocol, TypeAlias
from urllib.parse import urlsplit

from strap import record
from strap_browser.page_script.bundle import ScriptAnswer
from strap_browser.snapshot.media_types import describe_media_type
from strap_browser.snapshot.nodes import Node, accessibility_tree
from strap_browser.snapshot.snapshot import Snapshot, build

BLANK = "about:blank"


class Frame(Protocol):
    """A frame of the page."""

    @property
    def parent_frame(self) -> "Frame | None":
        """The frame that it is in, None for the main one."""


FrameAnswer: TypeAlias = tuple[Frame, ScriptAnswer]


@record
class Outline:
    """Outline of the main document."""

    answer: ScriptAnswer
    began: float
    """When it was asked, on the monotonic clock."""
    commits: int
    """How many documents there had been."""
    drawing: ScriptAnswer = field(default_factory=dict)
    """Signs that it is not drawn yet (`dom/drawing.js`), of a first look."""


def snapshot_of(
    top: ScriptAnswer, main: Frame, frames: Sequence[FrameAnswer], began: float
) -> Snapshot:
    """Return what the main document and its frames show, who were asked from `began` on."""
    others = [answer for _, answer in frames]
    return build(
        _nodes(top, main, frames),
        url=top["url"],
        title=top["title"],
        main=top["id"],
        sites={item["id"]: _site(item["url"]) for item in (top, *others)},
        kind=top["kind"],
        restless=tuple(top["restless"]),
        drawn=top["drawn"],
        captcha=next(filter(None, (item.get("captcha") for item in (top, *others))), ""),
        seconds=monotonic() - began,
    )


def _site(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}"


def _nodes(outline: ScriptAnswer, frame: Frame, others: Sequence[FrameAnswer]) -> list[Node]:
    inside: dict[str | int, FrameAnswer] = {
        answer.get("element") or answer["frame"]: (other, answer)
        for other, answer in others
        if other.parent_frame == frame
    }

    def within(ref: str, number: int) -> list[Node] | None:
        other, answer = inside.get(ref) or inside.get(number) or (None, None)
        if other is None or answer is None or (answer["url"] == BLANK and not answer["tree"]):
            return None
        if what := describe_media_type(answer["kind"]):
            return [Node("text", text=what)]
        return _nodes(answer, other, others)

    return accessibility_tree(outline, within)

"""A person's yes to what is done on a page: about an element that has to be the same after it."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from strap import Context, UsageError
from strap_browser.common.text import clip
from strap_browser.engine.frames.frame import Frame
from strap_browser.engine.frames.geometry import Place
from strap_browser.interaction.element import Element, called, changed
from strap_browser.interaction.elements import ask
from strap_browser.interaction.page_state import PageState
from strap_browser.pages.page_errors import refuse_dialog
from strap_browser.snapshot.refs import ShownElement

if TYPE_CHECKING:
    from strap_browser.pages.tab import Tab

VALUES = ("value", "text")
"""Fields that may hold what goes into a field for a password."""
THE_PAGE = "the page"


@dataclass(frozen=True, kw_only=True, slots=True)
class Subject:
    """What is to be acted on, as a person is told it: an element of `frame`, or its document."""

    frame: Frame
    loader: str
    ref: str = ""
    role: str = ""
    name: str = ""
    what: str = ""
    """The element by its tag, for one without a name."""
    version: int = 0
    secret: bool = False

    @property
    def told(self) -> str:
        """What it is called."""
        return called(self.role, clip(self.name)) if self.name else self.what

    def is_same(self, other: "Subject") -> bool:
        """Whether it is the very same, called as before."""
        same = self.frame is other.frame and self.loader == other.loader and self.ref == other.ref
        named = (self.role, self.name or self.what) == (other.role, other.name or other.what)
        return same and named


async def confirm_elements(
    ctx: Context[Any],
    state: PageState,
    *elements: Element,
    at: Place | None = None,
    anywhere: bool = False,
) -> tuple[Element, ...]:
    """Return the elements that a call acts on, after a person's yes where one is needed.

    They are the ones that the person was asked about, and nothing takes their place any more; the
    same holds for what is at a place. With `anywhere`, and from a place, what is done may reach
    any frame of the page. Raises `PolicyDenied`, and `ActionError` (code "stale_ref") where one
    changed meanwhile.
    """
    wide = anywhere or at is not None
    frames = state.tab.page.frames if wide else [each.frame for each in elements]
    if not _is_needed(ctx, state.tab, frames):
        return elements
    there = [] if at is None else [await _at(state, at)]
    found = [await _subject_of(state, element) for element in elements]
    pinned = tuple(_pinned(state, *each) for each in found)
    before = [*there, *(subject for subject, _ in found)]
    await _ask(ctx, state, before, frames)
    now = [] if at is None else [await _at(state, at)]
    now += [(await _subject_of(state, element))[0] for element in pinned]
    _check_same(before, now)
    return pinned


async def confirm_keys(
    ctx: Context[Any], state: PageState, element: Element | None
) -> Element | None:
    """Return where keys are to go after a person's yes, None for where the focus is.

    They may move the focus into any frame. Raises as above.
    """
    if element is not None:
        return (await confirm_elements(ctx, state, element, anywhere=True))[0]
    frames = state.tab.page.frames
    if _is_needed(ctx, state.tab, frames):
        before = await _focused(state)
        await _ask(ctx, state, [before], frames)
        _check_same([before], [await _focused(state)])
    return None


async def confirm_page(ctx: Context[Any], tab: "Tab", about: str = "") -> None:
    """Return after a person's yes to what is done to a page; raises as above."""
    main = tab.page.main_frame
    if _is_needed(ctx, tab, [main]):
        loader, dialog = main.loader, tab.dialog
        await _ask_within(ctx, tab, about, [main])
        if main.loader != loader or tab.dialog is not dialog or not tab.alive:
            raise changed(THE_PAGE)


def _is_needed(ctx: Context[Any], tab: "Tab", frames: list[Frame]) -> bool:
    needed = ctx.consent.concerned and ctx.consent.needed(*_addresses(tab, frames))
    ctx.consent.settle()
    return needed


async def _ask(
    ctx: Context[Any], state: PageState, subjects: list[Subject], frames: list[Frame]
) -> None:
    about = ", then ".join(subject.told for subject in subjects)
    secret = any(subject.secret for subject in subjects)
    await _ask_within(ctx, state.tab, about, frames, VALUES if secret else ())
    refuse_dialog(state.tab)  # which would let nothing be asked of the page


async def _ask_within(
    ctx: Context[Any],
    tab: "Tab",
    about: str,
    frames: list[Frame],
    masked: tuple[str, ...] = (),
) -> None:
    before = ctx.consent.seconds
    urls = tuple(map(tab.secrets.hide, _addresses(tab, frames)))
    await ctx.consent.ask(target=tab.secrets.hide(about), urls=urls, masked=masked)
    if isinstance(tab.state, PageState):
        tab.state.activity.deadline += ctx.consent.seconds - before


def _addresses(tab: "Tab", frames: list[Frame]) -> tuple[str, ...]:
    """Return the addresses of these frames and of those around them, the innermost first.

    A document that was written has the address of the one around it; a whole page that has none
    may be anybody's, and is told as it is. Of a page that goes elsewhere now both addresses count.
    """
    main = tab.page.main_frame
    found = [f.url for frame in frames for f in _around(frame) if f is not main and _host(f.url)]
    return tuple(dict.fromkeys((*found, main.url, main.origin or main.url)))


def _around(frame: Frame) -> Iterator[Frame]:
    at: Frame | None = frame
    while at is not None:
        yield at
        at = at.parent_frame


def _host(url: str) -> str:
    try:
        return urlsplit(url).hostname or ""
    except ValueError:
        return ""


async def _subject_of(state: PageState, element: Element) -> tuple[Subject, Element]:
    told, element = await ask(state, element, "named")
    return _subject(element.frame, told), element


async def _focused(state: PageState) -> Subject:
    """Return what has the focus, within the frames that have it."""
    frame = state.tab.page.main_frame
    while True:
        told = await state.ask_in(frame, "named", focus=True)
        found = _subject(frame, told)
        inner = await state.frame_within(frame, found.ref) if found.role == "iframe" else None
        if inner is None:
            return found
        frame = inner


async def _at(state: PageState, at: Place) -> Subject:
    found = _subject(state.tab.page.main_frame, await state.ask("named", x=at[0], y=at[1]))
    if found.role == "iframe":
        raise UsageError(
            "This needs a person's yes, who cannot be told what is at a place in a frame.",
            hint="Give ref or selector.",
        )
    return found


def _check_same(before: list[Subject], now: list[Subject]) -> None:
    for was, subject in zip(before, now, strict=True):
        if not subject.is_same(was):
            raise changed(was.told)


def _subject(frame: Frame, told: dict[str, Any]) -> Subject:
    return Subject(
        frame=frame,
        loader=frame.loader,
        ref=told["ref"],
        role=told["role"],
        name=told["name"],
        what=told["what"],
        version=told["version"],
        secret=told["secret"],
    )


def _pinned(state: PageState, subject: Subject, element: Element) -> Element:
    """Return the element as this very one, whatever ref or selector it was found by."""
    known = ShownElement(
        node_id=subject.ref,
        role=subject.role,
        name=subject.name,
        url=state.tab.page.url,
        version=subject.version,
        page=state.refs.page,
    )
    return replace(element, node_id=subject.ref, known=known, path="", pinned=True)

"""A person's yes to what is done on a page: about an element that has to be the same after it."""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from strap import ActionError, Context, UsageError, record
from strap_browser.common.text import clip, quoted
from strap_browser.engine.frames.frame import Frame, addresses
from strap_browser.engine.frames.frame_elements import frame_within
from strap_browser.engine.frames.geometry import Place
from strap_browser.interaction.element import Element, called, changed, subject_of
from strap_browser.interaction.elements import ask
from strap_browser.interaction.flow.sends import check_giving
from strap_browser.interaction.page_state import PageState
from strap_browser.pages.page_errors import refuse_dialog
from strap_browser.snapshot.refs import ShownElement

if TYPE_CHECKING:
    from strap_browser.pages.tab import Tab

QUESTIONS = 3
"""How often one call asks: a page that changes each time gets no more."""
VALUES = ("value", "text")
"""Fields that may hold what goes into a field for a password."""
THE_PAGE = "the page"


@record
class Subject:
    """Subject of a question to a person: an element of `frame`, or its document."""

    frame: Frame
    loader: str
    ref: str = ""
    role: str = ""
    name: str = ""
    what: str = ""
    """The element by its tag, for one without a name."""
    version: int = 0
    within: str = ""
    """The records that it is in."""
    secret: bool = False
    holds: str = ""
    """The text in a field, empty for one of a password."""
    url: str = ""

    @property
    def words(self) -> str:
        """Its name, and the text in it."""
        name = called(self.role, clip(self.name)) if self.name else self.what
        name += self.within
        return f"{name}, which holds {quoted(clip(self.holds))}" if self.holds else name

    def is_same(self, other: "Subject") -> bool:
        """Whether it is the very same, in the same record, called as before, with the same."""
        same = self.frame is other.frame and self.loader == other.loader and self.ref == other.ref
        named = (self.role, self.name or self.what) == (other.role, other.name or other.what)
        same = same and self.version == other.version
        return same and named and (self.holds, self.url) == (other.holds, other.url)


async def confirm_elements(
    ctx: Context[Any],
    state: PageState,
    *elements: Element,
    at: Place | None = None,
    anywhere: bool = False,
) -> tuple[Element, ...]:
    """Return the elements that a call acts on, after a person's yes where one is needed.

    After it they are looked for again: where one is another now, or is called otherwise, holds
    something else or is elsewhere, the person is asked anew. Nothing takes the place of those that
    are returned; the same holds for what is at a place. With `anywhere`, and from a place, what is
    done may reach any frame of the page. Raises `PolicyDenied`, and `ActionError` (code
    "stale_ref") where something changes each time.
    """
    own = [element.frame for element in elements] if at is None else state.tab.page.frames
    await check_giving(ctx, state.tab, own)
    wide = anywhere or at is not None
    frames = state.tab.page.frames if wide else [element.frame for element in elements]
    if not _is_needed(ctx, state.tab, frames):
        return elements
    subjects, current_elements = await _subjects(state, elements, at)
    for _ in range(QUESTIONS):
        await _ask(ctx, state, subjects, frames)
        current, current_elements = await _subjects(state, current_elements, at, before=subjects)
        if all(map(Subject.is_same, current, subjects)):
            pins = zip(
                current[len(current) - len(current_elements) :], current_elements, strict=True
            )
            return tuple(_pinned(state, *pin) for pin in pins)
        was, subjects = subjects, current
        frames = state.tab.page.frames if wide else [subject.frame for subject in subjects]
    raise changed(was[0].words)


async def confirm_keys(
    ctx: Context[Any], state: PageState, element: Element | None
) -> Element | None:
    """Return where keys are to go after a person's yes, None for where the focus is.

    They may move the focus into any frame. Raises as above.
    """
    if element is not None:
        return (await confirm_elements(ctx, state, element, anywhere=True))[0]
    await check_giving(ctx, state.tab, state.tab.page.frames)
    if not _is_needed(ctx, state.tab, state.tab.page.frames):
        return None
    subject = await _focused(state)
    for _ in range(QUESTIONS):
        await _ask(ctx, state, [subject], state.tab.page.frames)
        was, subject = subject, await _focused(state)
        if subject.is_same(was):
            return None
    raise changed(subject.words)


async def confirm_page(
    ctx: Context[Any], tab: "Tab", about: str = "", frames: Sequence[Frame] = ()
) -> None:
    """Return after a person's yes to what is done to a page, or `frames` of it; raises as above.

    For another document they are asked anew, but not for another dialog.
    """
    places, dialog = [*frames] or [tab.page.main_frame], tab.dialog
    await check_giving(ctx, tab, places)
    for _ in range(QUESTIONS):
        if not _is_needed(ctx, tab, places):
            return
        was = [*map(_document, places)]
        await _ask_within(ctx, tab, about, places)
        if not tab.alive or tab.dialog is not dialog:
            break
        if [*map(_document, places)] == was:
            return
    raise changed(THE_PAGE)


def _is_needed(ctx: Context[Any], tab: "Tab", frames: list[Frame]) -> bool:
    needed = ctx.consent.concerned and ctx.consent.needed(*addresses(tab.page.main_frame, frames))
    ctx.consent.settle()
    return needed


async def _ask(
    ctx: Context[Any], state: PageState, subjects: list[Subject], frames: list[Frame]
) -> None:
    about = ", then ".join(subject.words for subject in subjects)
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
    urls = tuple(map(tab.secrets.hide, addresses(tab.page.main_frame, frames)))
    await ctx.consent.ask(target=tab.secrets.hide(about), urls=urls, masked=masked)
    if isinstance(tab.state, PageState):
        tab.state.activity.deadline += ctx.consent.seconds - before


def _document(frame: Frame) -> tuple[str, str]:
    return frame.loader, frame.url.partition("#")[0]


async def _subjects(
    state: PageState,
    elements: Sequence[Element],
    at: Place | None,
    before: Sequence[Subject] = (),
) -> tuple[list[Subject], list[Element]]:
    first = [] if at is None else [await _at(state, at)]
    known = before[len(first) :]
    pairs = [
        await (_again(state, element, known[n]) if known else _subject_of(state, element))
        for n, element in enumerate(elements)
    ]
    return [*first, *(subject for subject, _ in pairs)], [element for _, element in pairs]


async def _again(state: PageState, element: Element, was: Subject) -> tuple[Subject, Element]:
    """Return the element that a person was asked about, else what is found in its stead now."""
    answer = await state.ask_ref(was.ref, "named", was.frame)
    if not answer.get("gone"):
        return _subject(was.frame, answer), element
    try:
        return await _subject_of(state, element)
    except ActionError:
        raise changed(was.words) from None


async def _subject_of(state: PageState, element: Element) -> tuple[Subject, Element]:
    answer, element = await ask(state, element, "named")
    return _subject(element.frame, answer), element


async def _focused(state: PageState) -> Subject:
    frame = state.tab.page.main_frame
    while True:
        answer = await state.ask_in(frame, "named", focus=True)
        subject = _subject(frame, answer)
        inner = None
        if subject.role == "iframe":
            inner = await frame_within(state.tab.page.frame, frame, subject.ref)
        if inner is None:
            return subject
        frame = inner


async def _at(state: PageState, at: Place) -> Subject:
    subject = _subject(state.tab.page.main_frame, await state.ask("named", x=at[0], y=at[1]))
    if subject.role == "iframe":
        raise UsageError(
            "This needs a person's yes, who cannot be told what is at a place in a frame.",
            hint="Give ref or selector.",
        )
    return subject


def _subject(frame: Frame, answer: dict[str, Any]) -> Subject:
    return Subject(
        frame=frame,
        loader=frame.loader,
        ref=answer["ref"],
        role=answer["role"],
        name=answer["name"],
        what=answer["what"],
        version=answer["version"],
        within=subject_of(
            [item for item in answer.get("about", ()) if item["role"]], answer["name"]
        ),
        secret=answer["secret"],
        holds=answer["holds"],
        url=frame.url.partition("#")[0],
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

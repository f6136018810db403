"""Elements of a call, and the errors about them."""

from collections.abc import Sequence

from strap import ActionError, record
from strap_browser.common.selector_dialects import nearest_selector
from strap_browser.common.text import beginning, quoted
from strap_browser.engine.frames.frame import Frame
from strap_browser.interaction.page_state import PageState
from strap_browser.snapshot.refs import ShownElement
from strap_browser.snapshot.roles import INLINE

MOST_TOLD = 2
"""Records around an element that a message names."""


@record
class Element:
    """An element: how to find it and what to call it.

    `node_id` is the page's own ref in `frame`; `known` is what a ref of ours stood for, None for a
    `selector`, which its document reads as `path`; `note` tells that it was found again, or that
    nobody sees it.
    """

    frame: Frame
    name: str
    node_id: str
    known: ShownElement | None = None
    selector: str = ""
    path: str = ""
    note: str = ""
    is_page: bool = False
    """Whether it is the page as a whole, `body` or `html`: keys go to wherever the focus is."""
    pinned: bool = False
    """Whether it must be this very one, called as it is: a person has said yes to it."""

    @property
    def is_framed(self) -> bool:
        """Whether it is in a frame of the page."""
        return self.frame.parent_frame is not None


@record
class Matches:
    """Matches of a selector: so many elements in `frame`, `ref` if it is one.

    `path` is the part of the selector that the document of the frame reads.
    """

    frame: Frame
    path: str
    count: int
    ref: str = ""
    framed: bool = False
    """Whether the selector steps into a frame."""
    is_page: bool = False
    """Whether that one is the page as a whole, `body` or `html`, and no editor."""
    called: str = ""
    """Its role and name, empty for one without a name."""


def bad_selector(selector: str, part: str) -> ActionError:
    """Return the error for what is no selector, as `part` of it is none, with the nearest form."""
    near = nearest_selector(selector, part)
    return ActionError(
        f"{selector!r} is not a valid selector.",
        hint=f"Use CSS, or a ref from snapshot; nearest: {near!r}."
        if near
        else "Use CSS, or a ref from snapshot.",
        code="bad_selector",
    )


def stale(element: Element) -> ActionError:
    """Return the error for a ref whose element is gone."""
    return ActionError(
        f"ref {ref_of(element)!r} is from before the page changed;",
        hint="take a new snapshot.",
        code="stale_ref",
    )


def renamed(
    state: PageState,
    element: Element,
    *,
    role: str,
    name: str,
    version: int,
    about: Sequence[dict[str, str]] = (),
) -> ActionError:
    """Return the error for an element with another role, name or subject, which tells it."""
    ref = ref_of(element)
    state.refs.tell(ref, role=role, name=name, version=version)
    what = called(role, name) + subject_of(about, name)
    return ActionError(
        f"ref {ref!r} is from before the page changed: it is {what} now;",
        hint=f"use {ref} again if that is meant, or take a new snapshot.",
        code="stale_ref",
    )


def foreign(state: PageState, ref: str, known: ShownElement) -> ActionError:
    """Return the error for a ref of another page than the one that is acted on."""
    tab, page = state.tab, known.page
    shown = called(known.role, known.name)
    where = f"page {page.target_id} of profile {page.profile!r}"
    is_own = page.profile == tab.refs.page.profile
    other = tab.session.tabs.get(page.target_id) if is_own else None
    if is_own:
        where = f"page {page.target_id} ({other.where})" if other else f"page {page.target_id}"
    closed = ", which is closed" if is_own and other is None else ""
    field = f"target_id={page.target_id!r}"
    if not is_own:
        field = f"profile={page.profile!r} {field}"
    return ActionError(
        f"ref {ref!r} is {shown} on {where}{closed}, not on this page, {tab.handle};",
        hint="take a new snapshot." if closed else f"give {field}, or take a new snapshot.",
        code="stale_ref",
    )


def called(role: str, name: str, ref: str = "") -> str:
    """Return what messages call an element; a role that says nothing is told where nothing does."""
    says = role not in INLINE or not (name or ref)
    return " ".join(filter(None, (role if says else "", quoted(name[:80]), ref)))


def subject_of(about: Sequence[dict[str, str]], name: str) -> str:
    """Return what messages say of the records that an element is in, or of the text before it."""
    others = [
        (item["role"], item["name"].replace("\n", ", ")) for item in about if item["name"] != name
    ]
    return "".join(
        f" in {called(role, words)}" if role else f" after {quoted(words[:80])}"
        for role, words in others[:MOST_TOLD]
        if words
    )


def lost(element: Element) -> ActionError:
    """Return the error for an element that is gone."""
    if element.known:
        return stale(element)
    return ActionError(
        f"{element.name} is no longer on the page.", hint="Look with snapshot.", code="not_found"
    )


def ref_of(element: Element) -> str:
    """Return the ref of an element that was given by one."""
    return element.name.rsplit(" ", 1)[-1]


def changed(what: str) -> ActionError:
    """Return the error for what is not any more what a person was asked about."""
    return ActionError(
        f"{beginning(what)} changed while a person was asked, so nothing was done.",
        hint="Take a new snapshot, and call again.",
        code="stale_ref",
    )

"""Taking a snapshot for the caller."""

from strap import DEFAULT_MAX_TOKENS, Context, Result, count_tokens
from strap_browser.interaction.elements import Element, clean_ref, find_again, find_element, stale
from strap_browser.interaction.use_page import using_page
from strap_browser.pages.registry import BrowserRegistry
from strap_browser.snapshot.media_types import describe_media_type
from strap_browser.snapshot.snapshot import Snapshot, View, render


async def take_snapshot(
    ref: str | None, text: str | None, start: int, ctx: Context[BrowserRegistry]
) -> Result:
    """Show the page, or what of it is asked for."""
    async with using_page(ctx, reads=True) as state:
        element = await find_element(state, ref, None)
        goes_on = bool(element or text or start)
        taken = await (state.look_again() if goes_on else state.look())
        events = state.tab.events.drain()
        view = View(
            tokens=(ctx.max_tokens or DEFAULT_MAX_TOKENS) - count_tokens("\n".join(events)),
            ref=_inside(taken, element) if element else "",
            shown=clean_ref(ref) if ref else "",
            text=text or "",
            start=start,
        )
        shown = _in_words(taken, render(taken, state.refs, view))
        return Result(
            text="\n".join((shown, *events)), data={"url": taken.url, "title": taken.title}
        )


def _in_words(taken: Snapshot, shown: str) -> str:
    """Say what a document is that is no page; a drawing has lines all the same."""
    told = describe_media_type(taken.kind)
    if not taken.items and taken.url == "about:blank":
        told = "The page is blank: open one with `navigate`."
    if not told:
        return shown
    first, *lines = shown.splitlines()
    return "\n".join((first, told, *(lines if taken.items else ())))


def _inside(taken: Snapshot, element: Element) -> str:
    """Return the page's own ref of the target in this snapshot; raises like `targets.ask`."""
    assert element.known is not None
    item = find_again(taken, element.known)
    if item is None:
        raise stale(element)
    return item.ref or item.container

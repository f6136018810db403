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
    async with using_page(ctx, reads=True) as memory:
        target = await find_element(memory, ref, None)
        goes_on = bool(target or text or start)
        taken = await (memory.look_again() if goes_on else memory.look())
        events = memory.tab.events.drain()
        view = View(
            tokens=(ctx.max_tokens or DEFAULT_MAX_TOKENS) - count_tokens("\n".join(events)),
            ref=_inside(taken, target) if target else "",
            shown=clean_ref(ref) if ref else "",
            text=text or "",
            start=start,
        )
        shown = _in_words(taken, render(taken, memory.refs, view))
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


def _inside(taken: Snapshot, target: Element) -> str:
    """Return the page's own ref of the target in this snapshot; raises like `targets.ask`."""
    assert target.known is not None
    item = find_again(taken, target.known)
    if item is None:
        raise stale(target)
    return item.ref or item.container

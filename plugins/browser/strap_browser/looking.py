"""Taking a snapshot for the caller."""

from strap import DEFAULT_MAX_TOKENS, Context, Result, count_tokens
from strap_browser.acting import on_page
from strap_browser.browsers import Browsers
from strap_browser.kinds import about
from strap_browser.memory import Memory
from strap_browser.outline import find
from strap_browser.snapshot import Snapshot, View, render
from strap_browser.targets import Target, clean_ref, find_target, stale


async def look(ref: str | None, text: str | None, start: int, ctx: Context[Browsers]) -> Result:
    """Show the page, or what of it is asked for."""
    async with on_page(ctx) as memory:
        target = await find_target(memory, ref, None)
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
        shown = render(taken, memory.refs, view)
        if not taken.items:
            shown = await _in_words(memory, shown)
        return Result(
            text="\n".join((shown, *events)), data={"url": taken.url, "title": taken.title}
        )


async def _in_words(memory: Memory, shown: str) -> str:
    """Say what a document without lines is, where it is no page."""
    if memory.tab.page.url == "about:blank":
        told = "The page is blank: open one with `navigate`."
    else:
        told = about((await memory.agent.ask("info"))["kind"])
    return f"{shown.splitlines()[0]}\n{told}" if told else shown


def _inside(taken: Snapshot, target: Target) -> str:
    """Return Playwright's ref of the target in this snapshot; raises like `targets.ask`."""
    known = target.known
    assert known is not None
    if find(taken.items, known.raw) is not None:
        return known.raw
    same = [
        item.ref or item.way
        for top in taken.items
        for item in top.walk()
        if known.name and (item.role, item.name) == (known.role, known.name)
    ]
    if len(same) != 1 or not same[0]:
        raise stale(target)
    return same[0]

"""Checks of data from the model: whether a page may get it, and send it on."""

import asyncio
import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from strap import Context, Flow, with_scheme
from strap.network.sites import is_plain
from strap_browser.common.urls import is_web
from strap_browser.engine.frames.frame import Frame
from strap_browser.engine.traffic.flow_gate import FlowGate

if TYPE_CHECKING:
    from strap_browser.pages.tab import Tab

GIVING = frozenset(
    (
        *("fill", "type", "press", "select", "upload", "drag", "dialog", "evaluate", "tools"),
        *("cookies", "emulate", "mock", "resize"),
    )
)
"""Actions that give a page something that the model made."""
CHOOSING = frozenset(("click", "hover", "scroll", "back", "forward", "reload", "extract"))
"""Actions of which a page learns only what was chosen."""
PLACE_BITS = 20.0
"""Bits of a place on a page: a thousand pixels each way."""
LEAST_BITS = 6.0
"""Bits of a choice: it is taken to be among 64 elements at least."""
MOST_FILE = 1_000_000
"""Bytes of a file that are looked through."""
EVERYWHERE = "*"
_ADDRESS = re.compile(r"(?:https?:|wss?:)?//[\w.-]+(?::\d+)?[^\s\"'`<>]*", re.IGNORECASE)
"""Addresses in a script."""


async def check_giving(
    ctx: Context[Any], tab: "Tab", frames: Sequence[Frame], files: Sequence[Path] = ()
) -> None:
    """Decide whether the call may give these frames what it has; raises `PolicyDenied`.

    What the page asks for from then on is decided on as well.
    """
    action, flow = ctx.call.action, ctx.flow
    params: Any = ctx.call.params
    urls = tuple(dict.fromkeys(_addresses(tab, frames)))
    if action == "evaluate":
        await _check_script(ctx, tab, urls)
    if not flow.concerned:
        return
    gate = _gate(tab, flow)
    if action in CHOOSING or (action == "dialog" and params.text is None):
        placed = getattr(params, "x", None) is not None
        await flow.choose(PLACE_BITS if placed else LEAST_BITS, *urls)
    elif action in GIVING:
        if action == "mock" and params.url:
            urls = (*urls, with_scheme(params.url))
        if action == "emulate":
            urls = (*urls, EVERYWHERE)
        more = await asyncio.to_thread(_contents, files) if files else None
        if await flow.send(*urls, more=more):
            scripted = action == "evaluate"
            for page in filter(None, (tab.page, tab.page.opener)):
                await gate.touch(flow, page.traffic.interception, urls, scripted=scripted)


async def check_going(ctx: Context[Any], tab: "Tab", url: str) -> None:
    """Have decided on what the document asks for that the call goes to by an address it made."""
    gate = _gate(tab, ctx.flow)
    if ctx.flow.concerned and not is_plain(url):
        await gate.touch(ctx.flow, tab.page.traffic.interception, (url,))


def _gate(tab: "Tab", flow: Flow) -> FlowGate:
    """Return what decides on requests of the pages, within this call from now on."""
    gate = tab.session.conditions.flow
    gate.proxied = tab.connection.endpoint.gate is not None
    gate.follow(flow)
    return gate


async def _check_script(ctx: Context[Any], tab: "Tab", urls: Sequence[str]) -> None:
    """A script of the model's on a private page: what it sends to other sites cannot be told."""
    private = [url for url in urls if tab.page.context.has_login(url) or ctx.flow.is_private(url)]
    if private:
        addresses = _ADDRESS.findall(getattr(ctx.call.params, "text", ""))
        named = (
            f"https:{address}" if address.startswith("//") else address for address in addresses
        )
        await ctx.flow.script(private, tuple(named))


def _addresses(tab: "Tab", frames: Sequence[Frame]) -> list[str]:
    """Return the addresses of frames, and of those around frames that have none."""
    addresses = []
    for frame in frames:
        at: Frame | None = frame
        while at is not None and not is_web(at.url):
            at = at.parent_frame
        main = tab.page.main_frame
        addresses.append(at.url if at is not None else main.origin or main.url)
    opener = tab.page.opener
    if opener is not None and not any(map(is_web, addresses)):  # which has a hand in a blank page
        addresses += [opener.main_frame.origin or "", opener.url]
    return addresses


def _contents(files: Sequence[Path]) -> dict[str, str]:
    """Return what is in the files that a call gives."""
    contents = {}
    for path in files:
        with path.open("rb") as file:
            contents[f"file {path.name}"] = file.read(MOST_FILE).decode("utf-8", "replace")
    return contents

"""The actions on a whole browser: status, launch, close, list_pages."""

import asyncio
import json
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from strap import Context, Params, Result, action
from strap_browser.actions.params import ProfileParams
from strap_browser.cdp.errors import CdpError
from strap_browser.common.text import clip
from strap_browser.pages.page_errors import NO_TAB

if TYPE_CHECKING:
    from strap_browser.pages.registry import BrowserRegistry
    from strap_browser.pages.tab import Tab


BESIDE = 0.02
"""Seconds from a `launch` on in which its browser is started, and then waited for."""
TITLE_LIMIT = 0.5
IN_HAND = "(a person has it in hand)"
URL_LIMIT = 500


def _load_page_parts() -> None:
    """Have what every page needs while a browser starts, and not when its first page is asked for.

    Whatever is wrong with it is told there.
    """
    with suppress(Exception):
        from strap_browser.actions import navigate  # noqa: F401
        from strap_browser.interaction import response, settle, use_page  # noqa: F401
        from strap_browser.page_script.bundle import for_documents

        for_documents()


class Status(Params):
    """Fields of `status`, which never fails: any profile name will do."""

    profile: str | None = None
    """Browser profile; left out: all of them."""


@action("browser", effect="read")
async def status(params: Status, ctx: "Context[BrowserRegistry]") -> Result:
    """Tell which profiles there are and whether their browsers run; starts nothing.

    Answers JSON: `{"profiles": [{"name", "driver", "running", "page_count", "cdp_url"}, …]}`, with
    `profile` that one alone. `page_count` is the number of the caller's own pages;
    `connected: false` marks a browser that another process runs and this one has not joined.
    For the user's own Chrome, `extension_connected` tells whether it is there, and `page_count` is
    the number of the tabs that the user granted. Where somebody watches your pages, or a person
    has them in hand, `live` tells how many do, and the state.
    """
    browsers = ctx.state
    if params.profile is None:
        profiles = list(browsers.profiles.values())
    elif params.profile in browsers.profiles:
        profiles = [browsers.profile(ctx)]
    else:
        return _report([_unknown(browsers, clip(params.profile))])
    key = ctx.caller_key
    entries = await asyncio.gather(*(profile.status(key) for profile in profiles))
    for profile, entry in zip(profiles, entries, strict=True):
        entry.update(browsers.watched(profile.name, key))
    return _report(entries)


@action("browser", effect="write", timeout=60)
async def launch(params: "ProfileParams", ctx: "Context[BrowserRegistry]") -> Result:
    """Start the browser of a profile, or join the one that runs; answers with its status."""
    asyncio.get_running_loop().call_later(BESIDE, _load_page_parts)
    profile = ctx.state.profile(ctx)
    await profile.open(launch=True)
    ctx.state.used(profile, ctx)
    return _report([await profile.status(ctx.caller_key)])


@action("browser", effect="write")
async def close(params: "ProfileParams", ctx: "Context[BrowserRegistry]") -> Result:
    """Close your pages, and the browser unless somebody else uses it.

    The answer says which. A browser that another process started is left running, and so is the
    user's own Chrome.
    """
    from strap_browser.actions.login_state import save_state

    profile = ctx.state.profile(ctx)
    pages = profile.known(ctx.caller_key)
    recorded = await pages.conditions.stop_recording() if pages else []
    saved = await save_state(pages)
    closed = await profile.close(ctx.caller_key)
    return Result(text="\n".join(filter(None, (*recorded, saved, closed))))


@action("browser", effect="read")
async def list_pages(params: "ProfileParams", ctx: "Context[BrowserRegistry]") -> Result:
    """List your pages: target id, address and title, a line each."""
    session = await ctx.state.refresh(ctx)
    if session is None or not session.tabs:
        none = "No pages. Open one with navigate."
        if session is not None and session.granted:
            none = f"No tab of Chrome is granted. {NO_TAB}"
        return Result(text=none, data=[])
    pages = await asyncio.gather(*(_describe(tab) for tab in list(session.tabs.values())))
    for page in pages:
        page["current"] = session.current is not None and page["id"] == session.current.handle
    return Result(text="\n".join(_line(page) for page in pages), data=pages)


async def _describe(tab: "Tab") -> dict[str, Any]:
    if tab.session.private:
        return {"id": tab.handle, "url": "", "title": IN_HAND}
    title = clip(tab.secrets.hide(await _title(tab)))
    url = clip(tab.secrets.hide(tab.page.url), URL_LIMIT)
    return {"id": tab.handle, "url": url, "title": title}


async def _title(tab: "Tab") -> str:
    if not tab.alive:
        return "(crashed or closed)"
    if tab.dialog is not None:
        return "(a dialog is open)"
    try:
        async with asyncio.timeout(TITLE_LIMIT):
            return await tab.page.title()
    except (CdpError, TimeoutError):
        return "(busy)"


def _line(page: dict[str, Any]) -> str:
    mark = " (current)" if page["current"] else ""
    return f"{page['id']}{mark} {page['url']} {page['title']}".rstrip()


def _unknown(browsers: "BrowserRegistry", name: str) -> dict[str, Any]:
    return {
        "name": name,
        "driver": None,
        "running": False,
        "page_count": 0,
        "cdp_url": None,
        "error": browsers.unknown(name),
    }


def _report(entries: list[dict[str, Any]]) -> Result:
    data = {"profiles": entries}
    return Result(text=json.dumps(data, ensure_ascii=False), data=data)

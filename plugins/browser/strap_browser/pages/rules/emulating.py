"""Emulation for pages, changed by the words of a call or of the settings."""

from strap import ActionError
from strap_browser.cdp.errors import ProtocolError
from strap_browser.common.text import clip
from strap_browser.engine.browser_connection import BrowserConnection
from strap_browser.engine.context import BrowserContext
from strap_browser.engine.emulation import Emulated, Emulation
from strap_browser.engine.emulation_words import read_words
from strap_browser.engine.page import Page
from strap_browser.engine.storage_state import offer_passkeys

SHOWN = 200
"""Characters of what a browser says of a setting."""


async def emulate(
    words: str, emulation: Emulation, page: Page, connection: BrowserConnection
) -> None:
    """Add the words to what is emulated; raises `ActionError`, `UsageError`, `CdpError`.

    The page is one of those that the emulation follows; its browser tells what it takes.
    """
    agent = str((await page.session.send("Browser.getVersion"))["userAgent"])
    before, own = emulation.emulated, page.targets.own_commands()
    after = read_words(words, before, agent)
    await _permit(page.context, before, after)
    try:
        await emulation.change(after, page.session, tuple(after.commands(agent, own)))
    except ProtocolError as error:
        await _permit(page.context, after, before)
        await emulation.change(before, page.session, tuple(before.commands(agent, own)))
        raise ActionError(
            f"The browser does not take that: {clip(str(error), SHOWN)}",
            hint="Name a time zone such as Europe/Berlin, a locale such as de-DE.",
            code="bad_value",
        ) from None
    await _equip(connection, page.context, before, after)


def permissions(emulated: Emulated) -> set[str]:
    """Return what pages are granted."""
    return {*(emulated.permissions or ()), *(("geolocation",) if emulated.geo else ())}


async def _permit(context: BrowserContext, before: Emulated, after: Emulated) -> None:
    """Grant what is new, and take back what is not granted any more; raises `ActionError`."""
    old, new = permissions(before), permissions(after)
    for name in sorted(old ^ new):
        try:
            await context.set_permission(name, "granted" if name in new else "prompt")
        except ProtocolError:
            raise ActionError(
                f"The browser has no permission {name!r}.",
                hint="Such as geolocation, notifications, camera, clipboard-read.",
                code="bad_value",
            ) from None


async def _equip(
    connection: BrowserConnection, context: BrowserContext, before: Emulated, after: Emulated
) -> None:
    """Give the pages an authenticator, or take away the one that `before` gave them."""
    if after.passkeys and context.passkeys is None:
        await offer_passkeys(connection, context)
    elif before.passkeys and not after.passkeys and context.passkeys is not None:
        passkeys, context.passkeys = context.passkeys, None
        await passkeys.end()

"""Text that a call gives for a field, with its secrets filled in."""

from strap import Context, UsageError
from strap_browser.interaction.elements import Element, ensure_there
from strap_browser.interaction.page_state import PageState
from strap_browser.pages.registry import BrowserRegistry

COVER = """(field) => {
  if (field.type !== "password") field.style.setProperty("-webkit-text-security", "disc");
}"""
"""Shows dots where text is entered, so that no screenshot shows it."""


async def resolve_secrets(
    state: PageState, element: Element | None, text: str, ctx: Context[BrowserRegistry]
) -> str:
    """Return `text` with the secrets that it names, for the site of the frame that `element` is in.

    The field shows dots from then on. `{{…}}` is text like any other where no secrets are set.
    Raises `UsageError` for an unknown name, and `PolicyDenied` where a secret is not for that site.
    """
    secrets = ctx.config.secrets
    if not secrets or not secrets.named(text):
        return text
    secrets.check(text)
    if element is None:
        raise UsageError("A secret needs its field: give ref or selector.")
    element = await ensure_there(state, element)
    handle = await element.locator.element_handle()
    frame = await handle.owner_frame()
    filled = state.tab.secrets.fill(text, frame.url if frame is not None else "")
    await handle.evaluate(COVER)
    return filled

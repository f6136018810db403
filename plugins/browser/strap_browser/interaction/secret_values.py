"""Text that a call gives for a field, with its secrets filled in."""

from strap import Context, UsageError
from strap_browser.interaction.element import Element
from strap_browser.interaction.elements import ask, ensure_there
from strap_browser.interaction.page_state import PageState
from strap_browser.pages.registry import BrowserRegistry


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
    filled = state.tab.secrets.fill(text, element.frame.url)
    await ask(state, element, "cover")
    return filled

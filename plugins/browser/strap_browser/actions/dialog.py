"""Answering dialogs, which block their page until then."""

import asyncio

from strap import ActionError, Context, Result, UsageError
from strap_browser.interaction.effects import Effects
from strap_browser.interaction.page_state import PageState
from strap_browser.interaction.response import ResponseBuilder, add_page, response_for
from strap_browser.interaction.use_page import using_page
from strap_browser.pages.page_errors import asked, translated_errors
from strap_browser.pages.registry import BrowserRegistry

PATIENCE = 2.0
"""Seconds that the answer waits for what the page does next: it never waits for the page."""


async def answer_dialog(*, accept: bool, text: str | None, ctx: Context[BrowserRegistry]) -> Result:
    """Answer the open dialog, and tell what the page did then, if it does so at once."""
    tab = await ctx.state.peek(ctx)
    dialog = tab.dialog
    if dialog is None:
        raise ActionError(
            "No dialog is open on this page.",
            hint="Alerts are acknowledged at once; list_pages names your other pages.",
            code="no_dialog",
        )
    if text is not None and (dialog.type != "prompt" or not accept):
        raise UsageError(
            "text is for a prompt that is accepted.",
            hint=f"Open is a {dialog.type} dialog: leave it out."
            if dialog.type != "prompt"
            else "",
        )
    done = "Accepted" if accept else "Dismissed"
    answer = response_for(ctx)
    answer.add(f"{done} the {dialog.type} dialog {asked(dialog, tab)!r}.")
    entered = dialog.default_value if text is None else text
    effects = Effects(tab.state) if isinstance(tab.state, PageState) else None
    with translated_errors(tab):
        await tab.answer(accept=accept, text=entered if dialog.type == "prompt" else None)
    if effects is not None and not tab.turns.taken:
        following = tab.session.spawn(_follow(effects, answer, tab.handle, ctx))
        await asyncio.wait({following}, timeout=PATIENCE)
        if not following.done():
            answer = ResponseBuilder(tokens=answer.tokens, lines=answer.lines[:1])
            answer.add("The page is busy; `snapshot` shows it when it is done.")
    return answer.result(tab)


async def _follow(
    effects: Effects, answer: ResponseBuilder, target_id: str, ctx: Context[BrowserRegistry]
) -> None:
    """Add what changed; another dialog, or the loss of the page, is told by its events."""
    async with using_page(ctx, target_id=target_id, early=True) as state:
        await effects.follow()
        if effects.before is None and state.tab.dialog is None:
            await add_page(answer, state)  # the dialog opened before the page was first seen
        else:
            await effects.tell(answer, own=True)

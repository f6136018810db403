"""Answering dialogs, which block their page until then."""

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING, Literal

from pydantic import Field

from strap import ActionError, Context, Result, UsageError, action
from strap_browser import interaction
from strap_browser.actions.params import BrowserParams
from strap_browser.pages.loss import told_as_lost
from strap_browser.pages.page_errors import question_of, translated_errors

if TYPE_CHECKING:
    from strap_browser.interaction.effects import Effects
    from strap_browser.interaction.response import ResponseBuilder
    from strap_browser.pages.registry import BrowserRegistry


PATIENCE = 2.0
"""Seconds that the answer waits for what the page does next: it never waits for the page."""


class Dialog(BrowserParams):
    """How to answer."""

    value: Literal["accept", "dismiss"] = "accept"
    """`accept` (OK, leave the page) or `dismiss` (Cancel, stay)."""
    text: str | None = Field(default=None, max_length=20_000)
    """Text to enter in a prompt; left out: its suggestion."""


@action("browser", effect="write", asks_person=True)
async def dialog(params: Dialog, ctx: "Context[BrowserRegistry]") -> Result:
    """Answer the confirm, prompt or "leave page?" dialog that blocks a page.

    Never waits for the page, and answers with what it does next if it does so at once. Alerts
    need no answer.
    """
    tab = await ctx.state.peek(ctx)
    opened, accept = tab.dialog, params.value == "accept"
    if opened is None:
        raise ActionError(
            "No dialog is open on this page.",
            hint="Alerts are acknowledged at once; list_pages names your other pages.",
            code="no_dialog",
        )
    if params.text is not None and (opened.type != "prompt" or not accept):
        raise UsageError(
            "text is for a prompt that is accepted.",
            hint=f"Open is a {opened.type} dialog: leave it out."
            if opened.type != "prompt"
            else "",
        )
    question = question_of(opened, tab)
    await interaction.confirm_page(ctx, tab, f"the {opened.type} dialog {question!r}")
    done = "Accepted" if accept else "Dismissed"
    answer = interaction.response_for(ctx)
    answer.add(f"{done} the {opened.type} dialog {question!r}.")
    entered = opened.default_value if params.text is None else params.text
    effects = (
        interaction.Effects(tab.state) if isinstance(tab.state, interaction.PageState) else None
    )
    async with told_as_lost(tab):
        with translated_errors(tab):
            await tab.answer(accept=accept, text=entered if opened.type == "prompt" else None)
    if effects is not None and not tab.turns.taken:
        following = tab.session.spawn(_follow(effects, answer, tab.handle, ctx))
        await asyncio.wait({following}, timeout=PATIENCE)
        if not following.done():
            answer = replace(answer, lines=answer.lines[:1], data={})
            answer.add("The page is busy; `snapshot` shows it when it is done.")
    return answer.result(tab)


async def _follow(
    effects: "Effects", answer: "ResponseBuilder", target_id: str, ctx: "Context[BrowserRegistry]"
) -> None:
    async with interaction.using_page(ctx, target_id=target_id) as state:
        await effects.follow()
        if effects.before is None and state.tab.dialog is None:
            await interaction.add_page(
                answer, state
            )  # the dialog opened before the page was first seen
        else:
            await effects.tell(answer, own=True)

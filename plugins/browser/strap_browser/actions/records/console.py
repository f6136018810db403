"""Messages of the page's console."""

from typing import TYPE_CHECKING

from pydantic import Field

from strap import Context, Result, action
from strap.evidence.redaction import without_secrets
from strap_browser import interaction
from strap_browser.actions.params import BrowserParams
from strap_browser.actions.records.listing import listed
from strap_browser.common.beside import beside

if TYPE_CHECKING:
    from strap_browser.pages.page_log import LoggedMessage
    from strap_browser.pages.registry import BrowserRegistry

LARGE = 20_000
"""Characters of messages up to which secrets in them are masked within milliseconds."""


class Console(BrowserParams):
    """Fields of `console`."""

    limit: int = Field(default=20, ge=1, le=200)
    """Number of messages, the last ones."""
    text: str | None = Field(default=None, max_length=1_000)
    """Only messages that contain this, such as `[error]`."""


@action("browser", effect="read", asks_person=True)
async def console(params: Console, ctx: "Context[BrowserRegistry]") -> Result:
    """Show the last messages of the page's console, and errors of its scripts.

    Never waits for the page. The last 200 are kept.
    """
    async with interaction.peek_page(ctx) as tab:
        messages = list(tab.records.messages)

        def shown() -> Result:
            data = [_as_data(message) for message in messages]
            lines = list(map(_line_of, data))
            return listed(lines, params.limit, params.text, "messages", ctx, data)

        large = sum(len(message.text) for message in messages) > LARGE
        return await beside(shown, large=large)


def _as_data(message: "LoggedMessage") -> dict[str, object]:
    text = without_secrets(message.text)
    return {"level": message.level, "text": text, "where": message.where}


def _line_of(message: dict[str, object]) -> str:
    where = f" ({message['where']})" if message["where"] else ""
    return f"[{message['level']}] {message['text']}{where}"

"""The last of many lines, as an answer shows them."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from strap import Context, Result, count_tokens, cut
from strap_browser import interaction
from strap_browser.common.text import FAIR

if TYPE_CHECKING:
    from strap_browser.pages.registry import BrowserRegistry

NOTE_TOKENS = 40


def listed(
    lines: Sequence[str],
    limit: int,
    text: str | None,
    what: str,
    ctx: "Context[BrowserRegistry]",
    data: list[dict[str, object]],
) -> Result:
    """Show the last `limit` lines with `text` in them that fit, oldest first."""
    matches = [line for line in lines if text is None or text.casefold() in line.casefold()]
    if not matches:
        return Result(text=f"No {what}{f' with {text!r}' if text else ''} so far.", data=data)
    shown = list[str]()
    room = left_over = int(interaction.response_for(ctx).tokens * FAIR) - NOTE_TOKENS
    for line in reversed(matches[-limit:]):
        left_over -= count_tokens(line) + 1
        if left_over < 0:
            break
        shown.insert(0, line)
    if not shown:
        shown = [cut(matches[-1], room)[0]]
    left = len(matches) - len(shown)
    if left:
        more = "raise limit or max_tokens, or filter by text"
        shown.insert(0, f"… {left:,} earlier {what}: {more}")
    return Result(text="\n".join(shown), data=data)

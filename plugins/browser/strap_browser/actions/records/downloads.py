"""Downloads of the caller's pages: as a list, or the text of one file."""

import asyncio
import os
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING

from pydantic import Field

from strap import DEFAULT_MAX_TOKENS, ActionError, Context, Result, UsageError, action
from strap.text import counted
from strap_browser.actions.params import ProfileParams
from strap_browser.actions.records.listing import listed
from strap_browser.pages.page_errors import unsupported_in_user_chrome

if TYPE_CHECKING:
    from strap.documents.content import Content
    from strap.documents.passages import Passages
    from strap_browser.pages.caller_pages import CallerPages
    from strap_browser.pages.registry import BrowserRegistry
    from strap_browser.pages.saved_downloads import Download

LARGEST = 50_000_000
"""Bytes of a file that is read."""
ARRIVAL = 5.0
"""Seconds that a file is waited for which is not complete yet."""


class Downloads(ProfileParams):
    """Fields of `downloads`."""

    limit: int = Field(default=20, ge=1, le=100)
    """Number of downloads, the last ones."""
    ref: str | None = Field(default=None, max_length=40)
    """One download, such as d1: what is in the file, as Markdown."""
    start: int = Field(default=0, ge=0)
    """Character of the file's text to begin at, as the last answer said."""
    text: str | None = Field(default=None, max_length=1_000)
    """With ref: the passages of the file that have these words; else only files with this name."""


@action("browser", effect="read")
async def downloads(params: Downloads, ctx: "Context[BrowserRegistry]") -> Result:
    """List what your pages downloaded: ref, name, size and path, or how far it is.

    Downloads are saved by themselves, into `downloads` in the output folder. One that is larger
    than the setting `download_limit` is stopped. With `ref` the file itself is read: documents as
    Markdown as `http.fetch` shows them, in parts, or with `text` the passages that have its words.
    """
    profile = ctx.state.profile(ctx)
    session = profile.known(ctx.caller_key)
    if "user_tabs" in profile.driver.can:
        raise unsupported_in_user_chrome(
            "Downloads are saved as the user has set it", "Ask the user for the file."
        )
    if params.start and params.ref is None:
        raise UsageError("start goes with ref: it is a character of that file.")
    if session is None:
        await profile.require()
    if params.ref is not None:
        return await _read(await _arrived(session, params.ref), params, ctx)
    files = list(session.downloads) if session else []
    ctx.files.extend(file.path for file in files[-params.limit :] if file.path is not None)
    data = [_data(file) for file in files[-params.limit :]]
    return listed(list(map(_line, files)), params.limit, params.text, "downloads", ctx, data)


async def _arrived(session: "CallerPages | None", ref: str) -> "Download":
    matches = [file for file in (session.downloads if session else ()) if file.ref == ref.strip()]
    if not matches:
        raise ActionError(
            f"There is no download {ref!r}.",
            hint="`downloads` without ref lists them: d1, d2, ….",
            code="unknown_ref",
        )
    patience = monotonic() + ARRIVAL
    while not (matches[0].path or matches[0].error or monotonic() > patience):  # noqa: ASYNC110 - untold
        await asyncio.sleep(0.05)
    if matches[0].path is None:
        raise ActionError(
            f"There is no file to read: {_line(matches[0])}.",
            hint="Start it anew." if matches[0].error else "`wait`, then read it.",
            retryable=matches[0].error is None,
        )
    return matches[0]


async def _read(download: "Download", params: Downloads, ctx: "Context[BrowserRegistry]") -> Result:
    from strap.documents.content import Content, part

    assert download.path is not None
    content = await asyncio.to_thread(_bytes, download.path)
    key = ctx.caller_key, str(download.path), str(len(content)), str(hash(content))
    text = ctx.state.files.get(*key)
    if text is None:
        text, why = await ctx.state.files.read(*key, content=content, name=download.name)
        if not text:
            raise ActionError(
                f"{download.name!r} cannot be read: {why}", hint=f"It is at {download.path}."
            )
    secrets = ctx.config.secrets
    text = await asyncio.to_thread(secrets.hide, text)
    document = Content(head=_line(download), text=text, url=download.name)
    room = ctx.max_tokens or DEFAULT_MAX_TOKENS
    if params.text is None:
        shown, following = part(document, params.start, room)
    else:
        answer = await asyncio.to_thread(_passages, document, params.text, params.start, room)
        shown, following = answer.text, answer.next_start
    data = _data(download) | {"characters": len(text), "next_start": following}
    return Result(text=shown, data=data)


def _passages(document: "Content", text: str, start: int, room: int) -> "Passages":
    from strap.documents.nearest import nearest_passages
    from strap.documents.passages import Passages, matching_passages, no_match, refuse_blank

    refuse_blank(text)
    passages = matching_passages(document, text, start, room)
    passages = passages or nearest_passages(document, text, start, room)
    return passages or Passages(text=no_match(document, text, start))


def _bytes(path: Path) -> bytes:
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        with os.fdopen(handle, "rb") as file:
            content = file.read(LARGEST + 1)
    except OSError as error:
        raise ActionError(f"{str(path)!r} cannot be read: {error.strerror}.") from None
    if len(content) > LARGEST:
        raise ActionError(
            f"{str(path)!r} has more than {LARGEST:,} bytes, the most that are read.",
            hint="Read it with other tools.",
            code="too_large",
        )
    return content


def _line(download: "Download") -> str:
    name = f"{download.ref} {download.name!r}"
    if download.path is not None:
        return f"{name} ({counted(download.size or 0, 'byte')}) at {download.path}"
    if download.error is not None:
        return f"{name} failed: {download.error}"
    return f"{name} is on its way ({download.received:,} bytes so far)"


def _data(download: "Download") -> dict[str, object]:
    return {
        "ref": download.ref,
        "name": download.name,
        "url": download.url,
        "path": str(download.path) if download.path else None,
        "size": download.size,
        "error": download.error,
    }

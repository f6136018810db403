"""Giving files to fields that ask for them."""

import asyncio
from mimetypes import guess_type
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import Field

from strap import ActionError, Context, Result, StringList, UsageError, action
from strap_browser import interaction
from strap_browser.actions.elements.click import ClickOptions, press_element
from strap_browser.actions.params import ElementParams
from strap_browser.common.text import clip
from strap_browser.engine.playwright.errors import Error
from strap_browser.settings.browser import BrowserSettings

if TYPE_CHECKING:
    from playwright.async_api import ElementHandle, FilePayload

    from strap_browser.interaction.elements import Element
    from strap_browser.interaction.page_state import PageState
    from strap_browser.pages.registry import BrowserRegistry

ASK_LIMIT = 1.0
"""Seconds in which a click makes a page ask for a file."""
SHOWN = 10
MOST_BYTES = 50_000_000
"""What Playwright puts into a page of a browser that is elsewhere."""
# The field that is meant: hidden ones count, for pages draw a button of their own.
FIND = """(root) => {
  const file = "input[type=file]", top = root || document;
  const own = top.localName === "label" ? top.control : top;
  if (own && own.matches && own.matches(file)) return own;
  const inside = [...top.querySelectorAll(file)].filter((field) => !field.disabled);
  return inside.length === 1 ? inside[0] : null;
}"""

REJECTED = "did not accept the drop"
"""What Playwright says of an element on which files were dropped for nothing."""
REFUSALS = {"Non-multiple": "for one file", "webkitdirectory": "for a folder"}
"""What Playwright says of a field that does not take the files."""
REFUSES = """(field) => field.matches(":disabled") ? "disabled"
  : field.webkitdirectory ? "for a folder" : "" """


class Upload(ElementParams):
    """Which files, and for which field."""

    paths: StringList = Field(min_length=1, max_length=100)
    """Files in the output folder, by their names."""


@action("browser", effect="write")
async def upload(params: Upload, ctx: "Context[BrowserRegistry]") -> Result:
    """Put files into a field that asks for them.

    Give the field, its label, the button that makes the page ask, or a zone on which files are
    dropped; nothing where the page asks already or has one such field. Files come from the output
    folder, and from the folders that the setting `uploads` names.
    """
    files = await asyncio.to_thread(lambda: [_file(path, ctx) for path in params.paths])
    async with interaction.using_page(ctx) as state:
        element = await interaction.find_element(state, params.ref, params.selector)
        effects = interaction.Effects(state)
        field, element = await _field(state, element)
        await effects.begin()
        named = ", ".join(f"{file.name!r} ({file.stat().st_size:,} bytes)" for file in files)
        if element is not None and field is None and state.tab.chooser is None:
            await _drop(state, element, files)
            done = f"Dropped {named} onto {element.name}."
        else:
            await _give(state, field, files, element.name if element else "the field")
            done = f"Put {named} into {element.name if element else 'the field for files'}."
        await effects.settle()
        answer = interaction.response_for(ctx)
        answer.add(done, element.note if element else "")
        await effects.tell(answer, own=True)
        return answer.result(state.tab)


def _file(path: str, ctx: "Context[BrowserRegistry]") -> Path:
    """Return the file, symbolic links resolved; raises `UsageError`, or `ActionError` "no_file"."""
    settings = ctx.settings
    assert isinstance(settings, BrowserSettings)
    folder = ctx.outputs.folder
    folders = [each.expanduser().resolve() for each in (folder, *settings.uploads)]
    try:
        file = (folders[0] / path).resolve()
        inside = any(file.is_relative_to(each) for each in folders)
        is_folder, is_there = file.is_dir(), file.is_file()
    except (OSError, RuntimeError, ValueError):
        raise UsageError(f"{clip(path)!r} is not a path.") from None
    if not inside:
        raise UsageError(
            f"{path!r} is outside the folders for uploads.",
            hint=f"Files may come from {', '.join(map(str, folders))}.",
        )
    if is_folder:
        raise UsageError(f"{path!r} is a folder.", hint="Name the files in it.")
    if not is_there:
        raise ActionError(f"There is no file {path!r}.", hint=_there(folders[0]), code="no_file")
    return file


def _there(folder: Path) -> str:
    names = sorted(each.name for each in folder.glob("[!.]*") if each.is_file())[:SHOWN]
    return f"Files in {folder}: {', '.join(names) or 'none'}."


async def _field(
    state: "PageState", element: "Element | None"
) -> "tuple[ElementHandle | None, Element | None]":
    """Return the field, None for the file chooser that is open, or where files are dropped."""
    tab = state.tab
    if element is None:
        handle = None
        if tab.chooser is None:
            handle = (await tab.page.evaluate_handle(f"({FIND})()")).as_element()
            if handle is None:
                raise UsageError("Which field? upload needs ref or selector here.")
        return handle, None
    element = await interaction.ensure_there(state, element)
    handle = (await element.locator.evaluate_handle(FIND)).as_element()
    if handle is None:
        element = await _ask_for(state, element)
    elif why := await handle.evaluate(REFUSES):
        raise interaction.blocked(element.name, {"why": why})
    return handle, element


async def _ask_for(state: "PageState", element: "Element") -> "Element":
    """Click what may make the page ask for a file."""
    tab = state.tab
    tab.chooser = None
    with tab.expecting_files():
        _, element = await press_element(state, element, ClickOptions())
        await state.activity.race(_appears(state), tab.dialog_opened.is_set)
    return element


async def _appears(state: "PageState") -> None:
    before = state.activity.pickers
    for _ in range(20):
        if state.tab.chooser is not None or state.activity.pickers > before:
            return
        await asyncio.sleep(ASK_LIMIT / 20)


async def _drop(state: "PageState", element: "Element", files: list[Path]) -> None:
    """Drop the files on the element; raises `ActionError` (code "no_file_field") if not taken."""
    work = element.locator.drop({"files": await asyncio.to_thread(_contents, files)})
    try:
        await state.activity.race(work, state.tab.dialog_opened.is_set)
    except Error as error:
        if REJECTED not in error.message:
            raise
        raise ActionError(
            f"Clicked {element.name}, but that asked for no file.",
            hint="Give the field for files itself, as in selector='input[type=file]'; "
            "it takes no dropped ones either.",
            code="no_file_field",
        ) from None


async def _give(
    state: "PageState", field: "ElementHandle | None", files: list[Path], name: str
) -> None:
    tab = state.tab
    given = await asyncio.to_thread(_contents, files) if tab.connection.endpoint.granted else files
    chooser, tab.chooser = tab.chooser, None
    try:
        if field is not None:
            work = field.set_input_files(given)
        else:
            assert chooser is not None
            work = chooser.set_files(given)
        await state.activity.race(work, tab.dialog_opened.is_set)
    except Error as error:
        why = next((why for words, why in REFUSALS.items() if words in error.message), None)
        if why is None:
            raise
        raise interaction.blocked(name, {"why": why}) from None


def _contents(files: list[Path]) -> "list[FilePayload]":
    """Return what the files hold, for what is not made to read files by their paths.

    That is the user's own browser, and a page on which they are dropped.
    """
    size = sum(file.stat().st_size for file in files)
    if size > MOST_BYTES:
        raise ActionError(
            f"{size:,} bytes are too many: it takes {MOST_BYTES:,} at once.",
            hint="Upload fewer or smaller files.",
            code="too_large",
        )
    return [
        {
            "name": file.name,
            "mimeType": guess_type(file.name)[0] or "application/octet-stream",
            "buffer": file.read_bytes(),
        }
        for file in files
    ]

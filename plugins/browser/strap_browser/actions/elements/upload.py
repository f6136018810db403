"""Giving files to fields that ask for them."""

import asyncio
from base64 import b64encode
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import Field

from strap import ActionError, Context, Result, StringList, UsageError, action
from strap.atomic_files import real_path
from strap.text import counted
from strap_browser import interaction
from strap_browser.actions.elements.click import ClickOptions, press_element
from strap_browser.actions.params import ElementParams
from strap_browser.common.text import clip
from strap_browser.page_script.bundle import NAME
from strap_browser.settings.browser import BrowserSettings

if TYPE_CHECKING:
    from strap_browser.engine.frames.handles import ElementHandle
    from strap_browser.interaction.element import Element
    from strap_browser.interaction.page_state import PageState
    from strap_browser.pages.registry import BrowserRegistry

ASK_LIMIT = 1.0
"""Seconds in which a click makes a page ask for a file."""
SHOWN = 10
MOST_BYTES = 10_000_000
"""Bytes that go as text through a browser that cannot read this machine's files."""
PUT = "DOM.setFileInputFiles"


class Upload(ElementParams):
    """Fields of `upload`."""

    paths: StringList = Field(min_length=1, max_length=100)
    """Files in the output folder, by their names."""


@action("browser", effect="write", asks_person=True, acts_as=("click",))
async def upload(params: Upload, ctx: "Context[BrowserRegistry]") -> Result:
    """Put files into a field that asks for them.

    Give the field, its label, the button that makes the page ask, or a zone on which files are
    dropped; nothing where the page asks already or has one such field. Files come from the output
    folder, and from the folders that the setting `uploads` names.
    """
    files = await asyncio.to_thread(lambda: [output_file(path, ctx) for path in params.paths])
    async with interaction.using_page(ctx, confirms=True) as state:
        element = await interaction.find_element(state, params.ref, params.selector)
        if element is None:
            await interaction.confirm_page(ctx, state.tab, "the field for files")
        else:
            (element,) = await interaction.confirm_elements(ctx, state, element)
        frame = element.frame if element else state.tab.page.main_frame
        await interaction.check_giving(ctx, state.tab, [frame], files)
        effects = interaction.Effects(state)
        field, element = await _field(state, element)
        await effects.begin()
        named = ", ".join(
            f"{file.name!r} ({counted(file.stat().st_size, 'byte')})" for file in files
        )
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


def output_file(path: str, ctx: "Context[BrowserRegistry]") -> Path:
    """Return the file, symbolic links resolved; raises `UsageError`, or `ActionError` "no_file"."""
    settings = ctx.settings
    assert isinstance(settings, BrowserSettings)
    folder = ctx.outputs.folder
    folders = [parent.expanduser().resolve() for parent in (folder, *settings.uploads)]
    try:
        file = real_path(folders[0] / path)
        inside = any(file.is_relative_to(parent) for parent in folders)
        is_folder, is_there = file.is_dir(), file.is_file()
    except (OSError, ValueError):
        raise UsageError(f"{clip(path)!r} is not a path.") from None
    if not inside:
        raise UsageError(
            f"{path!r} is outside the folders for uploads.",
            hint=f"Files may come from {', '.join(map(str, folders))}.",
        )
    if is_folder:
        raise UsageError(f"{path!r} is a folder.", hint="Name the files in it.")
    if not is_there:
        raise ActionError(f"There is no file {path!r}.", hint=_listing(folders[0]), code="no_file")
    return file


def _listing(folder: Path) -> str:
    names = sorted(path.name for path in folder.glob("[!.]*") if path.is_file())[:SHOWN]
    return f"Files in {folder}: {', '.join(names) or 'none'}."


async def _field(
    state: "PageState", element: "Element | None"
) -> "tuple[ElementHandle | None, Element | None]":
    """Return the field, None for the file chooser that is open, or where files are dropped."""
    tab = state.tab
    if element is None:
        if tab.chooser is not None:
            return None, None
        handle = await tab.page.main_frame.find(".fileField()")
        if handle is None:
            raise UsageError("Which field? upload needs ref or selector here.")
        return handle, None
    element = await interaction.ensure_there(state, element)
    handle = await interaction.part_of(element, ".fileField")
    if handle is None:
        element = await _ask_for(state, element)
    return handle, element


async def _ask_for(state: "PageState", element: "Element") -> "Element":
    """Click what may make the page ask for a file; raises `ActionError` (code "no_file_field")."""
    tab, before = state.tab, state.activity.pickers
    tab.chooser = None
    with tab.expecting_files():
        _, element = await press_element(state, element, ClickOptions())
        await state.activity.race(_appears(state, before), tab.dialog_opened.is_set)
    if state.activity.pickers > before:
        raise ActionError(
            f"{element.name} asks for files by a picker of the browser, which cannot be answered.",
            hint="Give a field for files, or a zone on which files are dropped.",
            code="no_file_field",
        )
    return element


async def _appears(state: "PageState", before: int) -> None:
    for _ in range(20):
        if state.tab.chooser is not None or state.activity.pickers > before:
            return
        await asyncio.sleep(ASK_LIMIT / 20)


async def _drop(state: "PageState", element: "Element", files: list[Path]) -> None:
    """Drop the files on the element; raises `ActionError` (code "no_file_field") if not taken."""
    target = await interaction.handle_of(element)
    work = _dropped(state, element, target, files)
    taken = await state.activity.race(work, state.tab.dialog_opened.is_set)
    if taken is False:
        raise ActionError(
            f"Clicked {element.name}, but that asked for no file.",
            hint="Give the field for files itself, as in selector='input[type=file]'; "
            "it takes no dropped ones either.",
            code="no_file_field",
        )


async def _dropped(
    state: "PageState", element: "Element", target: "ElementHandle", files: list[Path]
) -> bool:
    drop = f"(element, files) => {NAME}.uploads.drop(element, files)"
    if not _reads_files(state):
        return bool(await target.call(drop, await asyncio.to_thread(_contents, files)))
    carrier = await element.frame.find(".uploads.carrier()")
    assert carrier is not None
    paths = [str(file) for file in files]
    await carrier.session.send(PUT, objectId=carrier.object_id, files=paths)
    return bool(await target.call(drop, carrier))


async def _give(
    state: "PageState", field: "ElementHandle | None", files: list[Path], name: str
) -> None:
    tab = state.tab
    chooser, tab.chooser = tab.chooser, None
    if field is None:
        assert chooser is not None
        frame = tab.page.frame(chooser.frame_id) or tab.page.main_frame
        field = await frame.resolve(chooser.node)
    refusal = f"(field, count) => {NAME}.uploads.refusal(field, count)"
    if why := await field.call(refusal, len(files)):
        raise interaction.blocked(name, {"why": why})
    await state.activity.race(_put(state, field, files), tab.dialog_opened.is_set)


async def _put(state: "PageState", field: "ElementHandle", files: list[Path]) -> None:
    if _reads_files(state):
        paths = [str(file) for file in files]
        await field.session.send(PUT, objectId=field.object_id, files=paths)
        return
    give = f"(field, files) => {NAME}.uploads.give(field, files)"
    await field.call(give, await asyncio.to_thread(_contents, files))


def _reads_files(state: "PageState") -> bool:
    """Whether the browser itself reads files of this machine, and may."""
    endpoint = state.tab.connection.endpoint
    return endpoint.local and not endpoint.granted


def _contents(files: list[Path]) -> list[dict[str, str]]:
    """Return what the files hold; raises `ActionError` (code "too_large")."""
    from mimetypes import guess_type

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
            "type": guess_type(file.name)[0] or "application/octet-stream",
            "data": b64encode(file.read_bytes()).decode(),
        }
        for file in files
    ]

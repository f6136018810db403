"""Files that pages download: saved into the output folder, under a name of their own."""

import asyncio
from contextlib import suppress
from pathlib import Path

from strap import make_private, record
from strap.text import counted
from strap_browser.cdp.errors import CdpError
from strap_browser.engine.downloads import Download as Incoming

NAME_BYTES = 200
"""File systems take names of 255 bytes, and a number may have to follow."""
SUFFIX = 20
"""Characters of a suffix that are kept, the last ones."""
LOOK = 0.2
"""Seconds between two looks at how large a file has become."""
_FORBIDDEN = frozenset('/\\:*?"<>|') | {chr(code) for code in range(32)}


@record
class Destination:
    """Folder for downloads, and the most bytes that one may have."""

    folder: Path
    limit: int


@record(frozen=False)
class Download:
    """A download; `path` and `size` (bytes) are None until it is complete."""

    ref: str
    """Name of the download, as d1, unique for the caller."""
    name: str
    url: str
    path: Path | None = None
    size: int | None = None
    error: str | None = None
    received: int = 0
    """Bytes so far."""


async def save(incoming: Incoming, download: Download, destination: Destination) -> str:
    """Wait for the file, move it to the folder and return what happened as a sentence."""
    watching = asyncio.ensure_future(_watch(incoming, download, destination.limit))
    try:
        failure = await incoming.failure()
        if failure is None:
            failure = await _keep(incoming, download, destination)
        elif download.received > destination.limit:
            failure = _too_large(destination.limit)
    except (CdpError, OSError) as error:
        failure = type(error).__name__
    finally:
        watching.cancel()
    if failure is None:
        size = counted(download.size or 0, "byte")
        return f"Downloaded {download.name!r} ({size}) to {download.path}."
    download.error = failure
    return f"The download of {download.name!r} failed: {download.error}."


def safe_name(suggested: str) -> str:
    """Return a name that stays in its folder and is valid on every platform."""
    written = suggested.encode(errors="replace").decode()  # no halves of surrogate pairs
    name = "".join("_" if char in _FORBIDDEN else char for char in written).strip(" .")
    stem, dot, suffix = name.rpartition(".") if "." in name else (name, "", "")
    end = dot + suffix[-SUFFIX:]
    left = NAME_BYTES - len(end.encode())
    name = stem.encode()[:left].decode(errors="ignore") + end
    return name or "download"


async def _keep(incoming: Incoming, download: Download, destination: Destination) -> str | None:
    arrived = incoming.arriving
    if arrived is not None and arrived.stat().st_size > destination.limit:
        incoming.delete()
        return _too_large(destination.limit)
    path = await asyncio.to_thread(_reserve, destination.folder, safe_name(download.name))
    try:
        await incoming.save_as(path)
    except BaseException:
        path.unlink(missing_ok=True)
        raise
    incoming.delete()
    download.path, download.size = path, path.stat().st_size
    return None


async def _watch(incoming: Incoming, download: Download, limit: int) -> None:
    file = incoming.arriving
    if file is None:
        return
    partial = file.with_name(f"{file.name}.crdownload")
    while True:
        for path in (partial, file):
            with suppress(OSError):
                download.received = path.stat().st_size
                break
        if download.received > limit:
            await incoming.cancel()
            return
        await asyncio.sleep(LOOK)


def _too_large(limit: int) -> str:
    return f"it is larger than {limit:,} bytes, the limit"


def _reserve(directory: Path, name: str) -> Path:
    make_private(directory)
    path = directory / name
    for number in range(1, 10_000):
        try:
            path.touch(exist_ok=False)
        except FileExistsError:
            path = directory / f"{Path(name).stem} ({number}){Path(name).suffix}"
        else:
            return path
    raise FileExistsError(name)

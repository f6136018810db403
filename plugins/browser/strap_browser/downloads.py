"""Files that pages download: saved into the output folder, under a name of their own."""

import asyncio
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.async_api import Download as Incoming

NAME_LIMIT = 150
_FORBIDDEN = frozenset('/\\:*?"<>|') | {chr(code) for code in range(32)}


@dataclass(kw_only=True, slots=True)
class Download:
    """A download; `path` and `size` (bytes) are None until it is complete."""

    name: str
    url: str
    path: Path | None = None
    size: int | None = None
    error: str | None = None


async def save(incoming: "Incoming", download: Download, directory: Path) -> str:
    """Wait for the file, move it to `directory` and return what happened as a sentence."""
    from playwright.async_api import Error

    try:
        failure = await incoming.failure()
        if failure is None:
            path = await asyncio.to_thread(_reserve, directory, safe_name(download.name))
            await incoming.save_as(path)
            await incoming.delete()
            download.path, download.size = path, path.stat().st_size
            return f"Downloaded {download.name!r} ({download.size:,} bytes) to {path}."
    except (Error, OSError) as error:
        failure = type(error).__name__
    download.error = failure
    return f"The download of {download.name!r} failed: {failure}."


def safe_name(suggested: str) -> str:
    """Return a name that stays in its folder and is valid on every platform."""
    name = "".join("_" if char in _FORBIDDEN else char for char in suggested).strip(" .")
    stem, dot, suffix = name.rpartition(".")
    if len(name) > NAME_LIMIT:
        name = stem[: NAME_LIMIT - len(suffix) - 1] + dot + suffix[-20:]
    return name or "download"


def _reserve(directory: Path, name: str) -> Path:
    """Create an empty file of that name, numbered if the name is taken."""
    directory.mkdir(parents=True, exist_ok=True)
    path = directory / name
    for number in range(1, 10_000):
        try:
            path.touch(exist_ok=False)
        except FileExistsError:
            path = directory / f"{Path(name).stem} ({number}){Path(name).suffix}"
        else:
            return path
    raise FileExistsError(name)

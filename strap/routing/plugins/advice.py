"""Advice on plugins that failed: the place in their code, and how to fix that."""

import importlib
from contextlib import suppress
from pathlib import Path
from types import TracebackType

from strap.errors import StartupError, StrapError, one_line
from strap.routing.plugins.discovery import OWN, UNKNOWN

NOT_THEIRS = (str(Path(__file__).parents[2]), *importlib.__path__, "<frozen ")
"""Beginnings of the files whose frames are not a plugin's: strap's, and Python's imports."""


class Clash(StartupError):
    """A plugin wants what is another's already."""


def own_trace(error: BaseException) -> TracebackType | None:
    """Return the traceback from the first frame on that is not strap's; whole where all are."""
    trace = error.__traceback__
    while trace and trace.tb_frame.f_code.co_filename.startswith(NOT_THEIRS):
        trace = trace.tb_next
    return trace or error.__traceback__


def place(error: BaseException) -> str:
    """Return FILE:LINE of the plugin where `error` came from, empty where it was none of its."""
    import traceback

    frames = traceback.extract_tb(own_trace(error))
    if not frames or frames[0].filename.startswith(NOT_THEIRS):
        return ""
    folder = str(Path(frames[0].filename).parent)
    last = [frame for frame in frames if frame.filename.startswith(folder)][-1]
    return f"{last.filename}:{last.lineno}"


def description(error: BaseException) -> str:
    """Return what is wrong with a plugin, in a line."""
    at = "" if isinstance(error, StrapError) else place(error)
    return f"{one_line(error)} ({at})" if at else one_line(error)


def mending(name: str, error: BaseException) -> str:
    """Return how to fix the plugin of the distribution `name`; strap itself is never to go."""
    if name in ("", UNKNOWN):
        return ""
    if folder := _edited_in(name):
        return f"fix it at {place(error) or folder}"
    upgrade, uninstall = f"pip install --upgrade {name}", f"pip uninstall {name}"
    if name == OWN:
        return upgrade
    return uninstall if isinstance(error, Clash) else f"{upgrade}, or {uninstall}"


def _edited_in(name: str) -> str:
    """Return the folder of an editable installation (PEP 610), empty for another."""
    import json
    from importlib.metadata import PackageNotFoundError, distribution
    from urllib.parse import unquote, urlsplit

    with suppress(PackageNotFoundError, ValueError, KeyError, TypeError):
        about = json.loads(distribution(name).read_text("direct_url.json") or "{}")
        if about["dir_info"]["editable"] and name != OWN:
            return unquote(urlsplit(about["url"]).path)
    return ""

"""Running a converter on a file: what a plugin declares, or this one."""

import traceback
from importlib import import_module

from strap.records import record

MAX_TEXT = 3_000_000
"""Characters of a converted file that are kept, as of a page."""
CUT = f"[Only the first {MAX_TEXT:,} characters are shown.]"
"""The end of a text that was longer."""
_TOLD = 4_000
"""Characters at the end of a traceback that are told."""


@record
class Converted:
    """The Markdown of a file, or a `problem` and the `trace` of an error of foreign code."""

    text: str = ""
    problem: str = ""
    trace: str = ""


def convert(content: bytes, *, function: str, media_type: str, url: str | None = None) -> Converted:
    """Call the converter `package.module:name`, with `url` unless it is None; never raises."""
    module, _, name = function.partition(":")
    further = () if url is None else (url,)
    try:
        text = getattr(import_module(module), name)(content, media_type, *further)
    except MemoryError:
        return Converted(problem="takes too much memory to read")
    except Exception as error:  # noqa: BLE001 - of foreign code over a foreign file
        # Those of its libraries, as of bytes that are no UTF-8, say nothing about the file.
        if type(error) is ValueError and str(error):
            return Converted(problem=str(error))
        trace = traceback.format_exc()[-_TOLD:]
        return Converted(problem=f"cannot be read ({type(error).__name__})", trace=trace)
    if not isinstance(text, str) or not text.strip():
        return Converted(problem="has no text")
    if len(text) > MAX_TEXT:
        text = f"{text[:MAX_TEXT]}\n\n{CUT}"
    return Converted(text=text)

"""Running a converter on a file: what a plugin declares, or this one."""

from importlib import import_module

from strap.records import record

MAX_TEXT = 3_000_000
"""Characters of a converted file that are kept, as of a page."""


@record
class Converted:
    """The Markdown of a file, or in `problem` why there is none, as the rest of a sentence."""

    text: str = ""
    problem: str = ""


def convert(content: bytes, *, function: str, media_type: str, url: str | None = None) -> Converted:
    """Call the converter `function` (`package.module:name`); never raises for what it does.

    It takes the `url` of the file too, unless that is None.
    """
    module, _, name = function.partition(":")
    further = () if url is None else (url,)
    try:
        text = getattr(import_module(module), name)(content, media_type, *further)
    except MemoryError:
        return Converted(problem="takes too much memory to read")
    except Exception as error:  # noqa: BLE001 - of foreign code over a foreign file
        # Those of its libraries, as of bytes that are no UTF-8, say nothing about the file.
        is_said = type(error) is ValueError and str(error)
        return Converted(
            problem=str(error) if is_said else f"cannot be read ({type(error).__name__})"
        )
    if not isinstance(text, str) or not text.strip():
        return Converted(problem="has no text")
    if len(text) > MAX_TEXT:
        text = f"{text[:MAX_TEXT]}\n\n[Only the first {MAX_TEXT:,} characters are shown.]"
    return Converted(text=text)

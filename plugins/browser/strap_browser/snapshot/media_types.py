"""Documents that are no pages, such as pictures, and what can be done with them."""

from typing import Any

from strap_browser.common.text import ADDRESS

NO_PAGE = "ERR_HTTP_RESPONSE_CODE_FAILURE"
"""Chromium's error for an HTTP status of 400 or more without a page."""
PDF = "application/pdf"
WHAT = {"image": "an image", "audio": "a sound", "video": "a video"}
Media = list[dict[str, Any]]
"""Media of a page (`dom/media.js`): `what` it is, and how large or where."""


def describe_media(media: Media) -> str:
    """Return a sentence about a page, or an element, without a text: what it has instead."""
    kinds = dict[str, list[dict[str, Any]]]()
    for medium in media:
        kinds.setdefault(medium["what"], []).append(medium)
    if not kinds:
        return "There is no text."
    single = len(media) == 1
    *others, last = (_kind(what, alike) for what, alike in kinds.items())
    listed = f"{', '.join(others)} and {last}" if others else last
    if any("width" in item for item in media):
        return f"There is no text, but {listed}: `screenshot` shows {'it' if single else 'them'}."
    return f"There is no text, but {listed}."


def _kind(what: str, alike: Media) -> str:
    if len(alike) > 1:
        first, *rest = what.split(" ")
        plural = "canvases" if first == "canvas" else f"{first}s"
        return f"{len(alike):,} {' '.join((plural, *rest))}"
    medium = alike[0]
    if "width" in medium:
        return f"a {what} of {medium['width']:,} \u00d7 {medium['height']:,}"
    url = medium["url"]
    is_file = url.startswith(("http:", "https:")) and len(url) <= ADDRESS
    return f"a {what} ({url})" if is_file else f"a {what}"


def describe_media_type(kind: str) -> str:
    """Return a sentence about a document of this media type, "" for a page or a text."""
    if kind == PDF:
        return "This is a PDF: `text` reads it, `http fetch` saves it, `screenshot` shows it."
    what = WHAT.get(kind.partition("/")[0])
    return f"This is {what}: `http fetch` saves it, `screenshot` shows it." if what else ""

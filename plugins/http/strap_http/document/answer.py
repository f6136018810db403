"""Description of a response: its first line, fields, the name of the file."""

from email.message import Message
from pathlib import PurePosixPath
from urllib.parse import unquote, urlsplit

from strap_http.message.response import Response
from strap_http.message.sizes import size

MAX_SHOWN_URL = 300
MAX_FIELD = 300
# What the caller needs to go on after these.
_TELLING = {
    201: ("location",),
    202: ("location", "retry-after"),
    401: ("www-authenticate",),
    405: ("allow",),
    429: ("retry-after",),
    503: ("retry-after",),
}


def head(response: Response, media_type: str) -> str:
    """Return `200 text/html https://final.url/ (12 KB)`, and header fields that tell what to do."""
    url = response.url
    shown = url if len(url) <= MAX_SHOWN_URL else f"{url[:MAX_SHOWN_URL]}…"
    status = response.status or "(no status)"
    line = f"{status} {media_type or '(no type)'} {shown} ({size(len(response.body))})"
    rows = [
        f"{name}: {str(response.headers[name])[:MAX_FIELD]}"
        for name in _TELLING.get(response.status, ())
        if name in response.headers
    ]
    return "\n".join((line, *rows, *response.notes))


def fields(response: Response) -> str:
    """Return the header fields, one a line; of cookies the names alone."""
    return "\n".join(
        f"{name}: {_masked(name, value)[:MAX_FIELD]}"
        for name, value in response.headers.multi_items()
    )


def _masked(name: str, value: str) -> str:
    return f"{value.partition('=')[0]}=…" if name == "set-cookie" else value


def file_name(response: Response) -> str:
    """The name that the server gives the file, else the end of the URL's path; may be empty."""
    header = Message()
    header["content-disposition"] = response.headers.get("content-disposition", "")
    named = (header.get_filename() or "").replace("\\", "/")
    return PurePosixPath(named or unquote(urlsplit(response.url).path)).name

"""Files that are no pages as Markdown, by the converters of all plugins."""

from collections.abc import Iterable
from email.message import Message
from pathlib import PurePosixPath
from urllib.parse import unquote, urlsplit

from strap import Converter, Job, Workers
from strap_http.message.response import Response

_UNTOLD = ("", "application/octet-stream", "binary/octet-stream", "text/plain")
"""Types under which servers send what they do not know."""


class Readers:
    """Who reads what came: the workers, and the converters by media type and by file name."""

    def __init__(self, workers: Workers, converters: Iterable[Converter] = ()) -> None:
        self.workers = workers
        self._by_type: dict[str, Converter] = {}
        self._by_suffix: dict[str, Converter] = {}
        for converter in converters:
            for media_type in converter.media_types:
                self._by_type.setdefault(media_type, converter)
            for suffix in converter.suffixes:
                self._by_suffix.setdefault(suffix, converter)

    def converter(self, response: Response, media_type: str) -> Converter | None:
        """Return what shows a body of `media_type`, if anything does."""
        found = self._by_type.get(media_type)
        if found is None and media_type in _UNTOLD:
            name = file_name(response).lower()
            ends = (suffix for suffix in self._by_suffix if name.endswith(suffix))
            found = self._by_suffix.get(max(ends, key=len, default=""))
        return found

    async def convert(
        self, converter: Converter, content: bytes, media_type: str
    ) -> tuple[str, str]:
        """Return the Markdown of a file, or an empty text and a sentence on why there is none."""
        what = converter.what
        if converter.extra is not None and converter.extra.missing:
            return "", f"Reading {what}s needs: {converter.extra.install}."
        job = Job(
            function="strap_http.extraction.conversion:convert",
            payload=content,
            arguments={"function": converter.function, "media_type": media_type},
            seconds=converter.seconds,
        )
        answer = await self.workers.do(job)
        if answer is None:
            return "", f"The {what} takes too long to read, or too much memory."
        problem = answer.facts["problem"]
        return ("", f"The {what} {problem}.") if problem else (answer.text, "")


def file_name(response: Response) -> str:
    """The name that the server gives the file, else the end of the URL's path; may be empty."""
    header = Message()
    header["content-disposition"] = response.headers.get("content-disposition", "")
    named = (header.get_filename() or "").replace("\\", "/")
    return PurePosixPath(named or unquote(urlsplit(response.url).path)).name

"""Files that are no pages as Markdown, by the converters of all plugins."""

import asyncio
import logging
from collections.abc import Iterable

from strap.api.declarations import Converter
from strap.documents.binaries import describe
from strap.documents.media_types import converted_type, kind_of, text_of, visible
from strap.workers.pool import Job, Workers

log = logging.getLogger(__name__)
_UNTOLD = ("", "application/octet-stream", "binary/octet-stream", "text/plain")
"""Types under which servers send what they do not know."""


class Readers:
    """Readers of files: the workers, and the converters by media type and by file name."""

    def __init__(self, workers: Workers, converters: Iterable[Converter] = ()) -> None:
        self.workers = workers
        self._by_type: dict[str, Converter] = {}
        self._by_suffix: dict[str, Converter] = {}
        for converter in converters:
            for media_type in converter.media_types:
                self._by_type.setdefault(media_type, converter)
            for suffix in converter.suffixes:
                self._by_suffix.setdefault(suffix, converter)

    def converter(self, name: str, media_type: str) -> Converter | None:
        """Return what shows a file called `name` of `media_type`, if anything does."""
        converter = self._by_type.get(media_type)
        if converter is None and media_type in _UNTOLD:
            ends = (suffix for suffix in self._by_suffix if name.lower().endswith(suffix))
            converter = self._by_suffix.get(max(ends, key=len, default=""))
        return converter

    async def file(self, content: bytes, name: str, media_type: str = "") -> tuple[str, str]:
        """Return the text of a file, as Markdown if converted, or "" and why there is none."""
        kind, media_type = kind_of(media_type, content)
        text = ""
        if kind != "binary":
            text = await asyncio.to_thread(text_of, kind, content, media_type)
        return await self.read(content, name, media_type, text)

    async def read(
        self, content: bytes, name: str, media_type: str, text: str, url: str = ""
    ) -> tuple[str, str]:
        """Return a file as `file` does; `text` is its own, with a note where it is a bad one."""
        as_type = converted_type(media_type, text) if text else media_type
        converter = self.converter(name, as_type)
        if converter is None or (text and converter.extra is not None and converter.extra.missing):
            return text, "" if text else describe(media_type, content)
        source = text.encode("utf-8", "replace") if text else content
        markdown, why = await self.convert(converter, source, as_type, url)
        return visible(markdown) or text, why

    async def convert(
        self, converter: Converter, content: bytes, media_type: str, url: str = ""
    ) -> tuple[str, str]:
        """Return the Markdown of a file, or an empty text and a sentence on why there is none."""
        what = converter.what
        if converter.extra is not None and converter.extra.missing:
            return "", f"Reading {what}s needs: {converter.extra.install}."
        arguments = {"function": converter.function, "media_type": media_type}
        job = Job(
            function="strap.documents.conversion:convert",
            payload=content,
            arguments=arguments | ({"url": url} if converter.addressed else {}),
            seconds=converter.seconds,
        )
        answer = await self.workers.do(job)
        if answer is None:
            log.warning("%s took too long over %s, or ended its process", converter.function, url)
            return "", f"The {what} takes too long to read, or too much memory."
        problem = answer.facts["problem"]
        if trace := answer.facts["trace"]:
            log.warning("%s failed over %s: %s", converter.function, url, trace)
        return ("", f"The {what} {problem}.") if problem else (answer.text, "")

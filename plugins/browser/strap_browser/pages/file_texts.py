"""The text of files that callers read: downloads, and PDFs that tabs show."""

from collections.abc import Iterable
from functools import cached_property
from typing import TYPE_CHECKING

from strap import Converter
from strap.kept import Kept

if TYPE_CHECKING:
    from strap import Workers
    from strap.documents.converting import Readers


class FileTexts:
    """Reads files once, by the converters of all plugins; what is in them is kept a while."""

    def __init__(self, converters: Iterable[Converter]) -> None:
        self._converters = converters
        self._workers: Workers | None = None
        self._texts = Kept[str]()

    @property
    def workers(self) -> "Workers":
        """Worker processes that read files from the web, started with the first file."""
        if self._workers is None:
            from strap import Workers

            self._workers = Workers()
        return self._workers

    @cached_property
    def _readers(self) -> "Readers":
        from strap.documents.converting import Readers

        return Readers(self.workers, self._converters)

    async def aclose(self) -> None:
        """End the workers."""
        if self._workers is not None:
            await self._workers.aclose()

    def get(self, *key: str) -> str | None:
        """Return the text of a file that was read; a key begins with the caller."""
        return self._texts.get(key)

    async def read(
        self, *key: str, content: bytes, name: str, media_type: str = ""
    ) -> tuple[str, str]:
        """Return the text of a file, or an empty one and a sentence on why there is none."""
        text, why = await self._readers.file(content, name, media_type)
        if text:
            self._texts.put(key, text)
        return text, why

    def forget(self, caller: str) -> None:
        """Drop what a caller has read."""
        self._texts.forget(caller)

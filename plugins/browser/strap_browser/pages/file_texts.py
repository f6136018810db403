"""The text of files that callers read: downloads, and PDFs that tabs show."""

from collections.abc import Iterable

from strap import Converter, Workers
from strap.documents.converting import Readers
from strap.kept import Kept


class FileTexts:
    """Reads files once, by the converters of all plugins; what is in them is kept a while."""

    def __init__(self, workers: Workers, converters: Iterable[Converter]) -> None:
        self._readers = Readers(workers, converters)
        self._kept = Kept[str]()

    def kept(self, *key: str) -> str | None:
        """Return the text of a file that was read; a key begins with the caller."""
        return self._kept.get(key)

    async def read(
        self, *key: str, content: bytes, name: str, media_type: str = ""
    ) -> tuple[str, str]:
        """Return the text of a file, or an empty one and a sentence on why there is none."""
        text, why = await self._readers.file(content, name, media_type)
        if text:
            self._kept.put(key, text)
        return text, why

    def forget(self, caller: str) -> None:
        """Drop what a caller has read."""
        self._kept.forget(caller)

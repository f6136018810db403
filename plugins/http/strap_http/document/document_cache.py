"""Rendered documents, kept a while so that their next part needs no second request."""

import time
from collections import OrderedDict
from collections.abc import Callable

from strap import record
from strap.documents.content import Content
from strap_http.message.request import Request

MAX_DOCUMENTS = 32
MAX_CHARACTERS = 16_000_000
MAX_AGE = 900.0
"""Seconds."""

Key = tuple[str, Request, str | None]
"""The caller, what it asked for (credentials are part of the request) and how to show it."""


@record
class Document(Content):
    """A response as it is shown."""

    status: int
    media_type: str
    size: int
    """Bytes of the body."""


class Documents:
    """The documents used last, bounded in number, size and age."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._documents: OrderedDict[Key, tuple[float, Document]] = OrderedDict()
        self._characters = 0

    def __len__(self) -> int:
        return len(self._documents)

    def get(self, key: Key) -> Document | None:
        """Return the document if it is still there."""
        self._drop_old()
        if key not in self._documents:
            return None
        self._documents.move_to_end(key)
        return self._documents[key][1]

    def put(self, key: Key, document: Document) -> None:
        """Keep a document, and drop those used longest ago beyond the bounds."""
        self._drop(key)
        self._drop_old()
        self._documents[key] = self._clock(), document
        self._characters += len(document.text)
        while len(self._documents) > MAX_DOCUMENTS or self._characters > MAX_CHARACTERS:
            self._drop(next(iter(self._documents)))

    def forget(self, caller: str) -> None:
        """Drop the documents of a caller, under all handles that it has used."""
        for key in [k for k in self._documents if k[0] == caller or k[0].startswith(f"{caller}/")]:
            self._drop(key)

    def _drop(self, key: Key) -> None:
        _, document = self._documents.pop(key, (0.0, None))
        self._characters -= len(document.text) if document else 0

    def _drop_old(self) -> None:
        oldest = self._clock() - MAX_AGE
        for key in [key for key, (since, _) in self._documents.items() if since < oldest]:
            self._drop(key)

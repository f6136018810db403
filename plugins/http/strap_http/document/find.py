"""`text`: the passages of a document, or of the whole page where its main part has none."""

import asyncio
from dataclasses import dataclass
from functools import partial

from strap_http.document.convert import Readers
from strap_http.document.document_cache import Document, Documents, Key
from strap_http.document.passages import matching_passages, no_match
from strap_http.document.present import present
from strap_http.message.response import Response


@dataclass(frozen=True, kw_only=True, slots=True)
class HeldDocument:
    """A document as it was asked for, and the answer that it was made of unless it was kept."""

    key: Key
    document: Document
    response: Response | None = None


async def find(
    held: HeldDocument,
    text: str,
    start: int,
    max_tokens: int,
    documents: Documents,
    readers: Readers,
) -> tuple[Document, str, int | None]:
    """Return the document that was searched, the answer, and where to search on, if anywhere."""
    documents.put(held.key, held.document)
    document, beyond = held.document, False
    show = partial(matching_passages, text=text, start=start, max_tokens=max_tokens)
    answer = await asyncio.to_thread(show, document)
    if answer is None and held.response is not None and document.partial:
        caller, request, _ = held.key
        document, beyond = await present(request.method, held.response, readers, "page"), True
        documents.put((caller, request, "page"), document)
        answer = await asyncio.to_thread(show, document, beyond=True)
    if answer is None:
        answer = no_match(document, text, start, beyond=beyond), None
    return document, *answer

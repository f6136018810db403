"""`text`: the passages of a document, or of the whole page where its main part has none."""

import asyncio
from functools import partial

from strap import record
from strap.documents.converting import Readers
from strap.documents.nearest import nearest_passages
from strap.documents.passages import Passages, matching_passages, no_match
from strap_http.document.document_cache import Document, Documents, Key
from strap_http.document.present import present
from strap_http.message.response import Response


@record
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
) -> tuple[Document, Passages]:
    """Return the document that was searched, and the answer."""
    documents.put(held.key, held.document)
    show = partial(matching_passages, text=text, start=start, max_tokens=max_tokens)
    matches = await asyncio.to_thread(show, held.document)
    if matches is not None:
        return held.document, matches
    whole = await _whole(held, documents, readers)
    if whole is not None:
        matches = await asyncio.to_thread(show, whole, beyond=True)
        if matches is not None:
            return whole, matches
    matches = await asyncio.to_thread(nearest_passages, held.document, text, start, max_tokens)
    if matches is not None:
        return held.document, matches
    document = whole or held.document
    return document, Passages(text=no_match(document, text, start, beyond=whole is not None))


async def _whole(held: HeldDocument, documents: Documents, readers: Readers) -> Document | None:
    if held.response is None or not held.document.partial:
        return None
    caller, request, _ = held.key
    whole = await present(request.method, held.response, readers, "page")
    documents.put((caller, request, "page"), whole)
    return whole

"""The text of PDF files."""

import time
from contextlib import closing
from typing import Any

SECONDS = 8.0
"""Computing after which the rest of the pages is left out."""


def convert(content: bytes, _: str) -> str:
    """Return the text of a PDF file, each page under its number if there are more.

    As many pages are read as the time allows; raises `ValueError` for a file that has no text.
    """
    import pypdfium2

    until = time.process_time() + SECONDS
    try:
        document = pypdfium2.PdfDocument(content)
    except pypdfium2.PdfiumError as error:
        raise ValueError("needs a password" if "assword" in str(error) else "is damaged") from error
    with closing(document):
        count, texts = len(document), []
        for number in range(count):
            texts.append(_page(document, number))
            if time.process_time() > until:
                break
    if not any(texts):
        raise ValueError("has no text, only pictures")
    left_out = f"\n\n[Only the first {len(texts)} of {count} pages were read.]"
    return _joined(texts, count) + (left_out if len(texts) < count else "")


def _page(document: Any, number: int) -> str:
    """The text of one page; an unreadable one is as an empty one."""
    import pypdfium2

    try:
        with closing(document[number]) as page, closing(page.get_textpage()) as text:
            found = str(text.get_text_range())
    except pypdfium2.PdfiumError:
        return ""
    return found.replace("\r\n", "\n").strip()


def _joined(texts: list[str], count: int) -> str:
    if count == 1:
        return texts[0]
    return "\n\n".join(f"[Page {n} of {count}]\n{text}" for n, text in enumerate(texts, 1))

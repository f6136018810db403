"""The text of PDF files."""

import time
from contextlib import closing
from dataclasses import dataclass
from typing import Any

SECONDS = 8.0
"""Computing after which the rest of the pages is left out."""


@dataclass(frozen=True, kw_only=True, slots=True)
class PdfText:
    """The text of the first `read` of `pages` pages, each under its number if there are more."""

    text: str = ""
    read: int = 0
    pages: int = 0
    problem: str = ""
    """Why nothing was read, in a few words; empty if something was."""


def read_pdf(content: bytes) -> PdfText:
    """Return the text of a PDF file; never raises for what the file is."""
    import pypdfium2

    until = time.process_time() + SECONDS
    try:
        document = pypdfium2.PdfDocument(content)
    except pypdfium2.PdfiumError as error:
        is_locked = "assword" in str(error)
        return PdfText(problem="needs a password" if is_locked else "is damaged")
    with closing(document):
        count, texts = len(document), []
        for number in range(count):
            texts.append(_page(document, number))
            if time.process_time() > until:
                break
    if not any(texts):
        return PdfText(pages=count, problem="has no text, only pictures")
    return PdfText(text=_joined(texts, count), read=len(texts), pages=count)


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

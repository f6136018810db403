"""The text of PDF files."""

import re
import time
from contextlib import closing, suppress
from typing import Any

from strap.text import counted
from strap_http.extraction.files.comments_and_notes import Asides
from strap_http.extraction.files.pdf_notes import Notes

SECONDS = 8.0
"""Computing after which the rest of the pages is left out."""

NO_TEXT = "has no text"
"""How the problem begins of a file that can be looked at all the same."""
SCANNED = "(A picture without text.)"
_BROKEN = re.compile(r"([\w-]{0,99})[\ufffe\x02](\w{0,99})")
"""A word with a hyphen at the end of its line, which pdfium writes as a noncharacter."""
_WORD = re.compile(r"\w[\w-]*")


def convert(content: bytes, _: str) -> str:
    """Return the text of a PDF page by page, with fields and comments; raises `ValueError`."""
    import pypdfium2

    until = time.process_time() + SECONDS
    try:
        document = pypdfium2.PdfDocument(content)
    except pypdfium2.PdfiumError as error:
        raise ValueError("needs a password" if "assword" in str(error) else "is damaged") from error
    with closing(document):
        with suppress(pypdfium2.PdfiumError):  # a damaged form: its fields are left out
            document.init_forms()
        count, texts, asides = len(document), [], Asides()
        for number in range(count):
            texts.append(_page(document, number, asides))
            if time.process_time() > until:
                break
    if not asides.comments and (not any(texts) or set(texts) == {SCANNED}):
        pages = counted(count, "page")
        scanned = f", only pictures: it is scanned ({pages})" if any(texts) else ""
        raise ValueError(f"{NO_TEXT}{scanned}")
    texts = _mended(texts)
    left_out = f"\n\n[Only the first {len(texts)} of {count} pages were read.]"
    return asides.around(_joined(texts, count) + (left_out if len(texts) < count else ""))


def _page(document: Any, number: int, asides: Asides) -> str:
    """The text of one page, whose comments are added to `asides`; an unreadable one is empty."""
    import pypdfium2

    try:
        with closing(document[number]) as page, closing(page.get_textpage()) as text:
            text_shown = str(text.get_text_range()).replace("\r\n", "\n").strip()
            notes = Notes(page, number + 1)
            asides.add(notes.unshown(text_shown))
            filled = ["[Filled in]", *notes.fields] if notes.fields else []
            shown = "\n".join(filter(None, (text_shown, *filled)))
            return shown if shown or not _has_picture(page) else SCANNED
    except pypdfium2.PdfiumError:
        return ""


def _mended(texts: list[str]) -> list[str]:
    """Join words broken at line ends; compounds keep their hyphen."""
    if not any(_BROKEN.search(text) for text in texts):
        return texts
    known = {word.lower() for text in texts for word in _WORD.findall(text)}

    def joined(word: "re.Match[str]") -> str:
        start, end = word.groups()
        hyphened, plain = f"{start}-{end}", f"{start}{end}"
        is_compound = "-" in start or not start[-1:].isalpha() or not end[:1].islower()
        is_known = hyphened.lower() in known and plain.lower() not in known
        return hyphened if is_compound or is_known else plain

    return [_BROKEN.sub(joined, text) for text in texts]


def _has_picture(page: Any) -> bool:
    from pypdfium2.raw import FPDF_PAGEOBJ_IMAGE

    return next(page.get_objects(filter=(FPDF_PAGEOBJ_IMAGE,)), None) is not None


def _joined(texts: list[str], count: int) -> str:
    if count == 1:
        return texts[0]
    return "\n\n".join(f"[Page {n} of {count}]\n{text}" for n, text in enumerate(texts, 1))

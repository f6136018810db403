"""Office documents, e-books and tables as Markdown."""

import io
import re
import zipfile
from collections.abc import Iterator

from strap.text import counted
from strap_http.extraction.files import ooxml, opendocument
from strap_http.extraction.files.binary_sheets import of_ole, of_parts
from strap_http.extraction.files.comments_and_notes import Asides
from strap_http.extraction.files.hidden_text import without_rtf
from strap_http.extraction.files.parts import Parts

# What has no first bytes to know it by; the last three where the name of the file said it.
_TABLES = (
    *("text/csv", "text/tab-separated-values"),
    *("text/plain", "application/octet-stream", "binary/octet-stream"),
)
_ZIP = b"PK\x03\x04"
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_SECTOR = 512
_WORD_95 = b"\xdc\xa5"
"""How the text of Word 6 and 95 begins; that of later ones is 0xA5EC (MS-DOC 2.5.2)."""
_WORD = "WordDocument".encode("utf-16-le")
"""The stream that has the text of Word 6 and later (MS-DOC 2.1.1)."""
_OLD = "is of Word 95 or before, which cannot be read"
_OLD_SHEET = "is of Excel 4 or before, which cannot be read"
_BEGINNINGS = (b"\x09\x00\x04\x00", b"\x09\x02\x06\x00", b"\x09\x04\x06\x00")
"""How sheets of Excel 2, 3 and 4 begin: the record BOF, and how long it is (MS-XLS 2.4.21)."""
_EMPTY = "has no text that can be read"
_OTHER = "is of a kind that cannot be read"
_DAMAGED = "is damaged"
_LOCKED = "EncryptedPackage".encode("utf-16-le")
"""The stream that Word, Excel and PowerPoint put a file with a password into (MS-OFFCRYPTO 2.3)."""
_EMPTY_ROWS = re.compile(r"^(?:\|(?: {1,3}\|)++\n){5,}+", re.MULTILINE)
_RTF = b"{\\rtf"
_STRAY = re.compile(rb"(?<![{\s\\])\\\*")
"""A group mark in the wrong place, as OpenOffice wrote it: readers drop the rest of the group."""
_BYTES = re.compile(rb"\\bin(\d{1,9}) ?")
"""Control word before binary data, with the number of bytes, as for a picture."""


def convert(content: bytes, media_type: str) -> str:
    """Return the Markdown of a document, judged by its bytes; raises `ValueError` with why."""
    words = 0
    if content.startswith(_RTF):
        content, words = without_rtf(b"".join(_without_stray(content)))
    asides, readable = _apart(content)
    asides.hidden += [counted(words, "word")] if words else []
    markdown = _markdown(readable or content, media_type)
    text = asides.around(_EMPTY_ROWS.sub(_collapsed, markdown))
    if not text.strip():  # some have one that is not found, as those of PowerPoint 95
        raise ValueError(_EMPTY)
    return text


def _collapsed(rows: "re.Match[str]") -> str:
    """One row that tells how many are empty, as above a stray cell far below a table."""
    return f"| [{rows[0].count(chr(10)):,} empty rows] |\n"


def _without_stray(content: bytes) -> Iterator[bytes]:
    """Yield RTF without those; what is no text stays as it is."""
    at = 0
    while match := _BYTES.search(content, at):
        end = match.end() + int(match[1])
        yield _STRAY.sub(b"", content[at : match.start()])
        yield content[match.start() : end]
        at = end
    yield _STRAY.sub(b"", content[at:])


def _apart(content: bytes) -> tuple[Asides, bytes]:
    """Return skipped asides, and the document rewritten for the text reader, empty if unchanged."""
    if content.startswith(
        _OLE
    ):  # with a package in it, as of the theme of Excel's, which is not it
        return of_ole(content), b""
    try:
        parts = Parts(content)
        asides = ooxml.asides(parts) or opendocument.asides(parts) or of_parts(parts) or Asides()
        readable = parts.packed()
    except ValueError:
        return Asides(), b""
    if parts.is_changed and not readable:  # what was taken out of the text is still there
        return Asides(), b""
    return asides, readable


def _markdown(content: bytes, media_type: str) -> str:
    import anydoc

    try:
        return str(anydoc.to_markdown_bytes(content, "csv" if media_type in _TABLES else None))
    except anydoc.EncryptedError as error:
        raise ValueError("needs a password") from error
    except anydoc.ResourceLimitError as error:
        raise ValueError(f"goes beyond what is safe to read ({error.limit})") from error
    except anydoc.UnsupportedError as error:
        is_broken = content.startswith(_ZIP) and not zipfile.is_zipfile(io.BytesIO(content))
        raise ValueError(_reason(content, _DAMAGED if is_broken else _OTHER)) from error
    except anydoc.ConvertError as error:
        raise ValueError(_reason(content, _DAMAGED)) from error


def _reason(content: bytes, otherwise: str) -> str:
    """Why a document cannot be read, `otherwise` where that is not seen in it."""
    if content.startswith(_OLE) and _LOCKED in content:
        return "needs a password"
    if _is_without_slides(content):
        return _EMPTY
    if content.startswith(_BEGINNINGS):
        return _OLD_SHEET
    return _OLD if _is_old(content) else otherwise


def _is_without_slides(content: bytes) -> bool:
    """Whether it is a presentation to be filled, as a template (ECMA-376, part 1, 19.2.1.34)."""
    try:
        presentation = Parts(content).raw("ppt/presentation.xml")
    except ValueError:
        return False
    return presentation != b"" and b"sldIdLst" not in presentation


def _is_old(content: bytes) -> bool:
    """Whether it is of Word 6 or 95: what is in an OLE file begins at multiples of 64 bytes."""
    is_word = content.startswith(_OLE) and _WORD in content
    starts = range(_SECTOR, len(content), 64) if is_word else ()
    return any(content.startswith(_WORD_95, at) for at in starts)

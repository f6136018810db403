"""The kinds of files that this plugin shows itself."""

from strap import Converter, Extra

PDF = Extra(name="pdf", modules=("pypdfium2",))
"""Packages for PDF files."""
DOCUMENTS = Extra(name="documents", modules=("anydoc", "feedparser"))
"""Packages for documents of other kinds."""
PDF_SECONDS = 12.0
"""Computing over a PDF file: it reads as many pages as it can in less."""
_OOXML = "application/vnd.openxmlformats-officedocument."
_ODF = "application/vnd.oasis.opendocument."
_OFFICE = "strap_http.extraction.files.office:convert"


def _office(what: str, *media_types: str, suffixes: tuple[str, ...] = ()) -> Converter:
    return Converter(
        what=what,
        media_types=media_types,
        function=_OFFICE,
        suffixes=suffixes,
        extra=DOCUMENTS,
    )


CONVERTERS = (
    Converter(
        what="PDF file",
        media_types=("application/pdf",),
        function="strap_http.extraction.files.pdf:convert",
        seconds=PDF_SECONDS,
        extra=PDF,
    ),
    Converter(
        what="feed",
        media_types=("application/rss+xml", "application/atom+xml", "application/rdf+xml"),
        function="strap_http.extraction.files.feeds:convert",
        extra=DOCUMENTS,
        addressed=True,
    ),
    Converter(
        what="feed",
        media_types=("application/feed+json",),
        function="strap_http.extraction.files.json_feeds:convert",
        addressed=True,
    ),
    _office(
        "Word document",
        f"{_OOXML}wordprocessingml.document",
        "application/vnd.ms-word.document.macroenabled.12",
        "application/msword",
    ),
    _office(
        "spreadsheet",
        f"{_OOXML}spreadsheetml.sheet",
        "application/vnd.ms-excel.sheet.macroenabled.12",
        "application/vnd.ms-excel.sheet.binary.macroenabled.12",
        "application/vnd.ms-excel",
        f"{_ODF}spreadsheet",
    ),
    _office(
        "presentation",
        f"{_OOXML}presentationml.presentation",
        f"{_OOXML}presentationml.slideshow",
        "application/vnd.ms-powerpoint",
        f"{_ODF}presentation",
    ),
    _office("text document", f"{_ODF}text", "application/rtf", "text/rtf"),
    _office("e-book", "application/epub+zip"),
    _office("document", "application/x-ole-storage"),
    _office("table", "text/csv", "text/tab-separated-values", suffixes=(".csv", ".tsv")),
)

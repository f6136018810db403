"""Documents that are made to do harm."""

from tests.plugins.http.documents import (
    DOCX,
    EPUB,
    ODT,
    XLSX,
    docx,
    epub,
    odt,
    package,
    paragraph,
    xlsx,
)

REPORT = docx(paragraph("Sales", 1) + paragraph("They rose by 5 %."))
ENTITIES = "<!DOCTYPE d [" + "".join(
    f'<!ENTITY e{n} "{f"&e{n - 1};" * 10 if n else "ha"}">' for n in range(12)
) + "]>"  # fmt: skip
NESTED = "<w:sdt><w:sdtContent>" * 50_000
REPEATED = (
    "<table:table><table:table-row table:number-rows-repeated='1000000'>"
    "<table:table-cell table:number-columns-repeated='16000'><text:p>x</text:p>"
    "</table:table-cell></table:table-row></table:table>"
)
LOCKED = '<manifest:encryption-data manifest:checksum="x"/>'


def hostile(site):
    """Return makers of harmful bodies, each with its type; some name an address of `site`."""
    outside = (
        f"<!DOCTYPE d [<!ENTITY x SYSTEM '{site}/xxe'><!ENTITY y SYSTEM 'file:///etc/passwd'>]>"
    )
    template = (
        f'<Relationship Id="r9" TargetMode="External" Target="{site}/template" Type="http://schemas.'
        'openxmlformats.org/officeDocument/2006/relationships/attachedTemplate"/>'
    )
    return {
        "bomb": lambda: (docx(" " * 150_000_000), DOCX),
        "entities": lambda: (docx(paragraph("&e11;"), declared=ENTITIES), DOCX),
        "entities of odt": lambda: (odt("<text:p>&e11;</text:p>", declared=ENTITIES), ODT),
        "outside": lambda: (docx(paragraph("&x;&y;"), declared=outside), DOCX),
        "outside of odt": lambda: (odt("<text:p>&x;&y;</text:p>", declared=outside), ODT),
        "outside of epub": lambda: (
            epub(f"<p>a<img src='{site}/i.png'/><script src='{site}/s'/>"),
            EPUB,
        ),
        "template": lambda: (docx(paragraph("x"), relations=template), DOCX),
        "nested": lambda: (docx(NESTED), DOCX),
        "nested epub": lambda: (epub("<div>" * 50_000), EPUB),
        "repeated": lambda: (odt(REPEATED), ODT),
        "wide": lambda: (xlsx([["x"]], dimension="A1:XFD1048576"), XLSX),
        "cut": lambda: (REPORT[: len(REPORT) // 2], DOCX),
        "garbled": lambda: (REPORT.replace(b"word/document", b"word/../../../x"), DOCX),
        "no document": lambda: (
            package({"[Content_Types].xml": "", "word/document.xml": ""}),
            DOCX,
        ),
        "text": lambda: (b"Only text", DOCX),
        "page": lambda: (b"<!doctype html><p>A page", XLSX),
        "ole": lambda: (
            b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\xff" * 4_096,
            "application/msword",
        ),
        "rtf": lambda: (b"{\\rtf1" + b"{" * 200_000, "application/rtf"),
        "feed entities": lambda: (
            f"<?xml version='1.0'?>{ENTITIES}<rss version='2.0'><channel><title>&e11;</title>",
            "application/rss+xml",
        ),
        "feed outside": lambda: (
            f"<?xml version='1.0'?>{outside}<rss version='2.0'><channel><title>&x;&y;</title>",
            "application/rss+xml",
        ),
        "feed nested": lambda: (
            "<rss version='2.0'>" + "<channel>" * 100_000,
            "application/rss+xml",
        ),
    }

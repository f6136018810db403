"""Kinds of documents that are ZIP files, told by the names in them."""

import re

ZIP = "application/zip"
# OPF and OpenDocument begin with a file that says it, uncompressed.
_NAMED = re.compile(rb"mimetype(application/[a-z0-9.+-]{1,100})")
_NAME_AT = 30  # bytes of the header that stands before the name of the first file
_TEMPLATE = "-template"
"""How the type of a document ends that others are made from (OpenDocument 1.3, part 2, annex C)."""
_PARTS = (
    (b"word/document", "application/vnd.openxmlformats-officedocument.wordprocessingml.document"),
    (b"xl/workbook", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"),
    (
        b"ppt/presentation",
        "application/vnd.openxmlformats-officedocument.presentationml.presentation",
    ),
)
PACKAGES = (
    *(media_type for _, media_type in _PARTS),
    "application/epub+zip",
    "application/vnd.oasis.opendocument.text",
    "application/vnd.oasis.opendocument.spreadsheet",
    "application/vnd.oasis.opendocument.presentation",
)


def package_type(body: bytes) -> str:
    """Return the media type of a ZIP file: that of the document that it is, if it is one."""
    named = _NAMED.match(body, _NAME_AT)
    if named is not None:
        media_type = named.group(1).decode().removesuffix(_TEMPLATE)
        return media_type if media_type in PACKAGES else ZIP
    if b"[Content_Types].xml" not in body:
        return ZIP
    return next((media_type for part, media_type in _PARTS if part in body), ZIP)

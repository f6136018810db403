"""Office documents, e-books and tables as Markdown."""

# What has no first bytes to know it by; the last three where the name of the file said it.
_TABLES = (
    *("text/csv", "text/tab-separated-values"),
    *("text/plain", "application/octet-stream", "binary/octet-stream"),
)
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_LOCKED = "EncryptedPackage".encode("utf-16-le")
"""The stream that Word, Excel and PowerPoint put a file with a password into (MS-OFFCRYPTO 2.3)."""


def convert(content: bytes, media_type: str) -> str:
    """Return the Markdown of a document of any of these kinds, whatever it is called.

    Raises `ValueError` with what is wrong with it.
    """
    import anydoc

    try:
        return str(anydoc.to_markdown_bytes(content, "csv" if media_type in _TABLES else None))
    except anydoc.EncryptedError as error:
        raise ValueError("needs a password") from error
    except anydoc.ResourceLimitError as error:
        raise ValueError(f"goes beyond what is safe to read ({error.limit})") from error
    except anydoc.UnsupportedError as error:
        is_locked = content.startswith(_OLE) and _LOCKED in content
        why = "needs a password" if is_locked else "is of a kind that cannot be read"
        raise ValueError(why) from error
    except anydoc.ConvertError as error:
        raise ValueError("is damaged") from error

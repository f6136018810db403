"""Documents that are no pages, such as pictures, and what can be done with them."""

NO_PAGE = "ERR_HTTP_RESPONSE_CODE_FAILURE"
"""What Chromium makes of an HTTP status of 400 or more where no page comes with it."""
PDF = "application/pdf"
WHAT = {"image": "an image", "audio": "a sound", "video": "a video"}


def describe_media_type(kind: str) -> str:
    """Return a sentence about a document of this media type, "" for a page or a text."""
    if kind == PDF:
        return "This is a PDF: `text` reads it, `http fetch` saves it, `screenshot` shows it."
    what = WHAT.get(kind.partition("/")[0])
    return f"This is {what}: `http fetch` saves it, `screenshot` shows it." if what else ""

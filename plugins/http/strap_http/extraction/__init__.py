"""Extraction of text from documents, in processes that can be killed."""

from strap import Extra

EXTRACT = Extra(name="extract", modules=("html_to_markdown", "resiliparse", "trafilatura"))
"""Without it a page is shown whole, as simple Markdown."""

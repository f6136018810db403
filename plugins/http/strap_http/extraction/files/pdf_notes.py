"""Form fields and comments on the pages of a PDF file."""

import ctypes
from collections.abc import Callable, Iterator
from typing import Any

from strap_http.extraction.files.comments_and_notes import Comment, short

MOST = 2_000
"""Notes of a page that are looked at; links are some, too."""
SIGNED = "(signed)"
TICKED = "(ticked)"


class Notes:
    """The fields and comments of the page with this number (ISO 32000-1, 12.5 and 12.7)."""

    def __init__(self, page: Any, number: int) -> None:
        self.comments: list[Comment] = []
        self.fields: list[str] = []
        self._form = page.formenv
        self._number = number
        for note in _notes(page):
            self._take(note)

    def unshown(self, text: str) -> list[Comment]:
        """Return the comments that are not in the text of the page, as some kinds are drawn."""
        shown = "".join(text.split())
        return [comment for comment in self.comments if "".join(comment.text.split()) not in shown]

    def _take(self, note: Any) -> None:
        from pypdfium2 import raw

        kind = raw.FPDFAnnot_GetSubtype(note)
        unseen = raw.FPDF_ANNOT_FLAG_HIDDEN | raw.FPDF_ANNOT_FLAG_NOVIEW
        if raw.FPDFAnnot_GetFlags(note) & unseen:
            return
        if kind == raw.FPDF_ANNOT_WIDGET and self._form:
            value = _value(self._form, note)
            name = short(_field_name(self._form, note)) if value else ""
            self.fields += filter(None, [f"{name}: {value}" if name else value])
        elif kind not in (raw.FPDF_ANNOT_LINK, raw.FPDF_ANNOT_WIDGET, raw.FPDF_ANNOT_POPUP):
            text, author = (_string(raw.FPDFAnnot_GetStringValue, note, key) for key in _KEYS)
            self.comments.append(Comment(text=text, author=author, place=f"page {self._number}"))


_KEYS = (b"Contents", b"T")


def _notes(page: Any) -> Iterator[Any]:
    from pypdfium2 import raw

    for index in range(min(raw.FPDFPage_GetAnnotCount(page), MOST)):
        if note := raw.FPDFPage_GetAnnot(page, index):
            try:
                yield note
            finally:
                raw.FPDFPage_CloseAnnot(note)


def _value(form: Any, note: Any) -> str:
    from pypdfium2 import raw

    kind = raw.FPDFAnnot_GetFormFieldType(form, note)
    if kind in (raw.FPDF_FORMFIELD_CHECKBOX, raw.FPDF_FORMFIELD_RADIOBUTTON):
        is_ticked = raw.FPDFAnnot_IsChecked(form, note)
        is_choice = kind == raw.FPDF_FORMFIELD_RADIOBUTTON
        chosen = _string(raw.FPDFAnnot_GetFormFieldExportValue, form, note) if is_choice else ""
        return (chosen or TICKED) if is_ticked else ""
    if kind == raw.FPDF_FORMFIELD_SIGNATURE:
        is_signed = raw.FPDFAnnot_GetValueType(note, b"V") == raw.FPDF_OBJECT_DICTIONARY
        return SIGNED if is_signed else ""
    if kind == raw.FPDF_FORMFIELD_PUSHBUTTON:
        return ""
    chosen = ", ".join(_chosen(form, note))
    return " ".join((chosen or _string(raw.FPDFAnnot_GetFormFieldValue, form, note)).split())


def _chosen(form: Any, note: Any) -> Iterator[str]:
    from pypdfium2 import raw

    for index in range(min(raw.FPDFAnnot_GetOptionCount(form, note), MOST)):
        if raw.FPDFAnnot_IsOptionSelected(form, note, index):
            yield _string(raw.FPDFAnnot_GetOptionLabel, form, note, index)


def _field_name(form: Any, note: Any) -> str:
    from pypdfium2 import raw

    label = _string(raw.FPDFAnnot_GetFormFieldAlternateName, form, note).strip()
    return label or _string(raw.FPDFAnnot_GetFormFieldName, form, note).rpartition(".")[2]


def _string(ask: Callable[..., int], *of: Any) -> str:
    """Return a string that pdfium writes into a buffer, in UTF-16."""
    from pypdfium2 import raw

    size = ask(*of, None, 0)
    buffer = ctypes.create_string_buffer(size)
    ask(*of, ctypes.cast(buffer, ctypes.POINTER(raw.FPDF_WCHAR)), size)
    return buffer.raw[:size].decode("utf-16-le", "replace").rstrip("\0")

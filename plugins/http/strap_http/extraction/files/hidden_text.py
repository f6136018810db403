"""Text that documents hide from readers: taken out of what is read, and counted."""

import re
from typing import Any

_OFF = ("0", "false", "off", "none")
"""Values of a switch that turn it off (ECMA-376, part 1, 17.17.4; transitional: part 4)."""
_FIELDS = ("fldChar", "instrText", "commentReference")
"""Parts of a run without text of their own: a field spans runs that are hidden and others."""
_LONGEST_CHAIN = 32
"""Styles based on one another that are looked at: they may be based on each other in a circle."""
_STYLE = "{urn:oasis:names:tc:opendocument:xmlns:style:1.0}"
_TEXT = "{urn:oasis:names:tc:opendocument:xmlns:text:1.0}"
_SPACES = {f"{_TEXT}{name}" for name in ("p", "h", "tab", "line-break", "s")}
_RTF_HIDES = re.compile(rb"\\(?:v|deleted)(?:[1-9]\d{0,5})?(?![a-z\d-])")
_RTF_TOKEN = re.compile(
    rb"\\bin(?P<size>\d{1,9}) ?|\\(?P<word>[a-z]{1,32})(?P<number>-?\d{1,10})? ?"
    rb"|\\'(?P<code>[\da-fA-F]{2})|\\(?P<sign>.)|(?P<brace>[{}])|(?P<text>[^\\{}]+)",
    re.IGNORECASE | re.DOTALL,
)
_RTF_APART = frozenset(
    (b"fonttbl", b"colortbl", b"stylesheet", b"info", b"pict", b"fldinst", b"listtext")
)
"""Destinations whose text is none of the document."""
_RTF_SIGNS = frozenset(
    (
        *(b"u", b"tab", b"line", b"emdash", b"endash", b"bullet", b"lquote", b"rquote"),
        *(b"ldblquote", b"rdblquote", b"emspace", b"enspace", b"qmspace"),
    )
)
"""Words that stand for a character."""


class WordHiding:
    """Hidden runs of a Word document, hidden directly or by `styles` (17.3.2.41, 17.7.3)."""

    def __init__(self, styles: Any) -> None:
        self.words = 0
        self._own: dict[str, tuple[bool | None, str]] = {}
        self._plain = ""
        self._always = False
        if styles is None:
            return
        self._always = bool(_switch(styles.find("{*}docDefaults/{*}rPrDefault/{*}rPr")))
        for style in styles.iterchildren("{*}style"):
            name = _attribute(style, "styleId")
            based_on = _attribute(style.find("{*}basedOn"), "val")
            self._own[name] = (_switch(style.find("{*}rPr")), based_on)
            is_plain = _attribute(style, "default") not in ("", *_OFF)
            if is_plain and _attribute(style, "type") == "paragraph":
                self._plain = name

    def take_out(self, root: Any) -> bool:
        """Take the hidden runs out of a part, but the marks of fields; return whether any was."""
        from lxml import etree  # type: ignore[import-untyped]

        pieces: list[str] = []
        is_changed = False
        walk = etree.iterwalk(root, events=("start",), tag="{*}r")
        for _, run in walk:
            if not self._hides(run):
                pieces.append(" ")
                continue
            walk.skip_subtree()
            pieces += (text.text or "" for text in run.iter("{*}t"))
            for child in [node for node in run if _local(node) not in (*_FIELDS, "rPr")]:
                run.remove(child)
                is_changed = True
        self.words += len("".join(pieces).split())
        return is_changed

    def _hides(self, run: Any) -> bool:
        properties = run.find("{*}rPr")
        itself = _switch(properties)
        if itself is not None:
            return itself
        if not self._own:
            return False
        paragraph = next(run.iterancestors("{*}p"), None)
        named = paragraph.find("{*}pPr/{*}pStyle") if paragraph is not None else None
        around = self._by_style(_attribute(named, "val") or self._plain)
        own = properties.find("{*}rStyle") if properties is not None else None
        # What hides in both shows the text again.
        return self._always or around != self._by_style(_attribute(own, "val"))

    def _by_style(self, name: str) -> bool:
        for _ in range(_LONGEST_CHAIN):
            switch, name = self._own.get(name, (False, ""))
            if switch is not None:
                return switch
        return False


def _switch(properties: Any) -> bool | None:
    """Whether properties of a run hide it; None if they leave that to its styles."""
    vanish = properties.find("{*}vanish") if properties is not None else None
    return None if vanish is None else _attribute(vanish, "val").lower() not in _OFF


def _attribute(element: Any, name: str) -> str:
    items = element.items() if element is not None else ()
    return next((str(value) for key, value in items if key.rpartition("}")[2] == name), "")


def _local(element: Any) -> str:
    return str(element.tag).rpartition("}")[2]


def take_out_shapes(slide: Any) -> int:
    """Take the hidden shapes out of a slide of PowerPoint; return how many those were."""
    shapes = []
    for properties in slide.iter("{*}cNvPr"):
        shape = properties.getparent().getparent()
        if properties.get("hidden") in ("1", "true") and _local(shape) != "spTree":
            shapes.append(shape)
    for shape in shapes:
        shape.getparent().remove(shape)
    return len(shapes)


def without_opendocument(root: Any, styles: Any) -> int:
    """Take the hidden text out of an OpenDocument text; return how many words that was."""
    from lxml import etree

    names = set[str]()
    for known in filter(lambda tree: tree is not None, (styles, root)):
        for properties in known.iter(f"{_STYLE}text-properties"):
            if properties.get(f"{_TEXT}display") == "none":
                names.add(str(properties.getparent().get(f"{_STYLE}name")))
    pieces: list[str] = []
    hidden = []
    walk = etree.iterwalk(root, events=("start",), tag=f"{_TEXT}*")
    for _, element in walk:
        if _is_hidden(element, names):
            walk.skip_subtree()
            hidden.append(element)
            pieces += (" ", _joined(element))
    for element in hidden:
        if element.tail:  # stays, behind nothing
            before = element.makeelement(f"{_TEXT}span")
            before.tail, element.tail = element.tail, None
            element.addprevious(before)
        element.getparent().remove(element)
    return len("".join(pieces).split())


def _is_hidden(element: Any, names: set[str]) -> bool:
    """Whether it is a hidden field, section or paragraph, or its style hides it (7.7, 20.404)."""
    kind = element.tag[len(_TEXT) :]
    if kind == "hidden-text":
        return str(element.get(f"{_TEXT}is-hidden")) != "false"
    if kind == "section":
        display = element.get(f"{_TEXT}display")
        by_condition = element.get(f"{_TEXT}is-hidden") == "true"
        return bool(display == "none" or (display == "condition" and by_condition))
    if kind in ("p", "h") and any(
        field.get(f"{_TEXT}is-hidden") == "true"
        for field in element.iter(f"{_TEXT}hidden-paragraph")
    ):
        return True
    return element.get(f"{_TEXT}style-name") in names


def _joined(element: Any) -> str:
    pieces: list[str] = []
    for node in element.iter():
        pieces += (" " if node.tag in _SPACES else "", node.text or "")
        pieces.append((node.tail or "") if node is not element else "")
    return "".join(pieces)


def without_rtf(content: bytes) -> tuple[bytes, int]:
    """Return RTF without text that is hidden or marked as deleted, and how many words that was."""
    if not _RTF_HIDES.search(content):
        return content, 0
    pieces: list[bytes] = []
    gone: list[bytes] = []
    state: dict[bytes, bool] = {}
    """Attributes that hide text now, and `apart` for a group outside the document's text."""
    around: list[dict[bytes, bool]] = []
    at, end = 0, len(content)
    while at < end and (token := _RTF_TOKEN.match(content, at)):
        at = token.end() + int(token["size"] or 0)
        word = (token["word"] or b"").lower()
        if token["brace"] == b"{":
            around.append(dict(state))
        elif token["brace"]:
            state = around.pop() if around else {}
        elif word in (b"v", b"deleted"):
            state[word] = token["number"] not in (b"0", b"-0")
        elif word == b"plain":
            state.pop(b"v", None)
        elif word in _RTF_APART or token["sign"] == b"*":
            state[b"apart"] = True
        hides = (state.get(b"v") or state.get(b"deleted")) and not state.get(b"apart")
        is_text = token["text"] or token["code"] or word in _RTF_SIGNS or token["size"]
        if hides and (is_text or (token["sign"] or b"*") != b"*"):
            gone.append(token["text"] or b"x" * bool(token["code"]))
        else:
            if gone and gone[-1] != b" ":
                gone.append(b" " * bool(is_text))
            pieces.append(content[token.start() : at])
    return b"".join((*pieces, content[at:])), len(b"".join(gone).split())

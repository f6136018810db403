"""Word, Excel and PowerPoint: comments, headers, names of sheets, readings (ECMA-376, part 1)."""

import re
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any

from strap.text import counted
from strap_http.extraction.files.chunks import chunks
from strap_http.extraction.files.comments_and_notes import REACH, Asides, Comment
from strap_http.extraction.files.hidden_text import WordHiding, take_out_shapes
from strap_http.extraction.files.parts import Parts
from strap_http.extraction.files.sheet_links import links

_WORD = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_ID = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id"
_STAND_IN = "tc="
"""How the author of a comment begins that stands in for a thread, in versions that know none."""
_BLANKS = dict.fromkeys(("p", "tab", "ptab", "br", "cr"), " ") | {"noBreakHyphen": "-"}
"""Text for elements that have none of their own; paragraphs get it at both ends."""
_APART = ("Fallback", "comment", "cm", "reply", "threadedComment")
"""Elements to skip inside others: content for old versions, and other comments."""
# The first `hidden` of a tag decides: to try the others would take the square of their number.
_HIDDEN_ROW = re.compile(rb"<(?:\w+:)?row\b(?>[^<>]*?\bhidden=.(?:1|true)\b)[^<>]*+(?<!/)>")
_HIDDEN_COLUMNS = re.compile(rb"<(?:\w+:)?col\b(?>[^<>]*?\bhidden=.(?:1|true)\b)[^<>]*+>")
_BOUND = re.compile(rb"\b(?:min|max)=.(\d{1,5})\b")
_HIDES = re.compile(rb"\b(?:show=.(?:0|false)|hidden=.(?:1|true))\b")
"""A hidden slide, or a hidden shape."""
_LAST_COLUMN = 16_384
"""Columns to there have no cells."""
MOST_SHEETS = 1_000
"""Sheets and slides that are looked at."""


def asides(parts: Parts) -> Asides | None:
    """Return what stands beside the text, writing readings into it; None for another kind."""
    main = next(iter(parts.related("", "/officeDocument")), "")
    source = parts.raw(main)
    root = parts.parsed(source)
    if root is None:
        return None
    kinds: dict[str, Callable[[Parts, str, Any], Asides]] = {
        "document": _word,
        "workbook": _excel,
        "presentation": _powerpoint,
    }
    kind = kinds.get(root.tag.rpartition("}")[2])
    return kind(parts, main, root) if kind is not None else None


def _word(parts: Parts, main: str, root: Any) -> Asides:
    beside = Asides()
    hiding = WordHiding(next(map(parts.xml, parts.related(main, "/styles")), None))
    if _readable(root, hiding):
        parts.change(main, root)
    for name in (*parts.related(main, "/footnotes"), *parts.related(main, "/endnotes")):
        notes = parts.xml(name)
        if notes is not None and _readable(notes, hiding):
            parts.change(name, notes)
    beside.chunks += chunks(parts, main)
    beside.add(_remarks(parts, main, root))
    targets = {
        **parts.relations(main, "/header"),
        **parts.relations(main, "/footer"),
    }
    for name in dict.fromkeys(filter(None, map(targets.get, _shown_margins(parts, main, root)))):
        margin = parts.xml(name)
        if margin is None:
            continue
        hiding.take_out(margin)
        if line := _text_of(margin):
            beside.margins[line] = None
    beside.hidden += [counted(hiding.words, "word")] if hiding.words else []
    return beside


def _readable(root: Any, hiding: WordHiding) -> bool:
    """Write a part anew for the reader of its text; return whether anything was changed."""
    changes = [_with_readings(root), _with_hyphens(root), _with_rows(root), hiding.take_out(root)]
    return any(changes)


def _with_hyphens(root: Any) -> bool:
    """Put a hyphen where `<w:noBreakHyphen/>` stands, which is not read else (17.3.3.18)."""
    signs = list(root.iter("{*}noBreakHyphen"))
    for sign in signs:
        sign.tag, sign.text = f"{sign.tag.rpartition('}')[0]}}}t", "-"
    return bool(signs)


def _with_rows(root: Any) -> bool:
    """Take rows of tables out of content controls and the like, where they are not read."""
    wrappers = list(root.iter("{*}sdt", "{*}customXml"))  # outer ones first
    wrappers = [wrapper for wrapper in wrappers if next(wrapper.iter("{*}tr"), None) is not None]
    for wrapper in wrappers:
        around = wrapper.getparent()
        if around is not None and around.tag.endswith("}tbl"):
            content = wrapper.find("{*}sdtContent")
            for child in list(wrapper if content is None else content):
                wrapper.addprevious(child)
            around.remove(wrapper)
    return bool(wrappers)


def _with_readings(root: Any) -> bool:
    """Put each reading behind what it reads: `<w:ruby>` is not read else (17.3.3.25)."""
    from lxml import etree  # type: ignore[import-untyped]

    rubies, walk = [], etree.iterwalk(root, events=("start",), tag="{*}ruby")
    for _, ruby in walk:
        rubies.append(ruby)
        walk.skip_subtree()  # one within it is read with it
    for ruby in rubies:
        base, reading = (
            _text_of(*ruby.iterchildren(f"{{*}}{name}")) for name in ("rubyBase", "rt")
        )
        text = ruby.makeelement(f"{_WORD}t")
        text.text = f"{base}({reading})" if reading else base
        ruby.getparent().replace(ruby, text)
    return bool(rubies)


def _remarks(parts: Parts, main: str, root: Any) -> Iterator[Comment]:
    names = parts.related(main, "/comments")
    spoken_of = _commented(root) if names else {}
    for name in names:
        for comment in _all(parts.xml(name), "comment"):
            about = spoken_of.get(_own(comment, "id"), "")
            yield Comment(text=_text_of(comment), author=_own(comment, "author"), about=about)


def _commented(root: Any) -> dict[str, str]:
    """The beginning of the text that each comment is about, by its number; ranges may overlap."""
    pieces: list[str] = []
    begun: dict[str, int] = {}
    ranges: dict[str, tuple[int, int]] = {}
    at = 0
    for name, element in _walked(root, "commentRangeStart", "commentRangeEnd"):
        if name == "commentRangeStart":
            begun[_own(element, "id")] = at
        elif name == "commentRangeEnd":
            number = _own(element, "id")
            ranges[number] = (begun.get(number, at), at)
        else:
            pieces.append(_piece(name, element))
            at += len(pieces[-1])
    text = "".join(pieces)
    return {n: text[start : min(end, start + REACH)] for n, (start, end) in ranges.items()}


def _shown_margins(parts: Parts, main: str, root: Any) -> Iterator[str]:
    """The relations of headers and footers that some page has: first pages, even ones, others."""
    settings = next(iter(parts.related(main, "/settings")), "")
    has_even = next(_all(parts.xml(settings), "evenAndOddHeaders"), None) is not None
    for section in _all(root, "sectPr"):
        has_first = next(section.iterchildren("{*}titlePg"), None) is not None
        for reference in section.iterchildren("{*}headerReference", "{*}footerReference"):
            kind = _own(reference, "type")
            if (kind != "first" or has_first) and (kind != "even" or has_even):
                yield str(reference.get(_ID))


def _excel(parts: Parts, main: str, root: Any) -> Asides:
    notes = Asides(kind="workbook")
    targets = parts.relations(main, "sheet")  # of charts, too
    people = {
        str(person.get("id")): str(person.get("displayName"))
        for name in parts.related(main, "/person")
        for person in _all(parts.xml(name), "person")
    }
    sheets = {"visible": dict[str, str](), "hidden": dict[str, str]()}
    for sheet in islice(_all(root, "sheet"), MOST_SHEETS):
        known = sheets["visible" if sheet.get("state", "visible") == "visible" else "hidden"]
        known[str(sheet.get("name"))] = targets.get(str(sheet.get(_ID)), "")
    notes.sheets += sheets["visible"]
    notes.hidden += [f"sheet {name!r}" for name in sheets["hidden"]]
    for name, part in sheets["visible"].items():
        notes.add(_notes(parts, part, name))
        notes.add(_threads(parts, part, name, people))
    for name, part in sheets["visible"].items():  # last: they are long
        source = parts.raw(part)
        notes.links += links(parts, part, source, name)
        hides = filter(None, _hides(source))
        notes.hidden += [
            f"of {name!r} {hidden_part}" for hidden_part in (" and ".join(hides),) if hidden_part
        ]
    return notes


def _hides(sheet: bytes) -> Iterator[str]:
    rows = len(_HIDDEN_ROW.findall(sheet))
    ends = (list(map(int, _BOUND.findall(column))) for column in _HIDDEN_COLUMNS.findall(sheet))
    columns = sum(max(end) - min(end) + 1 for end in ends if end and max(end) < _LAST_COLUMN)
    yield counted(rows, "row") if rows else ""
    yield counted(columns, "column") if columns else ""


def _notes(parts: Parts, sheet: str, name: str) -> Iterator[Comment]:
    for part in parts.related(sheet, "/comments"):
        root = parts.xml(part)
        authors = enumerate(_all(root, "author"))
        by_number = {str(number): (author.text or "")[:REACH] for number, author in authors}
        for comment in _all(root, "comment"):
            author = by_number.get(comment.get("authorId"), "")
            if not author.startswith(_STAND_IN):
                text = _text_of(comment).removeprefix(f"{author}:")
                yield Comment(text=text, author=author, place=f"{name}!{comment.get('ref')}")


def _threads(parts: Parts, sheet: str, name: str, people: dict[str, str]) -> Iterator[Comment]:
    for part in parts.related(sheet, "/threadedComment"):
        for comment in _all(parts.xml(part), "threadedComment"):
            author = people.get(str(comment.get("personId")), "")
            text = _text_of(comment)
            yield Comment(text=text, author=author, place=f"{name}!{comment.get('ref')}")


def _powerpoint(parts: Parts, main: str, root: Any) -> Asides:
    notes = Asides(kind="presentation")
    people = {
        str(person.get("id")): str(person.get("name"))
        for name in (*parts.related(main, "/commentAuthors"), *parts.related(main, "/authors"))
        for person in (*_all(parts.xml(name), "cmAuthor"), *_all(parts.xml(name), "author"))
    }
    slides = parts.relations(main, "/slide")
    listed = list(islice(_all(root, "sldId"), MOST_SHEETS))
    names = [slides.get(str(slide.get(_ID)), "") for slide in listed]
    hidden = {at for at, name in enumerate(names) if _is_hidden_slide(parts, name, notes)}
    if len(hidden) < len(listed):  # else there is nothing else to show
        for at in sorted(hidden):
            listed[at].getparent().remove(listed[at])
            notes.hidden.append(f"slide {at + 1}")
        if hidden:
            parts.change(main, root)
    for number, slide in enumerate(listed, 1):
        if number - 1 in hidden:
            continue
        for name in parts.related(slides.get(str(slide.get(_ID)), ""), "/comments"):
            comments = _all(parts.xml(name), "cm", "reply")
            notes.add(
                Comment(
                    text=_text_of(comment),
                    author=people.get(str(comment.get("authorId")), ""),
                    place=f"Slide {number}",
                )
                for comment in comments
            )
    return notes


def _is_hidden_slide(parts: Parts, name: str, notes: Asides) -> bool:
    """Whether a slide is hidden; of one that is shown the hidden shapes are taken out."""
    source = parts.raw(name)
    root = parts.parsed(source) if _HIDES.search(source) else None
    if root is None:
        return False
    if root.get("show") in ("0", "false"):
        return True
    if shapes := take_out_shapes(root):
        parts.change(name, root)
        notes.hidden.append(counted(shapes, "shape"))
    return False


def _all(root: Any, *names: str) -> Iterator[Any]:
    """The elements of these names, in any of the namespaces that the formats have had."""
    return iter(()) if root is None else root.iter(*(f"{{*}}{name}" for name in names))


def _own(element: Any, name: str) -> str:
    return next((str(v) for k, v in element.items() if k.rpartition("}")[2] == name), "")


def _text_of(*elements: Any) -> str:
    pieces = (_piece(*step) for element in elements for step in _walked(element))
    return " ".join("".join(pieces).split())


def _walked(root: Any, *names: str) -> Iterator[tuple[str, Any]]:
    """Yield the elements with its text, and those of `names`, each once at any depth."""
    from lxml import etree

    tags = [f"{{*}}{name}" for name in ("t", "text", *_BLANKS, *_APART, *names)]
    walk = etree.iterwalk(root, events=("start", "end"), tag=tags)
    for event, element in walk:
        name = element.tag.rpartition("}")[2]
        if name in _APART and element is not root:
            if event == "start":
                walk.skip_subtree()
        elif event == "start" or name == "p":
            yield name, element


def _piece(name: str, element: Any) -> str:
    return _BLANKS.get(name) or element.text or ""

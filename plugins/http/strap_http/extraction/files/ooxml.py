"""Word, Excel and PowerPoint: comments, headers, names of sheets, readings (ECMA-376, part 1)."""

from collections.abc import Callable, Iterator
from typing import Any

from strap_http.extraction.files.asides import LONGEST, Asides, Comment
from strap_http.extraction.files.parts import Parts

_WORD = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_ID = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id"
_ABOUT, _MOST_OPEN = 200, 50
"""Characters of the words that a comment is about, and comments that are about the same ones."""
_STAND_IN = "tc="
"""How the author of a comment begins that stands in for a thread, in versions that know none."""


def asides(parts: Parts) -> Asides | None:
    """Return what the document says beside its text; None if it is of another kind.

    Readings of Chinese characters are put into its text.
    """
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
    found = Asides()
    if _with_readings(root):
        parts.change(main, root)
    spoken_of = _commented(root)
    for name in parts.related(main, "/comments"):
        for comment in _all(parts.xml(name), "comment"):
            author = _own(comment, "author")
            about = spoken_of.get(_own(comment, "id"), "")
            found.comments.append(Comment(text=_said(comment), author=author, about=about))
    targets = {
        **parts.relations(main, "/header"),
        **parts.relations(main, "/footer"),
    }
    for name in dict.fromkeys(filter(None, map(targets.get, _shown_margins(parts, main, root)))):
        margin = parts.xml(name)
        if margin is not None and (line := _said(margin)):
            found.margins[line] = None
    return found


def _with_readings(root: Any) -> bool:
    """Put each reading behind what it reads: `<w:ruby>` is not read else (17.3.3.25)."""
    runs = {ruby.getparent() for ruby in _all(root, "ruby")}
    for run in runs:
        for ruby in list(_all(run, "ruby")):
            base, reading = (_said(*_all(ruby, name)) for name in ("rubyBase", "rt"))
            text = run.makeelement(f"{_WORD}t")
            text.text = f"{base}({reading})" if reading else base
            run.replace(ruby, text)
    return bool(runs)


def _commented(root: Any) -> dict[str, str]:
    """The words that comments are about, by the numbers of these."""
    found: dict[str, str] = {}
    begun: set[str] = set()
    for element in root.iter("{*}commentRangeStart", "{*}commentRangeEnd", "{*}t"):
        name, number = element.tag.rpartition("}")[2], _own(element, "id")
        if name == "t":
            for open_ in begun:
                if len(found.get(open_, "")) < _ABOUT:
                    found[open_] = found.get(open_, "") + (element.text or "")[:_ABOUT]
        elif name.endswith("End"):
            begun.discard(number)
        elif len(begun) < _MOST_OPEN:
            begun.add(number)
    return found


def _shown_margins(parts: Parts, main: str, root: Any) -> Iterator[str]:
    """The relations of headers and footers that some page has: first pages, even ones, others."""
    settings = next(iter(parts.related(main, "/settings")), "")
    has_even = _has(parts.xml(settings), "evenAndOddHeaders")
    for section in _all(root, "sectPr"):
        has_first = _has(section, "titlePg")
        for each in section.iter("{*}headerReference", "{*}footerReference"):
            kind = _own(each, "type")
            if (kind != "first" or has_first) and (kind != "even" or has_even):
                yield str(each.get(_ID))


def _excel(parts: Parts, main: str, root: Any) -> Asides:
    found = Asides()
    targets = parts.relations(main, "sheet")  # of charts, too
    people = {
        str(person.get("id")): str(person.get("displayName"))
        for name in parts.related(main, "/person")
        for person in _all(parts.xml(name), "person")
    }
    for sheet in _all(root, "sheet"):
        if sheet.get("state", "visible") == "visible":
            found.sheets.append(name := str(sheet.get("name")))
            part = targets.get(str(sheet.get(_ID)), "")
            found.comments += _notes(parts, part, name)
            found.comments += _threads(parts, part, name, people)
    return found


def _notes(parts: Parts, sheet: str, name: str) -> Iterator[Comment]:
    for part in parts.related(sheet, "/comments"):
        root = parts.xml(part)
        authors = [author.text or "" for author in _all(root, "author")]
        for comment in _all(root, "comment"):
            number = comment.get("authorId", "")
            author = dict(enumerate(authors)).get(int(number) if number.isdecimal() else -1, "")
            if not author.startswith(_STAND_IN):
                text = _said(*_all(comment, "text")).removeprefix(f"{author}:")
                yield Comment(text=text, author=author, place=f"{name}!{comment.get('ref')}")


def _threads(parts: Parts, sheet: str, name: str, people: dict[str, str]) -> Iterator[Comment]:
    for part in parts.related(sheet, "/threadedComment"):
        for comment in _all(parts.xml(part), "threadedComment"):
            author = people.get(str(comment.get("personId")), "")
            text = _said(comment)
            yield Comment(text=text, author=author, place=f"{name}!{comment.get('ref')}")


def _powerpoint(parts: Parts, main: str, root: Any) -> Asides:
    found = Asides()
    people = {
        str(person.get("id")): str(person.get("name"))
        for name in (*parts.related(main, "/commentAuthors"), *parts.related(main, "/authors"))
        for person in (*_all(parts.xml(name), "cmAuthor"), *_all(parts.xml(name), "author"))
    }
    slides = parts.relations(main, "/slide")
    for number, slide in enumerate(_all(root, "sldId"), 1):
        for name in parts.related(slides.get(str(slide.get(_ID)), ""), "/comments"):
            comments = parts.xml(name)
            for comment in comments.iter("{*}cm", "{*}reply") if comments is not None else ():
                author = people.get(str(comment.get("authorId")), "")
                text = _said(*comment.iterchildren("{*}text", "{*}txBody"))
                found.comments.append(Comment(text=text, author=author, place=f"Slide {number}"))
    return found


def _all(root: Any, name: str) -> Iterator[Any]:
    """The elements of that name, in any of the namespaces that the formats have had."""
    return iter(()) if root is None else root.iter(f"{{*}}{name}")


def _has(root: Any, name: str) -> bool:
    return next(_all(root, name), None) is not None


def _own(element: Any, name: str) -> str:
    """A property of a Word element: they have a namespace there."""
    return next((str(v) for k, v in element.items() if k.rpartition("}")[2] == name), "")


def _said(*elements: Any) -> str:
    """The text of paragraphs, one after the other; what is there twice for old versions is not."""
    lines, left = list[str](), LONGEST
    for element in elements:
        for paragraph in _outermost(element):
            pieces = paragraph.iter("{*}t", "{*}text")
            line = "".join(each.text or "" for each in pieces if not _is_old(each))[:left]
            left -= len(line)
            lines.append(" ".join(line.split()))
            if not left:
                break
    return " ".join(filter(None, lines))


def _outermost(element: Any) -> Iterator[Any]:
    """The paragraphs that are in no other one; without any, the element itself."""
    found = False
    for paragraph in _all(element, "p"):
        found = True
        if next(paragraph.iterancestors("{*}p"), None) is None:
            yield paragraph
    if not found:
        yield element


def _is_old(element: Any) -> bool:
    return next(element.iterancestors("{*}Fallback"), None) is not None

"""The main part of a page, cut out of the page itself so that its structure stays."""

import re
from collections.abc import Iterable, Sequence
from itertools import islice

from lxml import etree, html  # type: ignore[import-untyped]
from lxml.html import HtmlElement  # type: ignore[import-untyped]

from strap import record
from strap.html_tree import base_of, parse, shallow
from strap_http.extraction.extractor_choice import SAME, LinkedTexts, judge, pick
from strap_http.extraction.facts.linked_data import answers, article_body, linked_items
from strap_http.extraction.facts.metadata import description_of
from strap_http.extraction.facts.missing_parts import missing_parts
from strap_http.extraction.hidden import drop_hidden, show_hidden, show_words
from strap_http.extraction.inside import CONTROLS
from strap_http.extraction.pruning import prune
from strap_http.extraction.repeated_blocks import open_cards, open_tables
from strap_http.extraction.shingles import Shingles, words
from strap_http.extraction.text_blocks import TextBlock, collect, word_count

_DEEP = 200
_TELLING = ('"articleBody"', "FAQPage")
"""Marks of JSON-LD that has text of the page."""
_GONE = ("script", "style", "iframe", "object", "video", "audio", "canvas", "rt", "rp")
"""Elements that hold no text, and the reading aids of ruby."""
_CONTROLS = ("button", "select", "textarea", "input", "datalist")
_MARKED = ("button", "select", "textarea", "iframe", "object", "video", "audio")
_AROUND = ("nav", "aside", "footer", "menu")
_ROLES = etree.XPath('.//*[@role="navigation" or @role="search" or @role="complementary"]')
_MAIN = etree.XPath('.//main | .//article | .//*[@role="main"]')
_ANCHORS = etree.XPath('.//a[starts-with(@href, "#") or contains(@class, "anchor")]')
_ADDRESSES = etree.XPath('.//input[@type="email"]')
_FIELDS = 20  # that are looked at: each has its way up the page
_BESIDE = 400
"""Characters that stand beside one at most: what one gets, what is done with the address."""
_LETTERS = re.compile(
    r"newsletter|mailing|inbox|sign.?up|subscri|suscr|abonn|iscri[vz]|inscri|prenumer|подпис",
    re.IGNORECASE,
)
"""Words of newsletter offers."""
_NUMBER = re.compile(r"\d{3}")
"""As of a telephone, a house or a price: what has one tells more than that."""
_NAMED = etree.XPath(
    "descendant-or-self::*/@*[name() = 'action' or name() = 'class' or name() = 'id'"
    " or name() = 'name' or name() = 'placeholder' or name() = 'value']"
)
_EMPTY = "empty"  # what elements are called with nothing in them, until all are taken out
_BREAKS = frozenset(("br", "hr", _EMPTY))
_KEPT = "tick"
"""Temporary tag of check boxes to keep while the other controls are removed."""
_TICK = "input"
"""Tag of the only controls that stay: check boxes of list items."""
_KEPT_EMPTY = frozenset(("br", "td", "th", "img", _TICK))


@record
class MainPart:
    """A main part as HTML, with the text `main` it was cut by, and its `share` of the words."""

    html: str
    base: str
    main: Shingles | None = None
    around: int = 0
    share: float
    runs: Sequence[TextBlock] = ()
    missing: str = ""
    """The parts within it that are left out, counted by kind."""

    def plain(self) -> str:
        """The lines of `main` that the page shows: what it hides was found, too."""
        if self.main is None:
            return ""
        shown = Shingles("\n".join(" ".join(run.words) for run in self.runs))
        lines = self.main.text.splitlines()
        return "\n".join(line for line in lines if shown.share(words(line)) >= SAME)


def of_article(page: str, url: str, title: str) -> MainPart | None:
    """The main part by what libraries take for it; None if there is none."""
    root, page = shallow(page)
    body = None if root is None else root.find("body")
    if body is None:
        return None
    base = base_of(root, url)
    linked = _linked_data(root, page)
    described = Shingles(description_of(root))
    if (careful := judge(root)) is None:
        return None
    ticks = _open(body)
    runs, depth = collect(body)
    main = pick(page, careful, runs, linked, deep=depth > _DEEP)
    if main is None:
        return None
    pruned = prune(runs, main, words(title), described, base)
    if pruned is None:
        return None
    forms = _small_forms(body)
    missing = missing_parts(runs, forms)
    for form in forms:
        _remove(form)
    _close(body, ticks)
    share = pruned.left / max(word_count(runs), 1)
    return MainPart(
        html=_source(body),
        base=base,
        main=main.careful,
        around=pruned.around,
        share=share,
        runs=runs,
        missing=missing,
    )


def _open(body: HtmlElement) -> list[HtmlElement]:
    """Make the body one of texts; returns its check boxes, which stay for now."""
    open_tables(body)
    open_cards(body)
    _drop_signups(body)
    show_words(body)
    for control in body.iter(*_MARKED):
        control.getparent().set(CONTROLS, "")
    _strip(body, *_GONE)
    ticks = _strip_controls(body)
    drop_hidden(body)
    return ticks


def _close(body: HtmlElement, ticks: Sequence[HtmlElement]) -> None:
    """Remove what stands for nothing without the texts that are gone."""
    _drop_marks(body)
    _drop_numbers(body)
    _drop_ticks(ticks)
    _drop_empty(body)
    show_hidden(body)
    body.tag = "div"  # the converter leaves out headers of a body: some have the whole page in them


def of_book(page: str, url: str, title: str) -> MainPart | None:
    """The main part of a page with too much text to weigh it: what its tags say."""
    root = parse(page)
    body = None if root is None else root.find("body")
    if body is None:
        return None
    base = base_of(root, url)
    _strip(body, *_GONE, *_CONTROLS)
    total = len(body.text_content())
    part = max(_MAIN(body), key=lambda element: len(element.text_content()), default=body)
    if len(part.text_content()) < total / 2:
        part = body
    _strip(part, *_AROUND, *(("header",) if part is body else ()))
    for element in _ROLES(part):
        _remove(element)
    left = len(part.text_content())
    if left <= total / 2:
        return None
    return MainPart(html=_source(part), base=base, share=left / total)


def _linked_data(root: HtmlElement, page: str) -> LinkedTexts:
    if not any(name in page for name in _TELLING):
        return LinkedTexts()
    items, _ = linked_items(root)
    return LinkedTexts(body=article_body(items), answers=tuple(answers(items)))


def _source(element: HtmlElement) -> str:
    return str(html.tostring(element, encoding="unicode", with_tail=False))


def _strip(body: HtmlElement, *tags: str) -> None:
    etree.strip_elements(body, etree.Comment, etree.ProcessingInstruction, *tags, with_tail=False)


def _drop_signups(body: HtmlElement) -> None:
    """Remove fields for an e-mail address with the newsletter offer beside them."""
    boxes = set[HtmlElement]()
    for field in islice(_ADDRESSES(body), _FIELDS):
        if boxes.isdisjoint(field.iterancestors()):
            box = _box(field)
            boxes.add(box)
            if _LETTERS.search(" ".join((box.text_content(), *_NAMED(box)))):
                _remove(box)


def _strip_controls(body: HtmlElement) -> list[HtmlElement]:
    """Remove controls; returns the check boxes before list items, which stay."""
    labelled = {label.get("for") for label in body.iter("label")}
    boxes = [
        box
        for box in body.iter("input")
        if (box.get("type") or "").lower() == "checkbox" and box.get("id") not in labelled - {None}
    ]
    ticks = [box for box in boxes if next(box.iterancestors("li"), None) is not None]
    for tick in ticks:
        tick.tag = _KEPT
    _strip(body, *_CONTROLS)
    for tick in ticks:
        tick.tag = _TICK
    return ticks


def _drop_ticks(ticks: Iterable[HtmlElement]) -> None:
    items = [next(tick.iterancestors("li"), None) for tick in ticks]
    hollow = {item: item is None or _is_hollow(item) for item in set(items)}  # each asked once
    for tick, item in zip(ticks, items, strict=True):
        if hollow[item]:
            _remove(tick)


def _box(field: HtmlElement) -> HtmlElement:
    """The field, or the largest element around it that says little."""
    box = field
    for around in field.iterancestors():
        text = around.text_content()
        if len(text) > _BESIDE or _NUMBER.search(text) or around.find(".//h1") is not None:
            break
        box = around
    return box


def _small_forms(body: HtmlElement) -> list[HtmlElement]:
    half = len(body.text_content()) / 2
    return [form for form in body.iter("form") if len(form.text_content()) < half]


def _drop_marks(body: HtmlElement) -> None:
    """Remove the signs that a heading or an entry can be linked to by, as in `#` and `¶`."""
    for element in _ANCHORS(body):
        if not words(element.text_content()) and element.find(".//img") is None:
            _remove(element)


def _drop_numbers(body: HtmlElement) -> None:
    """Remove the numbers of the lines of code that stand before them, each in its line."""
    for code in body.iter("pre"):
        numbers = [element for element in code.iter() if _is_number(element)]
        lines = [number.getparent() for number in numbers]
        around = {line.getparent() for line in lines}
        texts = [number.text.strip() for number in numbers]
        if len(set(lines)) == len(lines) > 1 == len(around) and texts == _counted(len(texts)):
            for number in numbers:
                _remove(number)


def _is_number(element: HtmlElement) -> bool:
    if len(element) or not (element.text or "").strip().isdecimal():
        return False
    return element.getprevious() is None and _is_blank(element.getparent().text)


def _counted(count: int) -> list[str]:
    return [str(number) for number in range(1, count + 1)]


def _remove(element: HtmlElement) -> None:
    if element.getparent() is not None:
        element.drop_tree()


def _drop_empty(body: HtmlElement) -> None:
    """Remove empty elements, empty rows and trailing rules; white space stays."""
    below = False
    for element in reversed(list(body.iterdescendants())):
        tag = element.tag
        if tag == "tr" and _is_hollow(element):
            _remove(element)
            continue
        is_rule = tag == "hr"
        if is_rule:
            needless = not below and _is_blank(element.tail)
        else:
            needless = tag not in _KEPT_EMPTY and _is_empty(element)
        if needless:
            element.tag = _EMPTY
            below = below or not _is_blank(element.tail)
        else:
            below = not is_rule and (below or not _is_bare(element))
    etree.strip_tags(body, _EMPTY)


def _is_empty(element: HtmlElement) -> bool:
    return _is_blank(element.text) and all(
        child.tag in _BREAKS and _is_blank(child.tail) for child in element
    )


def _is_hollow(row: HtmlElement) -> bool:
    return all(map(_is_blank, row.itertext())) and row.find(".//img") is None


def _is_bare(element: HtmlElement) -> bool:
    """Whether nothing stands directly in it or behind it, and it is no picture."""
    return element.tag != "img" and _is_blank(element.text) and _is_blank(element.tail)


def _is_blank(text: str | None) -> bool:
    return not text or text.isspace()

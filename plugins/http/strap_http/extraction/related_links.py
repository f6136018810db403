"""Links to related texts, and repeated headlines within a text."""

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Sequence
from itertools import takewhile
from unicodedata import combining, normalize
from urllib.parse import unquote, urlsplit

from lxml.html import HtmlElement  # type: ignore[import-untyped]

from strap.html_tree import joined
from strap_http.extraction.text_blocks import (
    TextBlock,
    rank_of,
    upwards,
    word_count,
)

_MOST = 0.2
"""Share of kept words of related links: more are what the page is about."""
_LINKED = 0.5
"""Share of words in links from which a box among the paragraphs of a text leads elsewhere."""
_BOXES = frozenset(("article", "aside", "div", "nav", "section"))
_PARAGRAPHS = 3
"""Paragraphs right in one element that others stand among."""
_PROSAIC = 0.5
"""Share of the kept words that are in such paragraphs if the text is one to be read on."""
_TITLE = 4
"""Words that a title has at least, and more than stand before its link ("Read also:")."""
_FILE = re.compile(
    r"\.(?!(?:amp|aspx?|cfm|cgi|cms|do|ece|html?|jspx?|php\d?|[psx]html?|stm)$)[a-z]\w{1,4}$"
)
"""The end of the path of a file, rather than of a page."""
_SHARED = 2
"""Words of a title, each of `_LETTERS`, in a part of its address; one is chance."""
_LETTERS = 4
_PICTURES = ("img", "picture")
_WORD = re.compile(r"[^\W_]+")
_DOWNLOADS = frozenset(("dl", "download", "downloads"))
_SOURCES = frozenset(
    ("bron", "fonte", "fuente", "kilde", "quelle", "quellen", "source", "sources", "via")
)


def leave_beside(runs: Sequence[TextBlock], base: str) -> None:
    """Drop links to related texts, and repetitions of the headline."""
    main = [run for run in runs if run.is_main and run.image is None]
    total = word_count(main)
    if word_count(run for run in main if run.is_prose) >= _PROSAIC * total:
        further = {run for run in main if not _is_linked_heading(run) and _refers(run, base)}
        _leave_few({*further, *_boxed(main, base)}, total)
    _leave_repeated(main)


def leads_on(image: HtmlElement) -> bool:
    """Whether a picture is a link to another page, rather than to a file: itself in full size."""
    link = next(image.iterancestors("a"), None)
    if link is None:
        return False
    return not _is_file((link.get("href") or "").partition("?")[0])


def _leave_few(runs: Collection[TextBlock], total: int) -> None:
    if word_count(runs) <= _MOST * total:
        for run in runs:
            run.is_main = False


def _leave_repeated(main: Sequence[TextBlock]) -> None:
    """Keep of equal headings of the first rank, and of lines with their words, the first alone."""
    first = next((run for run in main if run.unit is not None and run.unit.tag == "h1"), None)
    if first is None or len(first.words) < _TITLE:
        return
    for run in main:
        if run is not first and run.words == first.words and (run.is_heading or run.unit is None):
            run.is_main = False


def _is_linked_heading(run: TextBlock) -> bool:
    return run.is_heading and run.linked == len(run.words)


def _refers(run: TextBlock, base: str) -> bool:
    """Whether a paragraph is a link to another text of the site, named by its title."""
    before = len(run.words) - run.linked
    is_title = run.linked >= _TITLE and len(run.text.split()) >= _TITLE
    says_so = ":" in run.text or run.beside.lstrip().startswith("[")  # as "[NEWS]"
    announced = before < _TITLE and says_so and _SOURCES.isdisjoint(run.words[:before])
    is_free = run.unit is None or (run.is_heading and rank_of(run) > 1)
    if not is_free or not is_title or not (before == 0 or announced):
        return False
    return all(_is_title(run, link, base) for link in run.links)


def _boxed(main: Sequence[TextBlock], base: str) -> list[TextBlock]:
    """Return blocks in boxes among the paragraphs that lead to other pages of the site."""
    paragraphs = [run for run in main if run.is_prose and run.block.tag == "p"]
    sizes: Counter[HtmlElement] = Counter()
    for run in paragraphs:
        sizes[run.block.getparent()] += len(run.words)
    place = max(sizes, key=sizes.__getitem__, default=None)
    own = [run for run in paragraphs if run.block.getparent() is place]
    if len(own) < _PARAGRAPHS:
        return []
    boxes: defaultdict[HtmlElement, list[TextBlock]] = defaultdict(list)
    for run in main[main.index(own[0]) : main.index(own[-1])]:
        path = list(takewhile(lambda element: element is not place, upwards(run.block)))
        if path[-1:] and path[-1].tag in _BOXES and path[-1].getparent() is place:
            boxes[path[-1]].append(run)
    return [run for some in boxes.values() if _lead_on(some, base) for run in some]


def _lead_on(runs: Sequence[TextBlock], base: str) -> bool:
    """Whether they are links to further texts for the most part, and more than "Edit"."""
    linked = sum(run.linked for run in runs)
    is_leading = linked >= max(_TITLE, _LINKED * word_count(runs))
    return is_leading and all(_leads_within(run, base) for run in runs)


def _is_title(run: TextBlock, link: HtmlElement, base: str) -> bool:
    """Whether a link is a card, or its text shares words with the path of its address."""
    parts = _parts_within(link, base)
    title = {word for word in map(_plain, run.words) if len(word) >= _LETTERS}
    has_picture = any(link.find(f".//{tag}") is not None for tag in _PICTURES)
    is_card = has_picture and any(element is link for element in upwards(run.block))
    return bool(parts) and (is_card or any(len(title & part) >= _SHARED for part in parts))


def _leads_within(run: TextBlock, base: str) -> bool:
    return all(_parts_within(link, base) for link in run.links)


def _parts_within(link: HtmlElement, base: str) -> list[set[str]]:
    """The words in the path of another page of the site; nothing for files and other sites."""
    try:
        target, own = urlsplit(joined(base, link.get("href") or "")), urlsplit(base)
        host, own_host = target.hostname or "", own.hostname or ""
    except ValueError:
        return []
    if host.removeprefix("www.") != own_host.removeprefix("www.") or target.path == own.path:
        return []
    parts = [set(_WORD.findall(part)) for part in _plain(unquote(target.path)).split("/")]
    is_got = link.get("download") is not None or any(part & _DOWNLOADS for part in parts)
    return [] if is_got or _is_file(target.path) else parts


def _plain(text: str) -> str:
    return "".join(letter for letter in normalize("NFKD", text.lower()) if not combining(letter))


def _is_file(path: str) -> bool:
    return _FILE.search(path.lower()) is not None

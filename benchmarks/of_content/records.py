"""Rows out of foreign pages, without rules, next to the lists that the pages declare for machines.

Of the labelled public pages those are taken that WCXB calls listings and collections, and that
declare at least five things in JSON-LD (`ItemList`) or microdata which a reader sees as well. What
is declared is taken out of the page before it is read for rows.
"""

import json
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from statistics import mean
from typing import Any
from urllib.parse import urljoin

from lxml import html as lxml_html

from benchmarks.bench import Table
from benchmarks.of_content import public
from benchmarks.of_content.public import Labelled
from benchmarks.peers import Absent
from strap.rows.extraction import extract

KINDS = ("listing", "collection")
FEWEST, SEEN = 5, 0.9
"""Declared things, and the share of them that a reader sees."""
PARTS = frozenset(
    (
        *("AggregateRating", "Answer", "Brand", "BreadcrumbList", "Comment", "ListItem", "Offer"),
        *("Organization", "Person", "Question", "Rating", "SiteNavigationElement", "WPSideBar"),
    )
)
"""Types of microdata that are parts of things, or of the page."""
_MARKS = re.compile(r"""\s(?:itemprop|itemscope|itemtype)(?:=(?:"[^"]*"|'[^']*'))?""")
_NAMED = 8
"""Characters of a name that is looked for within a value, too."""
Thing = tuple[str, str]
"""Name and address; either may be empty."""


def tables() -> list[Table]:
    """The table of pages that declare a list."""
    try:
        pages = [page for half in ("read", "unread") for page in public.pages("web", half)]
    except Absent as error:
        return [Table(title="Rows", columns=["absent"], rows=[[str(error)]])]
    table = Table(
        title="Declared lists, without rules", columns=["page", "declared", "rows", "right", "F1"]
    )
    marks = []
    for page in pages:
        if page.kind in KINDS and (declared := _declared(page)):
            rows = _rows(page)
            count = right(rows, declared)
            marks.append(2 * count / ((len(rows) + len(declared)) or 1))
            counts = (len(declared), len(rows), count)
            table.rows.append([page.url[:60], *map(str, counts), f"{marks[-1]:.2f}"])
    table.rows.append([f"mean of {len(marks)}", "", "", "", f"{mean(marks):.3f}"])
    return [table]


def unmarked(page: str) -> str:
    """The page without microdata."""
    return _MARKS.sub("", page)


def _rows(page: Labelled) -> list[dict[str, str]]:
    content = unmarked(page.html).encode("utf-8", "replace")
    found = extract(content, url=page.url, selector="", rules="", schema="")
    return [json.loads(line) for line in found.text.split("\n") if line]


def right(rows: Iterable[Mapping[str, str]], wanted: Iterable[Thing]) -> int:
    """How many rows are one of the things, each of which counts once."""
    left = list(wanted)
    count = 0
    for row in rows:
        thing = next((each for each in left if _is(row, each)), None)
        if thing is not None:
            left.remove(thing)
            count += 1
    return count


def rule(line: str) -> tuple[str, str, str]:
    """Field, selector and attribute of a rule such as `url: a@href`."""
    name, _, where = line.partition(": ")
    css, _, attribute = where.partition("@")
    return name, css, attribute


def _is(row: Mapping[str, str], thing: Thing) -> bool:
    name, url = thing
    values = [plain(value) for value in row.values()]
    if name and any(name == value or (len(name) > _NAMED and name in value) for value in values):
        return True
    addresses = (_bare(each) for value in row.values() for each in str(value).split(", "))
    return bool(url) and _bare(url) in addresses


def _declared(page: Labelled) -> list[Thing]:
    """The longest list that the page declares; none where a reader sees another one."""
    root = lxml_html.fromstring(page.html.encode("utf-8", "replace"))
    lists = [list(dict.fromkeys(some)) for some in (*_by_json(root, page), *_by_marks(root, page))]
    for element in root.xpath("//script|//style|//template|//noscript"):
        element.drop_tree()
    text = plain(root.text_content())
    links = {urljoin(page.url, href) for href in root.xpath("//a/@href")}
    return max((some for some in lists if _is_seen(some, text, links)), key=len, default=[])


def _is_seen(things: list[Thing], text: str, links: set[str]) -> bool:
    seen = sum(bool(name and name in text) or url in links for name, url in things)
    return seen >= FEWEST and seen >= SEEN * len(things)


def _by_json(root: Any, page: Labelled) -> Iterator[Iterator[Thing]]:
    for text in root.xpath("//script[@type='application/ld+json']/text()"):
        try:
            told = json.loads(text)
        except ValueError:
            continue
        for each in _objects(told):
            listed = each.get("itemListElement") if "ItemList" in str(each.get("@type")) else None
            if isinstance(listed, list):
                yield (_thing(item, page) for item in listed if isinstance(item, dict))


def _objects(value: Any) -> Iterator[dict[str, Any]]:
    if isinstance(value, dict):
        yield value
    for each in value.values() if isinstance(value, dict) else value:
        if isinstance(each, dict | list):
            yield from _objects(each)


def _thing(listed: dict[str, Any], page: Labelled) -> Thing:
    item = listed.get("item", listed)
    item = {"url": item} if isinstance(item, str) else item
    name = item.get("name") or listed.get("name") or ""
    url = item.get("url") or item.get("@id") or ""
    return plain(name), urljoin(page.url, url) if url else ""


def _by_marks(root: Any, page: Labelled) -> Iterator[list[Thing]]:
    found: dict[str, list[Thing]] = defaultdict(list)
    for element in root.xpath("//*[@itemscope][@itemtype]"):
        kind = element.get("itemtype").rpartition("/")[2]
        if kind not in PARTS:
            found[kind].append(_marked(element, page))
    yield from found.values()


def _marked(element: Any, page: Labelled) -> Thing:
    name = url = ""
    for part in element.xpath(".//*[@itemprop]"):
        if part.xpath("ancestor::*[@itemscope][1]")[0] is not element:
            continue
        said = part.get("itemprop").split()
        if not name and {"name", "headline"} & set(said):
            name = plain(part.get("content") or part.text_content())
        if not url and "url" in said:
            url = urljoin(page.url, part.get("href") or part.get("content") or "")
    return name, url


def plain(text: Any) -> str:
    return " ".join(str(text).split()).casefold()


def _bare(url: str) -> str:
    return url.partition("#")[0].partition("?")[0].rstrip("/")

"""Reading result pages with the XPaths of ddgs, in the engine's order and with exact URLs."""

import re
from typing import Any, Protocol

from ddgs.base import BaseSearchEngine
from lxml.etree import LxmlError  # type: ignore[import-untyped]

from strap_search import failures
from strap_search.engine import Hit

_NOTHING = re.compile(r"\bno\s+(more\s+)?results\b|\bdid not match any\b", re.IGNORECASE)


class Rules(Protocol):
    """Rules that one engine adds to the XPaths of ddgs."""

    @property
    def name(self) -> str:
        """Name of the engine in messages."""
        ...

    @property
    def bot_check(self) -> str:
        """XPath of what only a bot check has."""
        ...

    def keep(self, item: Any, url: str) -> str | None:
        """Return the exact URL of a result, None for an advertisement."""
        ...

    def date(self, item: Any) -> str:
        """Return the date of a result, an empty string where the page gives none."""
        ...


def parse(layout: BaseSearchEngine[Any], name: str, text: str) -> Any:
    """Return the tree of a page; raises `ActionError` if there is none."""
    try:
        return layout.extract_tree(layout.pre_process_html(text))
    except (LxmlError, ValueError):
        raise failures.unreadable(name, "an empty or broken page") from None


def read(layout: BaseSearchEngine[Any], rules: Rules, tree: Any) -> tuple[Hit, ...]:
    """Return the results on a page; raises `ActionError` for a bot check or an unknown form."""
    items = tree.xpath(layout.items_xpath)
    if not items:
        _explain(rules, tree)
    return tuple(hit for item in items if (hit := _hit(layout, rules, item)))


def _hit(layout: BaseSearchEngine[Any], rules: Rules, item: Any) -> Hit | None:
    paths = layout.elements_xpath
    # A result without a snippet has no link there, only in its title.
    links = item.xpath(paths["href"]) or item.xpath(".//h2//a/@href")
    url = rules.keep(item, str(links[0])) if links else None
    if url is None:
        return None
    title, snippet = ("".join(item.xpath(paths[part])) for part in ("title", "body"))
    return Hit(title=title, url=url, snippet=snippet, date=rules.date(item))


def _explain(rules: Rules, tree: Any) -> None:
    if tree.xpath(rules.bot_check):
        raise failures.blocked(rules.name, "a challenge page")
    if not _NOTHING.search("".join(tree.itertext())):
        raise failures.unreadable(rules.name, "a page without results, for an unknown reason")

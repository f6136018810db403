"""All actions in the order of the tool definition; `docs/generate.py` writes `actions.json`."""

from collections.abc import Callable
from typing import Any

from strap_http.crawl import crawl
from strap_http.extract import extract
from strap_http.fetch import fetch
from strap_http.map import map_

ACTIONS: tuple[Callable[..., Any], ...] = (fetch, map_, crawl, extract)

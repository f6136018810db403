"""All actions, in the order in which the tool definition names them.

`actions.json` repeats what they declare, and is what the plugin reads: `python docs/generate.py`.
"""

from collections.abc import Callable
from typing import Any

from strap_http.crawl import crawl
from strap_http.extract import extract
from strap_http.fetch import fetch
from strap_http.map import map_

ACTIONS: tuple[Callable[..., Any], ...] = (fetch, map_, crawl, extract)

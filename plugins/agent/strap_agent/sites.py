"""The sites that a run with a login may open, and what it met beyond them."""

import re
from collections.abc import Iterable

from strap import PolicyDenied, with_scheme
from strap.network.sites import is_site_of, site_of

EVERYWHERE = "*"
"""Value of `urls` for no confinement."""
MOST = 10
"""Sites that are warned about: an answer has room for 20 warnings."""
_HOST = re.compile(
    r"(?<![\w@.:/-])(?:https?://)?"
    r"(?:localhost|\[[0-9a-f:.]+\]|(?:[^\W_](?:[\w-]*[^\W_])?\.)+[^\W_][\w-]*)(?::\d{1,5})?",
    re.IGNORECASE,
)


def hosts_in(task: str) -> list[str]:
    """Return addresses of the hosts that a task names."""
    return [*map(with_scheme, _HOST.findall(task))]


class Sites:
    """The sites of a run: those of its `url`, of hosts that its task names, and of `urls`."""

    def __init__(self, url: str, task: str, urls: Iterable[str]) -> None:
        named = [url, *hosts_in(task)]
        further = [other for other in urls if other != EVERYWHERE]
        self._free = EVERYWHERE in urls
        self._named = {*filter(None, map(site_of, named))}
        self._further = {*filter(None, map(site_of, map(with_scheme, further)))}
        self._visited: dict[str, None] = {}
        self._refused: dict[str, None] = {}

    def check(self, url: str) -> None:
        """Take note of a document's address; raises `PolicyDenied` for another site."""
        site = site_of(url)
        if site is None or is_site_of(site, self._named):
            return
        if self._free or is_site_of(site, self._further):
            self._visited[site[1]] = None
            return
        self._refused[site[1]] = None
        raise PolicyDenied(
            f"The run may have a login, so it stays on the sites of its url and task; {site[1]} is"
            " another.",
            hint="Do without it, or stop and name that site.",
            code="other_site",
        )

    def warnings(self) -> list[str]:
        """Return a line for each other site that the run came to, or was kept from."""
        skipped = [
            f"The run was kept from {name}: it may have a login, and neither url nor task names"
            " that site. To allow it, give its address in urls."
            for name in self._refused
        ]
        return [*(f"The run visited another site: {name}." for name in self._visited), *skipped][
            :MOST
        ]

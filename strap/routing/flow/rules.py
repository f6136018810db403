"""Rules of the operator for flows: the pairs and sites of the setting `flows`."""

from collections.abc import Iterable

from strap.errors import StartupError
from strap.network import with_scheme
from strap.network.sites import Site, is_site_of, site_of
from strap.records import record

ARROW = "->"
ANY = "*"
EVERYWHERE: Site = ("", "any site")
"""Any site that a page or a script may reach."""


@record
class Rules:
    """Sites that may exchange data, and pairs from one to another; None is every site."""

    named: tuple[Site, ...] = ()
    pairs: tuple[tuple[Site | None, Site | None], ...] = ()

    def allows(self, source: Site, target: Site, more: Iterable[Site] = ()) -> bool:
        """Whether data of `source` may go to `target`; `more` sites are named as well."""
        named = (*self.named, *more)
        if is_site_of(target, (source,)) or (_is_named(source, named) and _is_named(target, named)):
            return True
        return any(
            (left is None or _is_named(source, (left,)))
            and (right is None or is_site_of(target, (right,)))
            for left, right in self.pairs
        )


def read_rules(flows: Iterable[str], allow: Iterable[str] = ()) -> Rules:
    """Read the setting `flows`, and the hosts of `allow`; raises `StartupError`."""
    named: list[Site] = []
    pairs: list[tuple[Site | None, Site | None]] = []
    for text in flows:
        left, arrow, right = map(str.strip, text.partition(ARROW))
        if arrow:
            pairs.append((_read(left, text), _read(right, text)))
        elif (site := _read(left, text)) is not None:
            named.append(site)
    hosts = (pattern.partition("@")[2].removeprefix("*.") for pattern in allow)
    named += filter(
        None, (site_of(with_scheme(host)) for host in hosts if host and ANY not in host)
    )
    return Rules(named=tuple(named), pairs=tuple(pairs))


def _read(text: str, whole: str) -> Site | None:
    site = site_of(with_scheme(text)) if text and text != ANY else None
    if site is None and text != ANY:
        raise StartupError(
            f"{whole!r} in flows names no site.",
            hint="Write a site that may exchange data with the others named, as in 'shop.example', "
            "or a way, as in 'mail.example -> shop.example'.",
        )
    return site


def _is_named(site: Site, named: Iterable[Site]) -> bool:
    """Whether a site is named: by its domain, over TLS or not, as it holds the data itself."""
    return any(site[1] == other[1] for other in named)

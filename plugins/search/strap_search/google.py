"""`engine="google"`: the best way to Google's index that is set up, never a silent swap."""

from strap_search import failures
from strap_search.engines import Engine, Engines


def engine(engines: Engines) -> Engine:
    """Make the engine for one query: an API for which there is a key, then Startpage.

    Raises `ActionError` that lists the ways if none is set up.
    """
    way = engines.settings.google
    if way == "Serper":
        from strap_search.serper import Serper

        return Serper(engines)
    if way == "Startpage, keyless":
        from strap_search.startpage import Startpage

        return Startpage(engines)
    raise failures.no_way(
        "google",
        "STRAP_SEARCH__SERPER_KEY to a key of serper.dev, or STRAP_SEARCH__STARTPAGE=true for "
        "Google's index through Startpage, without a key",
    )

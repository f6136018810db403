"""`engine="google"`: the best way to Google's index that is set up, never a silent swap."""

from strap_search import failures
from strap_search.engine import Engine
from strap_search.settings import SearchSettings


class Google:
    """Chooses: an API for which there is a key, then Startpage."""

    @classmethod
    def resolve(cls, settings: SearchSettings) -> type[Engine]:
        """Return the first way that is set up; raises `ActionError` that lists them all."""
        if settings.serper_key is not None:
            from strap_search.engines.serper import Serper

            return Serper
        if settings.google_key is not None:
            from strap_search.engines.programmable import ProgrammableSearch

            return ProgrammableSearch
        if settings.startpage:
            from strap_search.engines.startpage import Startpage

            return Startpage
        raise failures.no_way(
            "google",
            "STRAP_SEARCH__SERPER_KEY to a key of serper.dev; or STRAP_SEARCH__GOOGLE_KEY and "
            "STRAP_SEARCH__GOOGLE_CX, for who has a key of Programmable Search (no new ones, ends "
            "2027-01-01); or STRAP_SEARCH__STARTPAGE=true for Google's index through Startpage, "
            "without a key",
        )

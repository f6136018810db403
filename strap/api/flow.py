"""Questions of a call to the information-flow guard (`Context.flow`)."""

from collections.abc import Callable, Collection, Mapping
from typing import Any, Protocol


class Flow(Protocol):
    """Guard of a call: where the model's data may go, by what its session has read (`flow`)."""

    @property
    def is_on(self) -> bool:
        """Whether the guard follows what is read and sent."""

    @property
    def concerned(self) -> bool:
        """Whether the session was shown private data, so that what is sent is decided on."""

    @property
    def strict(self) -> bool:
        """Whether only ways that are allowed are open."""

    async def by_fields(self) -> None:
        """Decide on the addresses that the call itself names; raises `PolicyDenied`."""

    async def send(self, *urls: str, more: Mapping[str, str] | None = None) -> bool:
        """Decide whether the fields of the call may go to these addresses; raises `PolicyDenied`.

        The address `*` is any; one without a host, as of a blank page, is none.
        `more` is what the model gives beside them, such as the content of files. Returns whether
        there is anything to send, and private data was read.
        """

    async def go(self, url: str) -> None:
        """Decide on an address that the model gives; raises `PolicyDenied`."""

    async def give(self, urls: Collection[str], parts: Mapping[str, str]) -> bool:
        """Decide whether pages at these addresses may have what the model made; as `send`."""

    async def script(self, pages: Collection[str], named: Collection[str]) -> None:
        """Decide on a script of the model's in private pages, which names these addresses.

        Raises `PolicyDenied`.
        """

    def is_private(self, url: str) -> bool:
        """Whether private data of the site was shown, or would be."""

    async def choose(self, bits: float, *urls: str) -> None:
        """Count what a choice tells these sites; raises `PolicyDenied` where that is too much."""

    async def requested(
        self,
        url: str,
        body: str = "",
        *,
        opaque: bool = False,
        passive: bool = False,
        scripted: bool = False,
    ) -> None:
        """Decide on what a page asks for after the model has put something into it.

        `opaque`: what is in it cannot be told. `passive`: it is a picture or the like, and no
        person is asked about it. `scripted`: a script of the model's may have made it from what
        the page shows. Raises `PolicyDenied`.
        """

    def check_led(self, url: str) -> None:
        """Raise `PolicyDenied` for an address that a server leads to, and data would go along."""

    def read(self, *urls: str, private: bool = False) -> None:
        """Label what the answer shows with the sites of these addresses."""

    def shown(self, sites: Mapping[str, bool], text: str) -> None:
        """Keep what was shown of these addresses meanwhile, each private or not."""

    def lead(self, named: Collection[str], heard: Callable[[Mapping[str, Any]], None]) -> None:
        """Decide on for an agent, after the call as well; `heard` is told each decision.

        Addresses that the caller `named` may exchange data if it has read nothing before.
        """

    def credential(self, url: str) -> None:
        """Note that a site got credentials of the user's: what it shows from now on is private."""

    def write(self, *urls: str) -> None:
        """Note that these sites hold what the model made: they may show it as their own."""

    def learn(self, text: str) -> dict[str, str]:
        """Keep what the answer shows; returns its labels by site."""

"""Tables of a Firefox's pages, frames and realms.

The DevTools protocol has numbers for worlds, WebDriver BiDi has names.
"""

from collections.abc import Iterator
from dataclasses import field
from itertools import count
from typing import Any
from urllib.parse import urlsplit

from strap import record

ERROR_PAGES = ("about:neterror", "about:certerror", "about:httpsonlyerror")
DEFAULT = "default"
"""The user context of the profile itself."""


@record(frozen=False)
class BrowsingContext:
    """A page, or a frame of one."""

    id: str
    parent: str | None
    user_context: str
    opener: str | None = None
    window: str = ""
    """The window that it is in (`browser.ClientWindow`)."""
    url: str = ""
    loader: str = ""
    """Id of its document, which no other one has."""
    request: str = ""
    """Id of the last request for a document in it."""
    pending: tuple[str, str] = "", ""
    """Id and address of the navigation that is on its way."""
    answered: str = ""
    """Id of the last navigation whose server answered with a document."""
    children: dict[str, None] = field(default_factory=dict)

    @property
    def is_unreachable(self) -> bool:
        """Whether Firefox shows a page of its own in the place of one that did not come."""
        return self.url.startswith(ERROR_PAGES)

    def as_frame(self) -> dict[str, Any]:
        """Return it as `Page.Frame`."""
        frame = {
            "id": self.id,
            "url": self.url,
            "loaderId": self.loader,
            "securityOrigin": origin_of(self.url),
        }
        if self.is_unreachable:
            frame["unreachableUrl"] = self.url
        return frame | ({"parentId": self.parent} if self.parent else {})

    def as_target(self) -> dict[str, Any]:
        """Return a page as `Target.TargetInfo`."""
        target = {"targetId": self.id, "type": "page", "url": self.url}
        target["browserContextId"] = self.user_context
        return target | ({"openerId": self.opener} if self.opener else {})


def origin_of(url: str) -> str:
    """Return the origin of an address of the web, "" of others."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}" if parts.netloc else ""


class BrowsingContexts:
    """All pages and frames, by their ids."""

    def __init__(self) -> None:
        self._known: dict[str, BrowsingContext] = {}

    def __getitem__(self, context: str) -> BrowsingContext:
        return self._known[context]

    def get(self, context: str | None) -> BrowsingContext | None:
        """Return the page or frame of this id."""
        return self._known.get(context or "")

    def add(self, info: dict[str, Any]) -> BrowsingContext:
        """Take a new one (`browsingContext.Info`)."""
        new = BrowsingContext(
            id=info["context"],
            parent=info["parent"],
            user_context=info.get("userContext", DEFAULT),
            opener=info.get("originalOpener"),
            window=info.get("clientWindow") or "",
            url=info["url"],
            loader=f"{info['context']}.0",
        )
        self._known[new.id] = new
        if parent := self.get(new.parent):
            parent.children[new.id] = None
        return new

    def remove(self, context: str) -> BrowsingContext | None:
        """Forget one, and what is in it."""
        gone = self._known.pop(context, None)
        if gone is None:
            return None
        for child in list(gone.children):
            self.remove(child)
        if parent := self.get(gone.parent):
            parent.children.pop(context, None)
        return gone

    def page(self, context: str) -> str:
        """Return the page that a frame is in; a page is in itself."""
        while (known := self.get(context)) and known.parent:
            context = known.parent
        return context

    def pages(self) -> list[BrowsingContext]:
        """Return the pages, in the order in which they came."""
        return [context for context in self._known.values() if context.parent is None]

    def within(self, context: str) -> Iterator[str]:
        """Yield a page or frame, and all that are in it."""
        yield context
        for child in list(self._known[context].children):
            yield from self.within(child)


@record
class World:
    """A realm of a document."""

    number: int
    realm: str
    context: str
    sandbox: str
    origin: str

    def as_context(self) -> dict[str, Any]:
        """Return it as `Runtime.ExecutionContextDescription`."""
        kind = "isolated" if self.sandbox else "default"
        about = {"isDefault": not self.sandbox, "type": kind, "frameId": self.context}
        return {
            "id": self.number,
            "origin": "" if self.origin == "null" else self.origin,
            "name": self.sandbox,
            "uniqueId": self.realm,
            "auxData": about,
        }


class Worlds:
    """The realms of documents, by their ids and by numbers."""

    def __init__(self) -> None:
        self._known: dict[str, World] = {}
        self._numbers = count(1)

    def add(self, realm_info: dict[str, Any]) -> World:
        """Take a new one (`script.WindowRealmInfo`)."""
        world = World(
            number=next(self._numbers),
            realm=realm_info["realm"],
            context=realm_info["context"],
            sandbox=realm_info.get("sandbox", ""),
            origin=realm_info["origin"],
        )
        self._known[world.realm] = world
        return world

    def remove(self, realm: str) -> World | None:
        """Forget one."""
        return self._known.pop(realm, None)

    def of(self, context: str) -> list[World]:
        """Return those of a page or frame."""
        return [world for world in self._known.values() if world.context == context]

    def get(self, number: int) -> str:
        """Return the realm with this number, "" if there is none."""
        return next((world.realm for world in self._known.values() if world.number == number), "")

    def number(self, realm: str) -> int:
        """Return the number of a realm, 0 of one that is gone."""
        known = self._known.get(realm)
        return known.number if known else 0

    def context(self, realm: str) -> str:
        """Return the page or frame that a realm is in, "" of one that is gone."""
        known = self._known.get(realm)
        return known.context if known else ""

    def main(self, context: str) -> str:
        """Return the realm of the page's own scripts."""
        return next((world.realm for world in self.of(context) if not world.sandbox), "")

"""Somebody who calls the browser."""

from dataclasses import dataclass
from typing import Any

from strap import Result, StrapError, testing
from tests.site.server import Site
from tests.support.waiting import eventually


@dataclass
class Caller:
    """Short ways to the actions of the browser; `site` is what `open` opens pages of."""

    web: testing.Web
    site: Site | str = ""
    profile: str | None = None

    async def __call__(self, action: str, **fields: Any) -> str:
        """Return the text of the answer."""
        return (await self.result(action, **fields)).text

    async def result(self, action: str, **fields: Any) -> Result:
        """Return the whole answer."""
        return await self.web(**self._arguments(action, fields))

    async def fails(self, action: str, **fields: Any) -> StrapError:
        """Return the error."""
        return await self.web.fails(**self._arguments(action, fields))

    async def open(self, path: str) -> str:
        """Go to a page of the site."""
        return await self("navigate", url=f"{self.site}/{path.removeprefix('/')}")

    async def until(self, text: str) -> str:
        """Return the snapshot, once it shows `text`."""

        async def shown() -> str:
            snapshot = await self("snapshot")
            return snapshot if text in snapshot else ""

        return await eventually(shown)

    async def run(self, script: str) -> Any:
        """Return what a script comes to in the page."""
        return (await self.result("evaluate", text=script)).data["result"]

    def _arguments(self, action: str, fields: dict[str, Any]) -> dict[str, Any]:
        profile = {} if self.profile is None else {"profile": self.profile}
        return {"resource": "browser", "action": action, **profile, **fields}

"""Pages that tell what they see of the browser."""

import json

import pytest

from tests.site.server import Reply
from tests.support.caller import Caller

TOLD = "onmessage = () => postMessage([navigator.language, navigator.userAgent, zone()])"
ZONE = "const zone = () => Intl.DateTimeFormat().resolvedOptions().timeZone;"


@pytest.fixture
def site(serve_site):
    """`/` shows the header fields of its request as JSON, `/set` sets a cookie."""
    return serve_site(
        {
            "/": lambda request: (
                f"<title>Home</title><pre>{json.dumps(dict(request.headers))}</pre>"
            ),
            "/set": Reply(
                headers={"Set-Cookie": "who=me; Max-Age=9999"}, body="<title>Set</title>"
            ),
            "/worker.js": Reply(headers={"Content-Type": "text/javascript"}, body=ZONE + TOLD),
        }
    )


class ProfileCaller(Caller):
    """A caller who works in one profile."""

    async def headers(self, url):
        """The header fields with which the page is asked for."""
        await self("navigate", url=url)
        return json.loads(await self.run("document.querySelector('pre').textContent"))


@pytest.fixture
def caller():
    return lambda web, profile="nebo": ProfileCaller(web, profile=profile)

"""Pages that tell what they see of the browser."""

import json

import pytest

from tests.site.server import Reply

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


class Caller:
    """Calls the resource `browser` in one profile."""

    def __init__(self, web, profile="nebo"):
        self.web, self.profile = web, profile

    async def __call__(self, action, **fields):
        return await self.web(resource="browser", action=action, profile=self.profile, **fields)

    async def run(self, script):
        return (await self("evaluate", text=script)).data["result"]

    async def headers(self, url):
        """The header fields with which the page is asked for."""
        await self("navigate", url=url)
        return json.loads(await self.run("document.querySelector('pre').textContent"))


@pytest.fixture
def caller():
    return Caller

"""Pages that tell what they see of the browser."""

import json

import pytest

from tests.site.server import Reply
from tests.support.caller import Caller

TOLD = "onmessage = () => postMessage([navigator.language, navigator.userAgent, zone()])"
ZONE = "const zone = () => Intl.DateTimeFormat().resolvedOptions().timeZone;"
PAGE = """<!doctype html><title>Page</title><h1>Page</h1><input aria-label=Name>
<button onclick="this.textContent='Pressed'; console.error('boom')">Press</button>
<a href="/second" target=_blank>New window</a> <a href="/a.txt">Get</a>
<button onclick="document.title = confirm('Sure?')">Ask</button>
<button onclick="fetch('/more').then(() => this.textContent = 'Fetched')">Fetch</button>
<select aria-label=To><option>Peru<option>Chile</select><input type=file>
<div id=drag draggable=true>Drag</div><div id=drop>Drop</div>
<script>drag.ondragstart = (e) => e.dataTransfer.setData("text/plain", "it");
drop.ondragover = (e) => e.preventDefault();
drop.ondrop = (e) => drop.textContent = `Got ${e.dataTransfer.getData("text/plain")}`;</script>
<iframe src="OTHER/framed" title=Other></iframe>"""
FRAMED = """<!doctype html><button onclick="this.textContent='Hit'">In the frame</button>
<input aria-label=City>"""
FILE = Reply(headers={"Content-Disposition": 'attachment; filename="a.txt"'}, body="x" * 50)
LOCKED = Reply(status=401, headers={"WWW-Authenticate": 'Basic realm="x"'}, body="For members")


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


@pytest.fixture
def shop(serve_site):
    """Site with all that engines handle: events, frames of other sites, windows, files, dialogs."""
    other = serve_site({"/framed": FRAMED})
    cross = str(other).replace("127.0.0.1", "localhost")
    return serve_site(
        {
            "/": PAGE.replace("OTHER", cross),
            "/second": "<title>Second</title><h1>Second</h1>",
            "/a.txt": FILE,
            "/more": "ok",
            "/locked": LOCKED,
            "/set": Reply(
                headers={"Set-Cookie": "who=me; Max-Age=9999"}, body="<title>Set</title>"
            ),
            "/old": Reply(status=302, headers={"Location": "/second"}),
            "/data.json": Reply(headers={"Content-Type": "application/json"}, body='{"a": 1}'),
        }
    )

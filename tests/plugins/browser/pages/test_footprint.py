"""Memory that busy pages take in strap: a little, however long they go on."""

import gc
from collections import Counter

import pytest

from tests.site.server import Reply

from .conftest import Page

pytestmark = pytest.mark.anyio
KEPT = 600
"""Requests kept of a page: 300 for its list, and 500 ids whose header fields may come later."""


@pytest.fixture
def chatty(shared, page, serve_site):
    asking = "Promise.all([...Array(600)].map((_, i) => fetch(`/part?${i}`).then((r) => r.text())))"
    logging = "for (let i = 0; i < 600; i++) console.log('row', i, { i }, document.body)"
    end = ".then(() => { document.body.append('Done'); })"
    site = serve_site(
        {
            "/asks": f"<title>Asks</title><p>Here</p><script>{asking}{end}</script>",
            "/logs": f"<title>Logs</title><p>Here</p><script>{logging}; 0</script>",
            "/part": Reply(body="part", headers={"Cache-Control": "no-store"}),
        }
    )
    return Page(page.web, site)


def kept():
    gc.collect()
    return Counter(
        type(each).__name__
        for each in gc.get_objects()
        if str(type(each).__module__).startswith("strap_browser.engine")
    )


@pytest.mark.soak
async def test_of_requests(chatty):
    for _ in range(2):
        await chatty.open("asks")
        await chatty("wait", text="Done", timeout=120)
    found = kept()
    assert 300 < found["Request"] < KEPT, found
    assert found["Response"] < KEPT, found
    last = (await chatty("network", text="part")).splitlines()[-1]
    told = await chatty("network", ref=last.split()[0])
    assert "Request headers:" in told
    assert told.endswith("Response body:\npart")


async def test_of_what_the_console_shows(chatty):
    for _ in range(2):
        await chatty.open("logs")
    assert "row 599" in await chatty("console", limit=1)
    found = kept()
    assert found["ConsoleMessage"] < KEPT, found

"""An answer that claims a page which was not there comes with a warning."""

import pytest

from tests.site.server import Reply, serve
from tests.support.model_server import act, done

pytestmark = pytest.mark.anyio
NOTHING = "No page was loaded in this run: the answer is not from one."
REWRITTEN = "<title>Thanks</title><script>history.replaceState(null, '', '/thanks')</script>"
FILE = {"Content-Type": "application/octet-stream", "Content-Disposition": "attachment"}


@pytest.fixture
def lab(quick_lab):
    return quick_lab


@pytest.fixture(scope="module")
def pages():
    routes = {
        "/": "<title>Home</title><h1>Home</h1>",
        "/empty": Reply(status=204),
        "/file": Reply(headers=FILE, body=b"0" * 64),
        "/out": Reply(status=302, headers={"Location": "file:///etc/passwd"}),
        "/broken": Reply(status=500, body=REWRITTEN),
    }
    with serve(routes) as served:
        yield served


@pytest.mark.parametrize("path", ["/empty", "/file", "/out"])
async def test_no_page_came(lab, pages, path):
    result = await lab.raw(done("bought"), url=f"{pages}{path}")
    assert NOTHING in result.data["warnings"]


async def test_an_error_that_gave_itself_another_address(lab, pages):
    answer = await lab.run(act("wait", seconds=0), done("thanked"), url=f"{pages}/broken")
    assert answer["page"]["url"] == f"{pages}/thanks"
    assert any(f"{pages}/broken answered with HTTP 500" in line for line in answer["warnings"])
    home = act("navigate", url=f"{pages}/")
    answer = await lab.run(home, done("home"), url=f"{pages}/broken")
    assert not [line for line in answer["warnings"] if "HTTP 500" in line]

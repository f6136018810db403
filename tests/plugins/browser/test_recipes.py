"""The recipes of the docs, each done as it is written, on a site and with a model of the tests."""

import csv
import json
import re
import shlex
from pathlib import Path

import pytest

from strap import testing
from strap.cli.call_words import to_arguments
from tests.site.server import Reply, serve
from tests.support.browser import ANY_BROWSER
from tests.support.model_server import done, scripted

from .runs.lab import KEY

pytestmark = pytest.mark.anyio
TEXT = (Path(__file__).parents[3] / "docs" / "recipes.md").read_text("utf-8")
TITLES = re.findall(r"^## (.*)$", TEXT, re.MULTILINE)
ITEMS = "".join(f"<tr><td>Rake {n}<td>{n} euros</tr>" for n in range(1, 13))


def attached(request):
    headers = {"Content-Type": "text/csv", "Content-Disposition": "attachment; filename=report.csv"}
    return Reply(headers=headers, body="item,sold\nrake,12\n")


def log_in(request):
    """Stands for the person: the page logs in by itself a moment later."""
    if "user=ada" in request.headers.get("cookie", ""):
        return Reply(body="<title>Shop</title><h1>Your account</h1>")
    script = (
        "setTimeout(() => {document.cookie = 'user=ada; max-age=9999'; location.reload()}, 300)"
    )
    return Reply(body=f"<title>Log in</title><script>{script}</script>")


def orders(request):
    known = "user=ada" in request.headers.get("cookie", "")
    return Reply(body=f"<title>{'2 orders are open' if known else 'Who are you?'}</title>")


def found(request):
    host = request.headers["host"]
    results = [
        {"title": f"Town {n}", "url": f"http://{host}/town/{n}", "content": "Hours"}
        for n in range(4)
    ]
    return Reply(
        headers={"Content-Type": "application/json"},
        body=json.dumps({"results": results, "unresponsive_engines": []}),
    )


ROUTES = {
    "/": "<title>Orders</title><p id=p>None</p>"
    "<button onclick=\"p.textContent='Ordered';console.error('no stock');fetch('/gone')\">Order"
    "</button>",
    "/login": log_in,
    "/orders": orders,
    "/reports": "<title>Reports</title><a href=/report.csv>Download</a>",
    "/report.csv": attached,
    "/report.pdf": Reply(headers={"Content-Type": "application/pdf"}, body=b"%PDF-1.7"),
    "/api/items/7": Reply(
        headers={"Content-Type": "application/json"}, body='{"name": "Rake", "price": 12.5}'
    ),
    "/search": found,
    **{f"/town/{n}": f"<title>Town {n}</title><p>Opening hours: {n} to 9." for n in range(4)},
    "/prices": f"<title>Prices</title><table><tr><th>Name<th>Price</tr>{ITEMS}</table>",
}


@pytest.fixture(scope="module")
def site():
    with serve(ROUTES) as served:
        yield served


@pytest.fixture(scope="module")
async def web(tmp_path_factory, site):
    home = tmp_path_factory.mktemp("home")
    with scripted([done("Two.")]) as model:
        agent = {"model": "openai/scripted", "model_url": model.url, "model_key": KEY}
        tables = {
            "browser": {**ANY_BROWSER, **agent},
            "search": {"searxng_url": str(site)},
        }
        async with testing.router(home=home, network="local", plugins=tables) as opened:
            yield opened


@pytest.fixture
def follow(web, site):
    """Make the calls of a recipe, and return their results."""

    async def followed(title):
        text = TEXT.partition(f"## {title}\n")[2].partition("\n## ")[0]
        results = []
        for command in re.findall(r"^\$ strap call (.*)$", text, re.MULTILINE):
            here = re.sub(r"https://shop\.example|localhost:3000", str(site), command)
            words = [word for word in shlex.split(here) if word != "--json"]
            fields = to_arguments(words, web.router.catalog)
            own = {"engine": "searxng"} if fields["resource"] == "search" else {}
            results.append(await web(**fields, **own))
        assert results
        return results

    return followed


async def test_log_in_once(follow, site):
    *_, closed, answer = await follow(TITLES[0])
    assert "shop" in closed.text
    assert json.loads(answer.text)["status"] == "success", answer.text
    asked = [each for each in site.requests if each.path == "/orders"]
    assert asked
    assert all("user=ada" in each.headers["cookie"] for each in asked)


async def test_download_a_report(follow):
    *_, listed, read, saved = await follow(TITLES[1])
    assert "d1 'report.csv'" in listed.text
    assert "rake" in read.text
    assert [path.name for path in saved.files] == ["report.pdf"]


async def test_watch_a_price(follow):
    [answer] = await follow(TITLES[2])
    assert answer.text.splitlines()[-1] == "12.5"


async def test_a_web_app(follow):
    *_, snapshot, click, console, network = await follow(TITLES[3])
    assert 'button "Order"' in snapshot.text
    assert "Ordered" in click.text
    assert "no stock" in console.text
    assert "/gone" in network.text


async def test_research(follow):
    [answer] = await follow(TITLES[4])
    assert all(f"Opening hours: {n} to 9." in answer.text for n in range(3)), answer.text


async def test_a_table(follow):
    for saved in [each for each in await follow(TITLES[5]) if each.files]:
        with saved.files[0].open() as file:
            rows = list(csv.DictReader(file))
        assert len(rows) == 12
        assert rows[2] == {"name": "Rake 3", "price": "3 euros"}


def test_each_recipe_is_done_here():
    assert len(TITLES) == 6

"""`http.crawl` where each page of a shop leads to further combinations of its filters."""

import pytest

from tests.plugins.http.test_crawl import crawled, page
from tests.site.server import Reply, serve

pytestmark = pytest.mark.anyio

COLOURS = [f"color-{name}" for name in ("red", "green", "blue", "grey", "black")]
SIZES = [f"size-{name}" for name in ("s", "m", "l", "xl")]
MAKERS = [f"maker-{name}" for name in ("holm", "lund", "berg", "dahl")]
THINGS = 40


@pytest.fixture
async def web(named_web):
    """A router that asks sites without pauses."""
    return await named_web("a", "b", crawl_interval=0)


class Below(dict):
    """Routes of all paths below one: `answer` has them."""

    def __init__(self, base, answer):
        super().__init__()
        self.base, self.answer = base, answer

    def get(self, path, default=None):
        return self.answer if path.startswith(self.base) else default


def thing(number):
    return f"Shirt {number} of {MAKERS[number % 4]}, {COLOURS[number % 5]}, {SIZES[number % 4]}"


def shop(base, *, ordered):
    """Lists by any filters of one colour, one size, one maker, in any order, and 40 shirts."""

    def answer(request):
        chosen = [part for part in request.path.removeprefix(base).split("/") if part]
        if chosen[:1] == ["shirt"]:
            number = int(chosen[1])
            more = f"Woven in the year {number}, of the {number}th bale of linen of the mill."
            care = "" if chosen[2:] else f'<a href="{base}shirt/{number}/care">Care</a>'
            said = f"Wash number {number} by hand, in {number} litres." if chosen[2:] else more
            return f"<title>Shirt {number}</title><h1>Shirt {number}</h1><p>{said}</p>{care}"
        found = [n for n in range(THINGS) if all(part in thing(n) for part in chosen)]
        further = [
            part
            for group in (COLOURS, SIZES, MAKERS)
            for part in group
            if not set(group) & set(chosen) and not (ordered and chosen and part < chosen[-1])
        ]
        listed = "".join(f'<li><a href="{base}shirt/{n}">{thing(n)}</a></li>' for n in found)
        filters = "".join(f'<a href="{request.path}{part}/">{part}</a> ' for part in further)
        named = " ".join(chosen) or "All"
        return f"<title>{named}</title><h1>{named} shirts</h1><ul>{listed}</ul><p>{filters}</p>"

    return answer


@pytest.mark.parametrize("ordered", [False, True])
@pytest.mark.parametrize("base", ["/shop/", "/shop/shirts/linen/"])
async def test_combinations_of_filters_end(web, base, ordered):
    asked = []

    def answer(request):
        asked.append(request.path)
        return shop(base, ordered=ordered)(request)

    with serve(Below(base, answer)) as site:
        call = {"resource": "http", "action": "crawl", "url": f"{site}{base}", "limit": 130}
        result = await web(**call, timeout=100)
    found = {page["url"].removeprefix(f"{site}{base}") for page in result.data["pages"]}
    wanted = {f"shirt/{n}{more}" for n in range(THINGS) for more in ("", "/care")}
    assert wanted <= found
    assert {f"{part}/" for part in (*COLOURS, *SIZES, *MAKERS)} <= found
    assert len(found - wanted) < 30
    assert result.data["left_out"]["without end"] > 10
    assert result.data["known"] == 0
    assert len(asked) < 130


async def test_pages_that_combine_parts_and_say_something_are_read(web):
    """Each version of a handbook has an overview, and so have all together."""
    names = [f"v{n}" for n in range(6)]
    topics = ["overview", "install", "use", "mend"]

    def answer(request):
        parts = [part for part in request.path.removeprefix("/docs/").split("/") if part]
        links = [*names, *topics] if not parts else topics if parts[-1] in names else []
        if not set(parts) <= {*names, *topics}:
            return Reply(status=404, body="Not here")
        at = sum(map(ord, "".join(parts)))
        lines = "".join(f"<p>Of {' and '.join(parts)}: {chr(97 + at % n) * n}.</p>" for n in (5, 7))
        return lines + "".join(f'<a href="{request.path}{one}/">{one}</a>' for one in links)

    with serve(Below("/docs/", answer)) as site:
        call = {"resource": "http", "action": "crawl", "url": f"{site}/docs/", "limit": 100}
        result = await web(**call)
    assert len(result.data["pages"]) == 1 + len(names) + len(topics) * (1 + len(names))
    assert "without end" not in result.data["left_out"]


async def test_lists_in_another_order_are_followed_but_no_pages(web):
    def listed(request):
        number = int(request.query.get("page", ["1"])[0])
        more = "&".join(f"{name}={values[0]}" for name, values in request.query.items())
        following = f"/list?{more.partition('&page')[0]}&page={number + 1}"
        return page(
            f"{number} of the list by {more}", *([following] * (number < 3)), f"/p/{number}"
        )

    pages = {f"/p/{number}": page(number) for number in range(1, 4)}
    orders = ["/list?sort=price&page=1", "/list?order_by=name", "/list?sorted=1"]
    routes = {"/": page(0, *orders, "/list?order=7"), "/list": listed, **pages}
    with serve(routes) as site:
        result = await crawled(web, site, limit=50)
        paths = [one["url"].removeprefix(site) for one in result.data["pages"]]
        assert sorted(paths) == [
            "/",
            "/list?order=7",
            "/list?order=7&page=2",
            "/list?order=7&page=3",
            *pages,
        ]
        assert "sorted otherwise" in result.text
        itself = await crawled(web, site, "/list?sort=price&page=1", limit=50)
    assert "/list?sort=price&page=3" in [
        one["url"].removeprefix(site) for one in itself.data["pages"]
    ]

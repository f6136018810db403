"""Pages that are not drawn yet when they are opened, and pages that only look like that."""

import re
import threading

import pytest

pytestmark = pytest.mark.anyio

SPIN = "<style>@keyframes s{to{rotate:1turn}}.s{animation:s 1s linear infinite}</style>"
BOX = "style='width:40px;height:40px;background:grey'"
PARTS = "<script>for (const n of [1, 2, 3]) import(`/slow-${n}.js`)</script>"
ASKS = "<script>fetch('/slow-data')</script>"
TEXT = "<h1>News</h1><p>" + "Words of a page that is there. " * 5
DRAWS = {
    "parts of an application": (
        f"<div id=app><div></div></div>{PARTS}",
        "GET /slow-1.js and 2 more",
    ),
    "a splash": (f"{SPIN}<div id=splash class=s {BOX}></div><script>0</script>", "<div#splash>"),
    "a request": (f"<main></main>{ASKS}", "GET /slow-data"),
    "words that say so": (f"<div class=loading>Loading…</div>{ASKS}", "GET /slow-data"),
    "a busy part": (
        f"<nav>Shop</nav><main aria-busy=true {BOX}></main><script>0</script>",
        "<main>",
    ),
    "a bar": (
        f"<progress {BOX}></progress><script>setTimeout(() => 0, 9e3)</script>",
        "<progress>",
    ),
    "a skeleton below a long menu": (
        "<nav>" + "".join(f"<a href=/{n}>Section {n}</a> " for n in range(40)) + "</nav>"
        "<main><div class=CardSkeleton style='height:500px;background:#ddd'></div></main>" + ASKS,
        "GET /slow-data",
    ),
    "a shadow tree": (
        (
            "<x-app></x-app><script>const root = document.querySelector('x-app').attachShadow({"
            f"mode: 'open'}}); root.innerHTML = `{SPIN}<div class=s {BOX}></div>`</script>{ASKS}"
        ),
        "GET /slow-data",
    ),
}
DONE = {
    "content and a request that stays open": f"{TEXT}{ASKS}",
    "content and an ornament": f"{SPIN}{TEXT}<div class=s {BOX}></div><script>0</script>",
    "content on a moving ground": f"{SPIN}<div class=s style='position:fixed;inset:0'></div>{TEXT}"
    "<script>0</script>",
    "a bar that is known": f"<progress value=.5 {BOX}></progress><script>0</script>",
    "a list that is refreshed": f"<div aria-busy=true>{TEXT}</div><script>0</script>",
    "a hidden spinner": f"{SPIN}<p>Done<i class='s spinner' hidden {BOX}></i><script>0</script>",
    "a film without scripts": f"{SPIN}<div class=s {BOX}></div>",
    "fields named as properties": "<form><input name=id><input name=classList></form><script>0"
    "</script>",
    "nothing at all": "",
}


@pytest.fixture
def site(serve_site):
    ended = threading.Event()

    def slow(request):
        ended.wait(60)
        return ""

    routes = {f"/slow-{name}": slow for name in ("1.js", "2.js", "3.js", "data")}
    yield lambda html: serve_site({"/": f"<!doctype html><title>A</title>{html}", **routes})
    ended.set()


@pytest.mark.parametrize("name", DRAWS)
async def test_a_page_that_is_drawn_late_says_so(page, site, name):
    html, sign = DRAWS[name]
    answer = await page("navigate", url=site(html))
    assert re.search(rf"Still drawing: the page (waits for|shows) {re.escape(sign)}", answer), (
        answer
    )
    assert "`wait` returns when it rests." in answer


@pytest.mark.parametrize("name", DONE)
async def test_a_page_that_is_there_is_not_said_to_be_drawn(page, site, name):
    assert "Still" not in await page("navigate", url=site(DONE[name]))


async def test_a_short_page_with_an_open_request_only_says_that(page, site):
    answer = await page("navigate", url=site(f"<p>Hello{ASKS}"))
    assert answer.endswith("text: Hello\nStill waiting for GET /slow-data.")


async def test_what_moves_before_anything_is_shown_is_no_claim_after_it(page, site):
    late = f"{SPIN}<main><div class='s spinner' {BOX}></div></main><script>setTimeout(() => {{"
    await page(
        "navigate",
        url=site(f"{late} document.querySelector('main').innerHTML = `{TEXT}` }}, 900)</script>"),
    )
    assert "Still" not in await page("wait", text="News")

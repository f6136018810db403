"""Waiting for what a call came to: an address, and the answer to a request."""

import pytest

from tests.site.server import serve

from .conftest import LOGIN

pytestmark = pytest.mark.anyio


async def test_an_address_and_an_answer_are_waited_for(page, site):
    await page("navigate", url=f"{site}/home")
    assert "/home" in await page("wait", url="/home", text="Welcome")
    error = await page.fails("wait", request="POST /api/orders", timeout=1)
    assert error.code == "timeout"
    await page("click", ref='button "Order"')
    assert "is answered" in await page("wait", request="POST /api/*", url=f"{site}/h*e")
    await page("click", ref='button "Add" in row "Rake"')
    error = await page.fails("wait", request="POST /api/orders", timeout=1)
    assert error.code == "timeout"  # that was before the last action
    assert (await page.fails("wait", url="/elsewhere", timeout=1)).code == "timeout"
    assert "method and path" in str(await page.fails("wait", request="orders"))


async def test_an_element_that_changed_ends_the_script(page, site, play, tmp_path):
    path = tmp_path / "drift.strap"
    path.write_text(f"navigate url={site}/login\nclick ref='button \"Buy\"'\n", "utf-8")
    assert "Sign in" in LOGIN
    done = await play(path)
    assert done.returncode == 1
    assert 'line 2: click ref=\'button "Buy"\': No element is button "Buy".' in done.stderr
    assert "The page now:" in done.stderr


DRAFT = """<!doctype html><title>Draft</title><h1>Draft</h1><label>Note <input></label>
<button onclick="more.hidden = false">Next</button><p id=more hidden>More</p><p role=status></p>
<script>document.querySelector("input").oninput = async () => {
  await fetch("/draft", { method: "POST" });
  document.querySelector("[role=status]").textContent = "Saved";
};</script>"""


async def test_what_a_page_saves_by_itself_may_come_before_the_call_it_was_seen_at(play, tmp_path):
    """It comes sooner or later each time; but one request is what came of one line."""
    path = tmp_path / "draft.strap"
    with serve({"/": DRAFT, "/draft": "{}"}) as site:
        lines = [
            f"navigate url={site}/",
            "fill ref='textbox \"Note\"' value=Milk",
            "wait text=Saved",
            "click ref='button \"Next\"'",
            "wait text=More request='POST /draft'",
        ]
        path.write_text("\n".join(lines), "utf-8")
        done = await play(path)
        assert done.returncode == 0, done.stderr
        path.write_text("\n".join([*lines, *lines[3:]]), "utf-8")
        done = await play(path)
        assert done.returncode == 1
        assert "line 7: wait text=More request='POST /draft': No answer came" in done.stderr


MOVING = """<!doctype html><title>Shop</title><h1>Shop</h1><p id=ad></p><button>Buy</button>
<script>
addEventListener("pointerdown", () => { ad.style.height = HEIGHT });
document.querySelector("button").onclick = () => fetch("/acts/buy");
</script>"""


@pytest.mark.parametrize(("height", "acts"), [("'200px'", 0), ("'auto'", 1)])
async def test_a_click_that_its_element_moved_away_from_ends_the_script(
    play, tmp_path, height, acts
):
    path = tmp_path / "buy.strap"
    with serve({"/": MOVING.replace("HEIGHT", height), "/acts/buy": ""}) as site:
        path.write_text(f"navigate url={site}/\nclick ref='button \"Buy\"'\n", "utf-8")
        done = await play(path)
        assert sum(request.path == "/acts/buy" for request in site.requests) == acts
    assert done.returncode == 1 - acts, done.stderr
    assert ("It got the press, but no click" in done.stderr) == (not acts)

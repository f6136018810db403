"""Pressing and holding: let go once the page has answered."""

import pytest

pytestmark = pytest.mark.anyio


@pytest.fixture
def page(one_page):
    return one_page


HELD = """<button id=b style="touch-action:none">Delete</button><p id=told></p><script></script>"""


@pytest.mark.parametrize("after", [600, 1200])
async def test_press_and_hold(page, after):
    await page.show(HELD)
    await page(
        "evaluate",
        text=f"""let timer, began;
        b.onpointerdown = () => {{
          began = performance.now();
          b.className = "down";
          timer = setTimeout(() => {{ told.textContent = "deleted"; }}, {after});
        }};
        b.onpointerup = () => {{
          clearTimeout(timer);
          window.held = performance.now() - began;
        }};0""",
    )
    assert "deleted" not in await page("click", selector="#b")
    answer = await page("click", selector="#b", value="hold")
    assert answer.startswith("Pressed and held '#b'.")
    assert "text: deleted" in answer
    assert after <= await page.run("held") < 2900


async def test_what_is_held_without_an_answer_is_let_go(page):
    await page.show(HELD)
    script = "b.onpointerup = () => { window.ups = (window.ups || 0) + 1; }; 0"
    await page("evaluate", text=script)
    answer = await page("click", selector="#b", value="hold")
    assert "Nothing has changed so far." in answer
    assert await page.run("ups") == 1

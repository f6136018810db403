"""Frames that never come, or that hang: the page around them is used like any other."""

import pytest

pytestmark = pytest.mark.anyio
LOOP = "<p>Before</p><script>setTimeout(() => { while (true) {} }, 100)</script>"


@pytest.fixture
def framed(serve_site, site):
    """A page with a frame that comes from another site, by the name of the trouble."""
    silent = f"<iframe src='{site}/silent'></iframe>"
    other = serve_site({"/nested": f"<p>Nest</p>{silent}", "/loop": LOOP})
    elsewhere = str(other).replace("127.0.0.1", "localhost")

    def page(frame):
        return f"<h1>Around</h1><button onclick='textContent = \"Pressed\"'>Press</button>{frame}"

    return serve_site(
        {
            "/silent": page(silent),
            "/nested": page(f"<iframe src='{elsewhere}/nested'></iframe>"),
            "/loop": page(f"<iframe src='{elsewhere}/loop'></iframe>"),
        }
    )


@pytest.mark.parametrize("trouble", ["silent", "nested", "loop"])
async def test_the_page_around_it_is_usable(page, framed, trouble):
    answer = await page("navigate", url=f"{framed}/{trouble}", timeout=25)
    assert 'h1 "Around"' in answer
    assert 'button "Pressed"' in await page("click", selector="button", timeout=25)
    shown = await page("snapshot", timeout=25)
    assert "Around" in shown
    assert "iframe" in shown
    assert "Around" in await page("text", timeout=25)
    assert "is there" in await page("wait", text="Pressed", timeout=25)
    if trouble == "nested":
        assert "Nest" in shown
    assert "Sign up" in await page.open("form.html")

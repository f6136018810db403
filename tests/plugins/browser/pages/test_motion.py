"""Endless motion by scripts is no answer: an action does not wait for it."""

import pytest

from .conftest import ref_in

pytestmark = pytest.mark.anyio
SHAPE = "<svg width=50 height=50{}><path id=p d='M0 0L20 20' stroke=red /></svg>"
DRAW = "p.setAttribute('transform', `rotate(${++n})`)"
STYLE = "p.style.transform = `rotate(${++n}deg)`"
BUTTON = '<p id=o>0</p><button onclick="o.textContent = +o.textContent + 1; {}">Go</button>'
ENDLESS = "<script>let n = 0; const step = () => {{ {}; requestAnimationFrame(step) }}; {}</script>"
PLACES = {
    "a shape": (SHAPE.format(""), DRAW),
    "an element": ("<div id=p>Spinner</div>", STYLE),
}
UNSEEN = {
    "not drawn": " style=display:none",
    "far below": " style=position:absolute;top:4000px",
}


@pytest.fixture
def page(one_page):
    return one_page


def moved(exchanged):
    """Whether something moved, as the pages told."""
    return any(told.get("motion") for question, told in exchanged if question["op"] == "report")


async def opened(page, serve_site, html):
    return ref_in(await page("navigate", url=serve_site({"/": html})), 'button "Go"')


@pytest.mark.parametrize(("html", "draw"), PLACES.values(), ids=PLACES)
async def test_what_moved_before_the_action(page, serve_site, exchanged, html, draw):
    ref = await opened(page, serve_site, BUTTON.format("") + html + ENDLESS.format(draw, "step()"))
    waited = []
    for number in range(1, 7):
        exchanged.clear()
        assert str(number) in await page("click", ref=ref)
        waited.append(moved(exchanged))
    # It is not known to the first one, nor on a busy machine where frames fail to come.
    assert not all(waited)


@pytest.mark.parametrize("where", UNSEEN.values(), ids=UNSEEN)
async def test_what_nobody_sees(page, serve_site, exchanged, where):
    html = SHAPE.format(where) + ENDLESS.format(DRAW, "")
    ref = await opened(page, serve_site, BUTTON.format("step()") + html)
    assert "1" in await page("click", ref=ref)
    assert not moved(exchanged)


async def test_a_shape_that_is_called_otherwise(page, serve_site, exchanged):
    script = "p.setAttribute('class', 'on' + o.textContent); p.id = 'p'; p.ariaLabel = 'Picture'"
    ref = await opened(page, serve_site, BUTTON.format(script) + SHAPE.format(""))
    assert "1" in await page("click", ref=ref)
    assert not moved(exchanged)


async def test_what_faded_out_is_gone_with_the_frame_after(one_page, serve_site):
    """The script that removes it hears with a frame that its transition is over."""
    html = """<style>#p { transition: opacity .15s } .leave { opacity: 0 }</style><p id=o></p>
      <button onclick="o.textContent = 'Saved'; p.className = 'leave'">Go</button>
      <div id=p>Really?</div>
      <script>p.ontransitionend = () => requestAnimationFrame(() => p.remove())</script>"""
    await one_page("navigate", url=serve_site({"/": html}))
    answer = await one_page("click", selector="button")
    assert answer.endswith("Changed:\n+ text: Saved\n- text: Really?")


@pytest.mark.launched  # by its command line
async def test_the_motions_of_pages_take_their_time(page, serve_site):
    body = "<div style='transition: width .3s; width: 9px'>x</div><p style='margin-top: 3000px'>far"
    await page("navigate", url=serve_site({"/": f"<!doctype html>{body}"}))
    script = """(async () => {
      const begun = performance.now();
      const ended = (target, name) => new Promise((done) => target.addEventListener(name, done));
      const box = document.querySelector("div");
      document.querySelector("p").scrollIntoView({ behavior: "smooth" });
      const scrolled = ended(window, "scrollend").then(() => performance.now() - begun);
      box.style.width = "90px";
      const wide = ended(box, "transitionend").then(() => performance.now() - begun);
      return [await scrolled, await wide, matchMedia("(prefers-reduced-motion)").matches];
    })()"""
    scrolled, wide, reduced = await page.run(script)
    assert scrolled > 200
    assert wide > 250
    assert reduced is False

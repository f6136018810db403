"""Hovering shows what is shown by it."""

import pytest

from .conftest import ref_in

pytestmark = pytest.mark.anyio
AWAY = "style='margin: 250px'"
"""Style of an element away from the mouse."""


@pytest.fixture
def page(one_page):
    return one_page


async def test_menu_by_style(page):
    ref = ref_in(await page.open("menu.html"), 'button "Products"')
    answer = await page("hover", ref=ref)
    assert answer.startswith(f'The mouse is over button "Products" {ref}.\nChanged:\n')
    link = ref_in(answer, 'link "Chairs"')
    assert 'Now at "Sign up"' in await page("click", ref=link)


async def test_tip_by_script(page):
    await page.open("menu.html")
    assert "status: Press it for help" in await page("hover", selector="#tip")


@pytest.mark.parametrize(
    ("button", "tip"),
    [
        ("<button title='Saves the draft'>Save</button>", 'Described as "Saves the draft".'),
        ("<button aria-describedby=d>Save</button><p id=d hidden>Kept</p>", 'Described as "Kept".'),
        ("<button aria-description='Kept'>Save</button>", 'Described as "Kept".'),
        ("<button title=Save></button>", "Nothing has changed so far."),
        ("<button title=is>Save</button>", 'Described as "is".'),
        (f"<button {AWAY} onmouseover='this.remove()' title=Tip>Save</button>", '- button "Save"'),
    ],
)
async def test_what_a_tip_says_that_no_snapshot_shows(page, button, tip):
    await page.show(button)
    answer = await page("hover", ref=await page.ref('button "Save"'))
    assert answer.splitlines()[-1] == tip


async def test_a_tip_that_is_shown_is_told_once(page):
    shows = 'style="margin: 90px 500px" aria-describedby=d onmouseover="d.hidden = false"'
    tip = "<p id=d role=tooltip hidden>Kept</p>"
    await page.show(f"<button {shows}>Save</button>{tip}")
    answer = await page("hover", ref=await page.ref('button "Save"'))
    assert answer.splitlines()[-1] == '+ tooltip "Kept"'


async def test_a_tip_that_is_for_eyes_alone_is_told(page):
    shows = 'style="margin: 300px 80px" onmouseover="d.style.opacity = 1"'
    tip = "<p id=d role=tooltip aria-hidden=true style='opacity: 0'>Copied!</p>"
    await page.show(f"<button {shows}>Copy</button>{tip}")
    assert "Copied!" not in await page("snapshot")
    answer = await page("hover", ref=await page.ref('button "Copy"'))
    assert answer.splitlines()[-1] == '+ tooltip "Copied!"'


@pytest.mark.parametrize(
    "button",
    [
        """<button onmouseenter="setTimeout(() => d.showPopover(), 700)">Save</button>
        <p id=d popover role=tooltip>Kept</p>""",
        "<button interestfor=d>Save</button><p id=d popover=hint role=tooltip>Kept</p>",
    ],
    ids=["script", "interest"],
)
async def test_a_tip_that_comes_when_the_mouse_has_rested(page, button):
    await page.show(f"<div {AWAY}>{button}</div>")
    answer = await page("hover", ref=await page.ref('button "Save"'))
    assert answer.splitlines()[-1] == '+ tooltip "Kept"'


TIPS = """<div style='margin: 99px 400px'><button id=one>One</button>
<button id=two>Two</button></div>
<p id=tip role=tooltip hidden></p>"""
SHOWS = """for (const button of [one, two]) {
  let timer;
  button.onmouseenter = () => {
    timer = setTimeout(() => { tip.textContent = button.id; tip.hidden = false; }, 500);
  };
  button.onmouseleave = () => { clearTimeout(timer); tip.hidden = true; };
} 0"""


async def test_a_tip_that_comes_after_that_of_another_has_gone(page):
    await page.show(TIPS)
    await page.run(SHOWS)
    assert '+ tooltip "one"' in await page("hover", ref=await page.ref('button "One"'))
    answer = await page("hover", ref=await page.ref('button "Two"'))
    assert 'tooltip "two"' in answer


async def test_nothing_shown(page):
    await page.open("form.html")
    answer = await page("hover", selector="#counter")
    assert answer == "The mouse is over '#counter'.\nNothing has changed so far."


async def test_frame(page):
    await page.open("frames.html")
    ref = ref_in(await page("snapshot"), 'button "Go"')
    assert "The mouse is over" in await page("hover", ref=ref)


async def test_a_click_of_the_page_afterwards_is_not_held_up(page):
    await page.open("menu.html")
    await page("hover", selector="#tip")
    await page("click", x=600, y=400)
    assert await page("evaluate", text="document.title") == '"Menu"'


async def test_bad_input(page):
    await page.open("menu.html")
    assert "hover needs ref, selector, or x and y." in str(await page.fails("hover"))
    assert "not both" in str(await page.fails("hover", ref="e1", selector="#tip"))
    assert (await page.fails("hover", selector="#nothing")).code == "not_found"
    assert (await page.fails("hover", selector="li")).code == "hidden"
    await page("evaluate", text="cover.style.display = 'block'; 0")
    assert (await page.fails("hover", selector="#tip")).code == "covered"

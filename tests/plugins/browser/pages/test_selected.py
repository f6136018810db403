"""Text that an action selects: nothing on the page is another, but everybody sees it."""

import pytest

from .conftest import ref_in

pytestmark = pytest.mark.anyio

TEXT = "<p id=p style='font:20px monospace;margin:0;width:300px'>One two three</p>"
NOTHING_ELSE = "\nNothing else has changed so far."


@pytest.fixture
def page(one_page):
    return one_page


@pytest.mark.parametrize(
    ("call", "selected"),
    [
        (("drag", {"selector": "#p", "x": 1, "y": 10, "value": "290,0"}), "One two three"),
        (("click", {"selector": "#p", "x": 60, "y": 10, "value": "double"}), "two"),
        (("press", {"key": "Control+A"}), "One two three"),
    ],
)
async def test_text_of_the_page(page, call, selected):
    await page.show(TEXT)
    action, fields = call
    assert (await page(action, **fields)).endswith(f'\nSelected: "{selected}".{NOTHING_ELSE}')


async def test_text_in_a_field(page):
    await page.show("<input id=f value='a \"b\" c'>")
    answer = await page("press", selector="#f", key="Control+A")
    assert answer.endswith(f'\nSelected: "a \\"b\\" c".{NOTHING_ELSE}')
    assert "Selected" not in await page("press", selector="#f", key="End")


async def test_passwords_are_not_told(page):
    await page.show("<input id=f type=password value=secret>")
    answer = await page("press", selector="#f", key="Control+A")
    assert "Selected" not in answer


async def test_text_in_a_frame(page):
    editor = TEXT.replace("<p", "<p role=textbox aria-label=Note contenteditable")
    await page.show(f'<iframe srcdoc="{editor}"></iframe>')
    ref = ref_in(await page("snapshot"), 'textbox "Note"')
    answer = await page("click", ref=ref, x=60, y=10, value="double")
    assert answer.endswith(f'\nSelected: "two".{NOTHING_ELSE}')


async def test_what_a_plain_click_leaves_selected_is_not_its_doing(page):
    await page.show(f"{TEXT}<button>Bold</button>")
    await page("click", selector="#p", x=60, y=10, value="double")
    assert "Selected" not in await page("click", selector="button")


@pytest.mark.parametrize(
    "field",
    [
        "<input id=f value=abc>",
        "<input id=f type=email value=a@b.org>",
        "<textarea id=f>abc</textarea>",
        "<div id=f contenteditable>abc</div>",
    ],
)
async def test_what_is_typed_replaces_what_is_selected(page, field):
    await page.show(field)
    held = "f.value ?? f.innerText.trim()"
    await page("press", selector="#f", key="Control+A")
    await page("type", selector="#f", text="new")
    assert await page("evaluate", text=held) == '"new"'
    await page("press", selector="#f", key="Home")
    await page("type", selector="#f", text="er")
    assert await page("evaluate", text=held) == '"newer"'


FIELDS = (
    "<input id=f value=abc>",
    "<input id=f type=email value=abc>",
    "<div id=f contenteditable>abc</div>",
)


@pytest.mark.parametrize("field", FIELDS)
@pytest.mark.parametrize("call", [("type", {"text": "x"}), ("press", {"key": "x"})])
async def test_what_is_selected_beside_a_field_that_has_the_focus_is_not_typed_over(
    page, field, call
):
    await page.show(TEXT + field)
    await page("evaluate", text="f.focus(); getSelection().selectAllChildren(p); 0")
    action, fields = call
    await page(action, selector="#f", **fields)
    assert await page("evaluate", text="f.value ?? f.innerText") == '"abcx"'


async def test_what_was_selected_before_is_not_told(page):
    await page.show(f"{TEXT}<input id=f value=abc>")
    await page("press", key="Control+A")
    assert "Selected" not in await page("press", key="Shift")
    assert 'Selected: "abc"' in await page("press", selector="#f", key="Control+A")
    assert "Selected" not in await page("press", selector="#f", key="Shift")

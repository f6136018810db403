"""Options of drop-downs: one, several, none, and what is none."""

import pytest

from .conftest import ref_in

pytestmark = pytest.mark.anyio


@pytest.fixture
def page(one_page):
    return one_page


async def test_one_by_text_or_value(page):
    ref = ref_in(await page.open("menu.html"), 'combobox "Country"')
    answer = await page("select", ref=ref, value="france")
    assert answer.startswith(f"Selected 'france' in combobox \"Country\" {ref}.")
    assert await page("evaluate", text="country.value") == '"France"'
    await page("select", selector="#country", value="pe")
    assert await page("evaluate", text="country.value") == '"pe"'


@pytest.mark.parametrize("value", ["Red\nBlue", '["Red", "b"]', ["Red", "Blue"]])
async def test_several(page, value):
    await page.open("menu.html")
    answer = await page("select", selector="#colours", value=value)
    assert "Chosen Red+Blue" in answer
    assert "Chosen Green" in await page("select", selector="#colours", value="Green")


async def test_none(page):
    await page.open("menu.html")
    await page("select", selector="#colours", value="Red")
    await page("select", selector="#colours", value="[]")
    assert await page("evaluate", text="colours.selectedOptions.length") == "0"


async def test_fill_replaces_what_is_chosen(page):
    await page.open("menu.html")
    await page("select", selector="#colours", value='["Red", "Green"]')
    assert "Chosen Blue" in await page("fill", selector="#colours", value="Blue")


async def test_options_that_come_later(page):
    await page.open("menu.html")
    await page("select", selector="#country", value="Peru")
    assert "Selected 'Cusco'" in await page("select", selector="#city", value="Cusco")


async def test_frame(page):
    await page.open("frames.html")
    body = "[title=near] >> internal:control=enter-frame >> body"
    await page(
        "evaluate",
        text="document.querySelector('[title=near]').contentDocument.body.innerHTML ="
        " '<select aria-label=S><option>A<option>B</select>'; 0",
    )
    assert "Selected 'B'" in await page("select", selector=f"{body} >> select", value="B")


@pytest.mark.parametrize(
    ("fields", "code", "words"),
    [
        ({"selector": "#country", "value": "Rome"}, "no_option", "has no option 'Rome'. Options: "),
        (
            {"selector": "#country", "value": "Mars"},
            "option_disabled",
            "has the option 'Mars', but disabled",
        ),
        ({"selector": "#country", "value": "France\nPeru"}, "for_one", "takes one option"),
        ({"selector": "#tip", "value": "x"}, "not_a_drop_down", "Click it, then the option"),
        ({"selector": "#none", "value": "x"}, "not_found", "No element matches"),
        ({"value": "x"}, "invalid_arguments", "select needs ref or selector."),
        ({"selector": "#country"}, "invalid_arguments", "'value' is missing"),
        ({"ref": "e1", "selector": "#tip", "value": "x"}, "invalid_arguments", "not both"),
    ],
    ids=str,
)
async def test_bad_input(page, fields, code, words):
    await page.open("menu.html")
    error = await page.fails("select", **fields)
    assert error.code == code
    assert words in str(error)

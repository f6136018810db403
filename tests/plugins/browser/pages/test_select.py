"""Options of drop-downs: one, several, none, and what is none."""

import re

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


async def shows(page, html):
    """Have the page show this, and look at it."""
    await page.show(html)
    return await page("snapshot")


TAKEN_BACK = "<select aria-label=S onchange=\"this.value='a'\"><option>a<option>b</select>"
SHUFFLED = "<select aria-label=S>{}</select><output></output>"


@pytest.mark.parametrize("action", ["select", "fill"])
async def test_a_page_that_takes_the_choice_back_is_told(page, action):
    ref = ref_in(await shows(page, TAKEN_BACK), 'combobox "S"')
    answer = await page(action, ref=ref, value="b")
    assert answer.startswith(("Selected 'b' in", "Filled"))
    assert ", but it now holds 'a'." in answer


async def test_a_field_that_is_set_and_taken_back_is_told(page):
    field = "<input type=range max=100 value=50 aria-label=R onchange='this.value=10'>"
    ref = ref_in(await shows(page, field), 'slider "R"')
    assert ", but it now holds '10'." in await page("fill", ref=ref, value="70")


@pytest.mark.parametrize("action", ["select", "fill"])
@pytest.mark.parametrize(
    "options",
    [
        "<option value=1>Red<option value=Red>Blue",
        "<option value=Red>Blue<option value=1>Red",
        "<option value=Red>Blue<option value=1>&nbsp;Red ",
    ],
)
async def test_what_is_shown_wins_over_a_hidden_value(page, action, options):
    await shows(page, SHUFFLED.format(options))
    await page(action, selector="select", value="Red")
    assert await page("evaluate", text="document.querySelector('select').value") == '"1"'


@pytest.mark.parametrize("value", ["One two", "One\xa0two", " one  two "])
async def test_a_no_break_space_is_a_space(page, value):
    shown = await shows(page, SHUFFLED.format("<option>Zero<option value=1>One&nbsp;two"))
    assert 'combobox "S"' in shown
    assert "(Zero, One two)" in shown
    assert f"Selected {value.strip()!r}" in await page("select", selector="select", value=value)
    assert await page("evaluate", text="document.querySelector('select').value") == '"1"'


GROUPED = (
    "<select aria-label=Seat><option>None<optgroup label=Adult><option>1 ticket<option>2 tickets"
    "</optgroup><optgroup label=Child><option>1 ticket<option>1 ticket</optgroup></select>"
)


async def test_groups_tell_options_of_the_same_text_apart(page):
    shown = await shows(page, GROUPED)
    ref = ref_in(shown, 'combobox "Seat"')
    told = "(None, Adult: 1 ticket, 2 tickets, Child: 1 ticket, 1 ticket)"
    assert f'combobox "Seat" {ref}: None {told}' in shown
    error = await page.fails("select", ref=ref, value="1 ticket")
    assert error.code == "ambiguous"
    assert "has several options '1 ticket'. Options: 'Adult: 1 ticket', 'Child: 1 ticket'" in str(
        error
    )
    answer = await page("select", ref=ref, value="child: 1 ticket")
    assert answer == f"Selected 'child: 1 ticket' in combobox \"Seat\" {ref}."
    assert await page("evaluate", text="document.querySelector('select').selectedIndex") == "3"
    assert f"{ref}: Child: 1 ticket (" in await page("snapshot")
    await page("select", ref=ref, value="2 tickets")
    assert await page("evaluate", text="document.querySelector('select').selectedIndex") == "2"


async def test_of_two_options_of_the_same_text_the_one_that_is_open_is_meant(page):
    options = "<option>-<option disabled>Red<optgroup label=Warm><option>Red</optgroup>"
    await shows(page, SHUFFLED.format(options))
    assert "Selected 'Red'" in await page("select", selector="select", value="Red")
    assert await page("evaluate", text="document.querySelector('select').selectedIndex") == "2"


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


async def test_a_drop_down_that_opens_and_closes_is_told(page):
    await page.show("<select aria-label=To><option>Peru<option>Chile</select><p>Words</p>")
    assert 'combobox "To" e' in await page("snapshot")
    opened = await page("click", selector="select")
    assert re.search(r"^~ combobox \"To\" e\d+ expanded focused: Peru", opened, re.MULTILINE), (
        opened
    )
    await page("press", key="ArrowDown")
    chosen = await page("press", key="Enter")
    assert re.search(r"^~ combobox \"To\" e\d+ focused: Chile", chosen, re.MULTILINE), chosen


async def test_a_list_that_the_page_draws_is_told_as_open(one_page, serve_site):
    html = """<style>select, select::picker(select) { appearance: base-select }</style>
      <select aria-label=Pet><option>Cat<option>Dog</select>"""
    ref = ref_in(await one_page("navigate", url=serve_site({"/": html})), 'combobox "Pet"')
    assert f'~ combobox "Pet" {ref} expanded' in await one_page("click", ref=ref)
    assert await one_page("evaluate", text="document.querySelector('select').matches(':open')")
    assert "Dog" in await one_page("select", ref=ref, value="Dog")


async def test_a_closed_list_of_several_tells_what_is_chosen(one_page, serve_site):
    html = """<style>select, select::picker(select) { appearance: base-select }</style>
      <select multiple size=1 aria-label=Pets><option>Cat<option selected>Dog<option>Owl</select>"""
    shown = await one_page("navigate", url=serve_site({"/": html}))
    ref = ref_in(shown, 'combobox "Pets"')
    assert f'combobox "Pets" {ref}: Dog (Cat, Dog, Owl)' in shown
    await one_page("select", ref=ref, value=["Cat", "Owl"])
    assert f'combobox "Pets" {ref}: Cat, Owl (Cat, Dog, Owl)' in await one_page("snapshot")


async def test_a_group_of_options_is_called_as_its_legend(one_page, serve_site):
    html = """<select aria-label=Pet><option>Cat</option>
      <optgroup><legend>Birds</legend><option>Owl</option></optgroup></select>"""
    shown = await one_page("navigate", url=serve_site({"/": html}))
    assert "(Cat, Birds: Owl)" in shown
    answer = await one_page("select", ref=ref_in(shown, '"Pet"'), value="Birds: Owl")
    assert answer.startswith("Selected 'Birds: Owl' in combobox")


@pytest.mark.parametrize(
    "field", ["<input role=combobox value=Peru>", "<div role=combobox tabindex=0>Peru</div>"]
)
async def test_what_a_drop_down_without_a_name_holds_is_no_name(page, field):
    await page.show(field)
    shown = (await page("snapshot")).splitlines()[1]
    assert shown == f"combobox {ref_in(shown, 'combobox')}: Peru"


CITIES = """<input list=l aria-label=City id=it><datalist id=l><option value=Paris>
<option value=Porto label="Porto (PT)"><option value=LIS label=Lisbon></datalist><p id=told></p>"""


async def test_a_list_that_a_field_suggests(page):
    await page.show(CITIES)
    await page("evaluate", text="it.onchange = () => { told.textContent = `to ${it.value}`; }; 0")
    shown = await page("snapshot")
    ref = ref_in(shown, 'combobox "City"')
    assert f'combobox "City" {ref}: (Paris, Porto, LIS = Lisbon)' in shown
    assert 'combobox "City"' in await page("snapshot", text="Lisbon")
    for option, value in (("Lisbon", "LIS"), ("Porto (PT)", "Porto"), ("paris", "Paris")):
        answer = await page("select", ref=ref, value=option)
        assert "but it now holds" not in answer
        assert f"to {value}" in answer
    assert f'combobox "City" {ref} focused: Paris (Paris, Porto' in await page("snapshot")
    error = await page.fails("select", ref=ref, value="Rome")
    assert "Options: 'Paris', 'Porto', 'LIS = Lisbon'." in str(error)
    assert "Filled" in await page("fill", ref=ref, value="Rome")

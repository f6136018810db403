"""Elements that are clicked as a whole, and their parts that are clicked by themselves."""

import re

import pytest

from .conftest import lines_of, ref_in

pytestmark = pytest.mark.anyio
LIST = "position:absolute;top:100%;width:90px;background:#fff;margin:0;padding:0"
OTHER = "<div><b>G</b><div>One</div><p>Two <i>2</i></p></div>"
ROWS = "<li><span>One</span></li><li style=display:flex><i>2</i><span>Two</span></li>"


@pytest.mark.parametrize(
    ("within", "lines"),
    [
        (
            "<p style=cursor:auto><b style=cursor:pointer>One</b><u style=cursor:pointer>2</u>",
            ['clickable "One" #', 'clickable "2" #'],
        ),
        (f"<ul style='{LIST}'>{ROWS}</ul>", ["- #: One", "- #: 2 Two"]),
        (
            f"<div style='{LIST}'>{OTHER}</div>",
            ["text: G", 'clickable "One" #', "text #: Two 2"],
        ),
    ],
)
async def test_the_list_that_belongs_to_what_is_clicked_has_refs_of_its_own(outline, within, lines):
    style = "cursor:pointer;position:relative;width:90px;height:20px"
    shown = await outline(f"<div style='{style}'>Pick{within}</div>")
    assert shown == ['clickable "Pick" #', *(f"  {line}" for line in lines)]


@pytest.mark.parametrize(
    "within",
    [
        f"<span style='{LIST}'>A hint</span>",
        "<b style='position:absolute;right:0'><i>3</i> <i>new</i></b>",
        "<p>One</p><p>Two</p>",
        "<button>Deal</button>",
    ],
)
async def test_what_is_clicked_as_a_whole_has_one_ref(outline, within):
    shown = await outline(f"<div style='cursor:pointer;position:relative'>Card{within}</div>")
    assert "".join(shown).count("clickable") == 1


async def test_what_stands_in_an_option_can_be_used(outline):
    option = "<div role=option aria-selected=true>Red<button>Remove</button></div>"
    assert await outline(f"<div role=listbox aria-label=L>{option}</div>") == [
        'listbox "L"',
        '  option "Red Remove" # selected: [button "Remove" #]',
    ]


PARTS = """<!doctype html><title>P</title>
<div style="cursor:pointer">Fruit<div><div id=apple>Apple</div><div id=pear><i></i>
<span>Pear <b>ripe</b></span></div></div><i id=icon style="padding:9px"></i></div>
<button><span>Save</span><span id=as>As</span></button><h2>Title <i id=edit>edit</i></h2>
<p>Go <i id=here>here</i> or <i id=there>there</i></p>
<table><tr><td>Cell <b id=cell>part</b></table>
<script>
  addEventListener("click", ({ target }) => { document.title = target.closest("[id]").id; });
</script>"""


@pytest.mark.parametrize("part", ["apple", "pear", "as", "edit", "here", "there", "cell"])
async def test_a_part_of_what_acts_as_a_whole_is_found_by_its_words(one_page, serve_site, part):
    await one_page("navigate", url=serve_site({"/": PARTS}))
    words = "part" if part == "cell" else part
    shown = await one_page("snapshot", text=words)
    ref = re.search(rf"text (e\d+): {words}", shown, re.IGNORECASE)[1]
    assert f'Title: "{part}"' in await one_page("click", ref=ref)


async def test_the_parts_of_what_acts_as_a_whole_are_shown_in_it(one_page, serve_site):
    shown = await one_page("navigate", url=serve_site({"/": PARTS}))
    whole = await one_page("snapshot", ref=ref_in(shown, 'clickable "Fruit Apple Pear ripe"'))
    assert lines_of(whole) == [
        'clickable "Fruit" #',
        "  text #: Apple",
        "  text #: Pear",
        "  text #: ripe",
        "  clickable #: <i#icon>",
    ]
    assert 'Title: "icon"' in await one_page("click", ref=whole.split()[-2].rstrip(":"))
    button = await one_page("snapshot", ref=ref_in(shown, 'button "SaveAs"'))
    assert lines_of(button) == ['button "SaveAs" #: [text #: Save] [text #: As]']


@pytest.mark.parametrize(
    ("attributes", "line"),
    [
        ("role=separator tabindex=0 aria-valuenow=3", "separator #: 3 {}"),
        ("role=slider tabindex=0 aria-valuenow=3", "slider #: 3 {}"),
        ("role=spinbutton tabindex=0 aria-valuenow=3", "spinbutton #: 3 {}"),
        ("role=scrollbar tabindex=0 aria-valuenow=3", "scrollbar #: 3 {}"),
    ],
)
async def test_what_can_be_used_in_what_has_a_value_is_there_too(outline, attributes, line):
    inner = "<b>3 of 9</b><p><button>Less</button> or <a href=#>More</a></p>"
    button, link = '[button "Less" #]', '[link "More" #]'
    assert await outline(f"<div {attributes}>{inner}</div>") == [line.format(f"{button} {link}")]
    assert await outline(f"<div {attributes}><b>3 of 9</b></div>") == [line.format("").rstrip()]


async def test_a_splitter_and_the_button_in_it_are_clicked_each_by_itself(page):
    clicked = "onclick='event.stopPropagation(); document.title += this.id'"
    style = "style='height: 40px; text-align: center'"
    button = f"<button id=b {clicked}>Fold</button>"
    await page.show(
        f"<div id=s role=separator tabindex=0 aria-valuenow=3 {clicked} {style}>{button}</div>"
    )
    shown = await page("snapshot")
    await page("click", ref=ref_in(shown, "separator"))
    await page("click", ref=ref_in(shown, 'button "Fold"'))
    assert await page.run("document.title") == "Menusb"


@pytest.mark.parametrize(("count", "is_used"), [(60, True), (61, False)])
async def test_one_of_few_takes_part_in_the_round_of_the_tab_key_for_all(outline, count, is_used):
    items = "".join(
        f"<i tabindex={number - 1}>{number}</i>" for number in (1, *([0] * (count - 1)))
    )
    assert ('clickable "0" #' in await outline(f"<div>{items}</div>")) == is_used

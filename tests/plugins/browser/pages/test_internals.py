"""Semantics of custom elements by `ElementInternals`, which no document shows."""

import re

import pytest

pytestmark = pytest.mark.anyio

MADE = """<!doctype html><title>Made</title><style>x-it { display: block; height: 20px }</style>
<script>customElements.define("x-it", class extends HTMLElement {
  static formAssociated = true;
  #own = this.attachInternals();
  connectedCallback() {
    const state = this.dataset.state || "ariaChecked";
    this.tabIndex = 0;
    this.#own.role = this.dataset.role;
    this.#own[state] = this.dataset.at || "false";
    this.onclick = () => this.#own[state] = this.#own[state] === "true" ? "false" : "true";
    this.onkeydown = () => this.#own.ariaValueNow = Number(this.#own.ariaValueNow) + 1;
  }
})</script>"""


@pytest.fixture
def page(one_page):
    return one_page


async def lines(page, *, of="snapshot"):
    answer = await page(of)
    return [re.sub(r" (f\d+)?e\d+\b", "", line) for line in answer.splitlines()[1:]]


def made(*elements):
    return MADE + "".join(elements)


def one(role, text="", **data):
    given = "".join(f" data-{name}={value}" for name, value in data.items())
    return f"<x-it data-role={role}{given}>{text}</x-it>"


async def test_roles_and_states_of_their_own(page, serve_site):
    html = made(
        one("checkbox", "Tick", at="true"),
        one("radio", "Pick"),
        one("tab", "First", state="ariaSelected", at="true"),
        one("button", "Bold", state="ariaPressed", at="mixed"),
        one("combobox", "List", state="ariaExpanded", at="true"),
        one("button", "Not now", state="ariaDisabled", at="true"),
        one("slider", state="ariaValueNow", at="3"),
        one("nonsense", "Plain"),
        "<x-it role=switch>Said</x-it>",
    )
    await page("navigate", url=serve_site({"/": html}))
    assert await lines(page) == [
        'checkbox "Tick" checked',
        'radio "Pick"',
        'tab "First" selected',
        'button "Bold" pressed=mixed',
        "combobox expanded: List",
        'button "Not now" disabled',
        "slider: 3",
        'clickable "Plain"',
        'switch "Said"',
    ]


async def test_names_by_labels_and_of_their_own(page, serve_site):
    labelled = f"<label for=it>Large</label>{one('radio').replace('<x-it', '<x-it id=it')}"
    html = made(labelled, one("button", "B", state="ariaLabel", at="Bold"))
    await page("navigate", url=serve_site({"/": html}))
    assert await lines(page) == ["text: Large", 'radio "Large"', 'button "Bold": B']


async def test_what_changes_there_is_told(page, serve_site):
    html = made(one("checkbox", "Tick"), one("slider", state="ariaValueNow", at="3"))
    await page("navigate", url=serve_site({"/": html}))
    answer = await page("click", ref=await page.ref('checkbox "Tick"'))
    assert re.search(r'Changed:\n~ checkbox "Tick" e\d+ checked focused', answer)
    answer = await page("press", ref=await page.ref("slider"), key="ArrowRight")
    assert re.search(r"~ slider e\d+ focused: 4", answer)


async def test_behind_a_dialog_they_are_what_they_were(page, serve_site):
    dialog = f"<dialog>{one('switch', 'Inner')}</dialog>"
    opened = "<button onclick=document.querySelector('dialog').showModal()>Open</button>"
    html = made(one("checkbox", "Tick", at="true"), opened, dialog)
    await page("navigate", url=serve_site({"/": html}))
    answer = await page("click", ref=await page.ref('button "Open"'))
    assert re.search(r'\+   switch "Inner" e\d+', answer)
    assert "Tick" not in answer
    assert 'checkbox "Tick" checked' in await lines(page)


async def test_in_a_frame_and_where_one_comes_later(page, serve_site):
    frame = made(one("checkbox", "Framed", at="true"))
    late = "<button onclick='document.body.lastChild.hidden = false'>Show</button>"
    radio = one("radio", "Late", at="true")
    html = f"{MADE}<iframe src=/inner></iframe>{late}<p hidden>{radio}</p>"
    await page("navigate", url=serve_site({"/": html, "/inner": frame}))
    assert 'checkbox "Framed" checked' in "\n".join(await lines(page))
    answer = await page("click", ref=await page.ref('button "Show"'))
    assert re.search(r'\+ radio "Late" e\d+ checked', answer)


async def test_what_is_called_disabled_there_is_told_when_it_is_clicked(page, serve_site):
    html = made(one("button", "Not now", state="ariaDisabled", at="true"))
    await page("navigate", url=serve_site({"/": html}))
    await page("snapshot")
    assert "The page calls it disabled." in await page("click", selector="x-it")


async def test_the_options_of_a_list_that_speaks_where_the_pointer_is_that_of_all(page, serve_site):
    """As in the drop-downs of Fluent, which are pressed as a whole."""
    options = one("option", "Pear") + one("option", "Plum", at="true", state="ariaSelected")
    around = f"<div style='cursor:pointer' onclick=1>Fruit{one('listbox', options)}</div>"
    focusable = MADE.replace("this.tabIndex", 'if (this.dataset.role === "listbox") this.tabIndex')
    plain = focusable.replace("this.onclick", "this.clicks").replace("height: 20px", "")
    await page("navigate", url=serve_site({"/": plain + around}))
    shown = await lines(page)
    assert [line.strip() for line in shown[-2:]] == ['option "Pear"', 'option "Plum" selected']

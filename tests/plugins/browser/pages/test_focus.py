"""Focus after an action."""

import pytest

from .conftest import ref_in

pytestmark = pytest.mark.anyio

FIELD = "<input id=f aria-label=Code>"


@pytest.mark.parametrize(
    "told",
    [
        f'<a href="#" onclick="f.focus()">Enter a code</a>{FIELD}',
        f'<button onclick="f.focus()">Enter a code</button>{FIELD}',
        f'<div onmouseup="setTimeout(() => f.focus())">Enter a code {FIELD}</div>',
    ],
)
async def test_a_click_that_leads_the_focus_elsewhere_changed_that(one_page, told):
    await one_page.show(told)
    field = ref_in(await one_page("snapshot"), 'textbox "Code"')
    answer = await one_page("click", selector="a, button, div")
    assert answer.splitlines()[-2:] == ["Changed:", f'~ textbox "Code" {field} focused']
    assert "Nothing" in await one_page("click", selector="a, button, div")


async def test_that_what_is_clicked_gets_the_focus_is_no_change(one_page):
    await one_page.show(f"<main tabindex=-1><p>Words</p>{FIELD}</main>")
    for selector in ("p", "main", "input"):
        assert "Nothing has changed so far." in await one_page("click", selector=selector)


TRAP = """<button id=out onclick="said.textContent = 'Sent'">Send</button>
<label>Name <input id=name value=x></label><div id=layer>
<button id=in onclick="said.textContent = 'Deleted'">Delete</button>
<input aria-label=Inner value=abc></div><p id=said></p>"""
GIVES_BACK = """let left = %d;
document.body.addEventListener("focusin", ({ target }) => {
  if (!layer.contains(target) && left-- > 0)
    Promise.resolve().then(() => document.querySelector("#layer %s").focus());
}); 0"""
ACTS = [
    ("press", {"selector": "#out", "key": "Enter"}),
    ("press", {"selector": "#out", "key": "Space Space"}),
    ("press", {"selector": "#name", "key": "Control+A Delete"}),
    ("press", {"selector": "#name", "key": "é"}),
    ("type", {"selector": "#name", "text": "a longer text\n"}),
    ("fill", {"selector": "#name", "value": "Ada"}),
    ("fill", {"selector": "#name", "value": ""}),
]
VALUES = "[...document.querySelectorAll('input')].map((one) => one.value)"
HELD = f"[said.textContent, ...{VALUES}].join()"


@pytest.mark.parametrize("taker", ["button", "input"])
@pytest.mark.parametrize(("action", "asked"), ACTS)
async def test_what_the_page_gives_the_focus_to_instead_gets_no_key(one_page, action, asked, taker):
    await one_page.show(TRAP)
    await one_page("evaluate", text=GIVES_BACK % (100, taker))
    error = await one_page.fails(action, **asked)
    assert error.code == "focus_lost"
    assert f"does not keep the focus: <{taker}" in str(error)
    assert "without ref" in str(error)
    assert await one_page("evaluate", text=HELD) == '",x,abc"'


@pytest.mark.parametrize(("action", "asked"), ACTS)
async def test_a_focus_that_is_taken_once_is_given_again(one_page, action, asked):
    await one_page.show(TRAP)
    await one_page("evaluate", text=GIVES_BACK % (1, "input"))
    assert "done" not in await one_page(action, **asked)
    assert (await one_page("evaluate", text=HELD)).endswith(',abc"')
    assert await one_page("evaluate", text="document.activeElement.id") in ('"out"', '"name"')


async def test_keys_may_lead_the_focus_on(one_page):
    await one_page.show("".join(f"<input id=at{at} maxlength=1>" for at in "123"))
    await one_page(
        "evaluate",
        text="""document.body.addEventListener("input", ({ target }) =>
          Promise.resolve().then(() => target.nextElementSibling?.focus())); 0""",
    )
    await one_page("type", selector="#at1", text="123")
    held = f"{VALUES}.join()"
    assert await one_page("evaluate", text=held) == '"1,2,3"'
    await one_page("press", selector="#at1", key="Tab Control+A 7")
    assert await one_page("evaluate", text=held) == '"1,7,3"'


@pytest.mark.parametrize("role", ["listbox", "grid", "menu", "tree"])
async def test_what_hands_the_focus_to_what_is_in_it_is_the_same(one_page, role):
    """As lists do that leave the Tab key's round while something in them has the focus."""
    item = {"grid": "gridcell", "listbox": "option", "menu": "menuitem", "tree": "treeitem"}[role]
    around = "<div role=row>{}</div>" if role == "grid" else "{}"
    items = around.format(f"<div role={item} tabindex=-1>One</div>")
    leads = "this.tabIndex = -1; this.querySelector('[tabindex]').focus()"
    await one_page.show(
        f'<div role={role} aria-label=All tabindex=0 onfocus="{leads}">{items}</div>'
        "<button onclick=\"document.querySelector('[aria-label=All]').focus()\">Go</button>"
    )
    await one_page("snapshot")
    answer = await one_page("click", selector="button")
    assert "focused" in answer
    assert '"All"' not in answer

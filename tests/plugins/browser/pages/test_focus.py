"""Where an action leads the focus."""

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

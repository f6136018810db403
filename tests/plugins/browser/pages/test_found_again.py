"""A ref whose element the page replaced: found again where that is sure, and never another one."""

import pytest

from .conftest import ref_in

pytestmark = pytest.mark.anyio


async def shows(page, serve_site, html):
    """Open a page that shows this."""
    return await page("navigate", url=str(serve_site({"/": f"<!doctype html>{html}"})))


async def test_what_is_replaced_as_the_mouse_comes_is_clicked(page, serve_site):
    comes = """onmouseenter="const next = this.cloneNode(1); next.className = 'over';
      next.removeAttribute('onmouseenter'); this.replaceWith(next)" """
    clicked = "onclick='out.textContent = +out.textContent + 1'"
    body = f"<div style='cursor:pointer' {comes} {clicked}>Count</div><output id=out>0</output>"
    ref = ref_in(await shows(page, serve_site, body), 'clickable "Count"')
    assert "~ status: 1" in await page("click", ref=ref)


@pytest.mark.parametrize("tag", ["button", "div style='cursor:pointer'"])
async def test_the_one_that_is_left_of_two_of_the_name_is_not_meant(page, serve_site, tag):
    row = f"<div>{{}} <{tag} onclick='parentNode.remove()'>Delete</{tag.split()[0]}></div>"
    shown = await shows(page, serve_site, row.format("One") + row.format("Two"))
    ref = ref_in(shown, '"Delete"')
    assert "One" in await page("click", ref=ref)
    assert (await page.fails("click", ref=ref)).code == "stale_ref"
    assert "Two" in await page("snapshot")


async def test_what_another_view_of_the_page_shows_is_not_meant(page, serve_site):
    body = "<main></main><script>onhashchange = () => { document.querySelector('main').innerHTML ="
    body += " `<h1>${location.hash}</h1><button>Empty</button>` }; onhashchange()</script>"
    site = str(serve_site({"/": body}))
    ref = ref_in(await page("navigate", url=f"{site}/#/inbox"), 'button "Empty"')
    await page("evaluate", text="location.hash = '#/backup'; 0")
    assert (await page.fails("click", ref=ref)).code == "stale_ref"

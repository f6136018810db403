"""Answers about what is there again: a refused form, a page behind a list, an unticked box."""

import pytest

from tests.plugins.browser.pages.conftest import lines_of
from tests.site.server import Reply

pytestmark = pytest.mark.anyio
LINKS = "".join(f"<p>Paragraph {n} with <a href=/{n}>a link to {n}</a></p>" for n in range(90))
FORM = """<!doctype html><title>Edit</title><h1>Editing</h1>{links}{note}
<form method=post action=/edit?again><input name=s aria-label=Summary>
<button id=save>Save</button></form>"""
REFUSED = "<div><b>Reminder:</b> You have not provided a summary.</div>"


def typed(html):
    return Reply(body=html, headers={"Content-Type": "text/html"})


async def test_what_is_new_on_a_large_page_that_comes_again(one_page, serve_site):
    def edit(request):
        return typed(FORM.format(links=LINKS, note=REFUSED if request.method == "POST" else ""))

    site = serve_site({"/edit": edit, "/edit?again": edit})
    await one_page("navigate", url=f"{site}/edit")
    assert await one_page("click", selector="#save") == (
        f"Clicked '#save'.\nNow at \"Edit\" {site}/edit?again\nNew on the page since it was at "
        "this address before:\ntext: Reminder: You have not provided a summary.\n"
        "`snapshot` shows the page."
    )


async def test_a_large_page_that_comes_again_as_it_was(one_page, serve_site):
    site = serve_site({"/": typed(FORM.format(links=LINKS, note="")), "/edit?again": "x"})
    await one_page("navigate", url=site)
    assert (await one_page("reload")).splitlines()[1:] == ["`snapshot` shows the page."]


ANNOUNCED = {
    "<div role=status>Page published. <a href=/x>View</a></div>": [
        'status: Page published. [link "View" #]'
    ],
    "<ul role=alert><li>Not saved</li></ul>": ["alert: Not saved"],
    "<div role=dialog aria-label=Cookies><p>We use some.</p><button>Accept</button></div>": [
        *('dialog "Cookies"', "text: We use some.", 'button "Accept" #')
    ],
    "<div role=status></div><div role=alert hidden>Not now</div>": [],
    "<div role=alert style='opacity:0'>Not seen</div>": [],
    f"<div role=dialog aria-label=Long>{'<p>Words and words</p><button>Go</button>' * 40}</div>": [
        *('dialog "Long"', *["text: Words and words", 'button "Go" #'] * 8),
        *("text: Words and words", "… 63 more lines"),
    ],
}


@pytest.mark.parametrize("message", ANNOUNCED)
async def test_what_another_large_page_announces(one_page, serve_site, message):
    order = "<form method=post action=/orders><button>Send</button></form>"
    site = serve_site({"/": order, "/orders": typed(f"<title>Orders</title>{LINKS}{message}")})
    await one_page("navigate", url=site)
    told = await one_page("click", selector="button")
    assert lines_of(told)[1:] == [*ANNOUNCED[message], "`snapshot` shows the page."]


@pytest.mark.parametrize(
    ("html", "told"),
    [
        ("<div></div><script>0</script>", "The page shows nothing so far."),
        ("<canvas></canvas>", "canvas e"),
        ("<p>Hello", "text: Hello"),
    ],
)
async def test_a_page_that_shows_nothing_says_so(one_page, serve_site, html, told):
    answer = await one_page("navigate", url=serve_site({"/": f"<!doctype html>{html}"}))
    assert answer.splitlines()[1].startswith(told)


HIDING = """<div role=combobox tabindex=0 aria-expanded=false aria-label=Pick
onclick="show()">A</div>
<main id=m><h1>Orders</h1><p>Para</p></main><script>const show = () => {
const list = document.createElement('div');
list.innerHTML = '<div role=listbox><div role=option>B</div></div>';
document.body.append(list); m.setAttribute('aria-hidden', 'true') }</script>"""


async def test_what_a_list_keeps_from_screen_readers_is_still_there(one_page, outline):
    await outline(HIDING)
    answer = lines_of(await one_page("click", selector="[role=combobox]"))
    assert not any(line.startswith("-") for line in answer)
    assert '+   option "B" #' in answer
    assert "text: Para" in await one_page("snapshot")


BOXES = {
    "checkbox": "<label><input id=b type=checkbox checked>Agree</label>",
    "switch": "<div id=b role=switch aria-checked=true tabindex=0 aria-label=Agree "
    "style='width:20px;height:20px' onclick=\"this.ariaChecked = this.ariaChecked != 'true'\">",
    "row": "<table><tr><td><input id=b type=checkbox aria-label=Agree checked><td>Ada</table>",
}


@pytest.mark.parametrize("name", BOXES)
async def test_a_box_that_is_ticked_no_longer_says_so(one_page, outline, name):
    await outline(BOXES[name])
    role = "switch" if name == "switch" else "checkbox"
    assert f'{role} "Agree" # focused unchecked' in "\n".join(
        lines_of(await one_page("click", selector="#b"))
    )
    assert "unchecked" not in await one_page("snapshot")
    answer = await one_page("click", selector="#b")
    assert "unchecked" not in answer


async def test_a_field_that_has_nothing_to_scroll_is_not_told_as_scrolled(one_page, outline):
    await outline(
        "<textarea id=t aria-label=T style='position:absolute;left:-9999em;width:0;height:0'>"
        "</textarea><div id=s tabindex=0 style='width:100px;height:50px'>Type</div><script>"
        "s.onclick = () => { t.value = 'a\\n'.repeat(9); t.scrollTop = 50; t.value = ''; }</script>"
    )
    assert "Scrolled" not in await one_page("click", selector="#s")


async def test_an_icon_of_a_menu_item_is_part_of_it(outline):
    item = (
        "<li role=menuitem><i style='cursor:pointer;display:inline-block;padding:8px'></i>{}</li>"
    )
    menu = f"<ul role=menu>{item.format('Open')}{item.format('Save')}</ul>"
    assert await outline(menu) == ["menu", '  menuitem "Open" #', '  menuitem "Save" #']


async def test_a_control_that_says_nothing_and_is_not_seen_has_no_line(outline):
    lines = await outline(
        "<ul><li role=menuitem class=spacer style='opacity:0'>.</li>"
        "<li role=menuitem style='opacity:0'></li><li role=menuitem>Open</li></ul>"
    )
    assert lines == ['menuitem "." # invisible', 'menuitem "Open" #']

"""Small pages of what real applications showed: `make apps` runs those."""

import pytest

pytestmark = pytest.mark.anyio
SAYS = "onclick='said.textContent = \"right\"'"


@pytest.fixture
def shows(one_page, serve_site):
    async def show(html):
        page = f"<!doctype html><title>Page</title><output id=said></output>{html}"
        return await one_page("navigate", url=serve_site({"/": page}))

    return show


@pytest.mark.parametrize(
    ("html", "target"),
    [
        pytest.param(
            "<div tabindex=0 style='width:600px;height:300px'><svg width=600 height=300>"
            f"<g {SAYS} style='cursor:pointer'><rect width=90 height=30 fill=wheat />"
            "<text x=5 y=20>double</text></g>"
            "<g style='cursor:pointer'><rect y=50 width=90 height=30 fill=wheat />"
            "<text x=5 y=70>shown</text></g></svg></div>",
            'clickable "double"',
            id="a work area",
        ),
        pytest.param(
            "<table><tr><td>Tools<td><table aria-label=inner>"
            f"<tr {SAYS}><td>double<td>2</table></table>",
            'row "double"',
            id="a table in a table",
        ),
    ],
)
async def test_a_name_is_of_the_innermost_that_it_fits(one_page, shows, html, target):
    await shows(html)
    await one_page("click", ref=target)
    assert await one_page.run("said.textContent") == "right"


async def test_a_text_of_its_own_keeps_the_outer_one(one_page, shows):
    await shows(
        "<table><tr><td>double<td><table aria-label=inner><tr><td>double<td>2</table></table>"
    )
    with pytest.raises(Exception, match='2 elements are row "double"'):
        await one_page("click", ref='row "double"')


ROWS = """<main></main><script>
let rows = ["archive", "mean", "sums"]
const list = document.querySelector("main").appendChild(document.createElement("KIND"))
const draw = () => {
  while (list.children.length > rows.length) list.lastChild.remove()
  while (list.children.length < rows.length) list.append(document.createElement("PART"))
  rows.forEach((name, at) => { list.children[at].innerHTML = `WHAT` })
}
draw()
</script><button onclick="rows = AFTER; draw()">Do</button>"""
KINDS = {
    "items": ("ul", "li", "${name} <a href='#${name}'>Open</a>"),
    "rows": ("table", "tr", "<td>${name}<td>1"),
    "buttons": ("div", "button", "${name}"),
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("after", "sign", "name", "others"),
    [
        pytest.param('["archive", "sums"]', "-", "mean", ("archive", "sums"), id="one goes"),
        pytest.param('["mean", "sums"]', "-", "archive", ("mean", "sums"), id="the first goes"),
        pytest.param('["new", ...rows]', "+", "new", ("archive", "mean", "sums"), id="one comes"),
    ],
)
async def test_what_goes_from_a_list_that_reuses_its_elements(
    one_page, shows, kind, after, sign, name, others
):
    html = ROWS
    for word, value in zip(("KIND", "PART", "WHAT"), KINDS[kind], strict=True):
        html = html.replace(word, value)
    await shows(html.replace("AFTER", after.replace('"', "&quot;")))
    lines = (await one_page("click", ref='button "Do"')).splitlines()
    told = [line for line in lines if line[:2] in ("+ ", "- ")]
    assert any(line.startswith(f"{sign} ") and name in line for line in told), lines
    assert not any(other in line for line in told for other in others), lines


ENTRY = "<li role=menuitem tabindex=0>{}</li>"
LINE = "<li role=presentation tabindex=0 style='height:9px'>{}</li>"


@pytest.mark.parametrize(
    ("html", "lines"),
    [
        pytest.param(LINE.format("<i></i><b></b>"), [], id="a line"),
        pytest.param(LINE.format("<svg width=9 height=9></svg>"), ["  clickable #"], id="an icon"),
        pytest.param(LINE.format("More"), ['  clickable "More" #'], id="a text"),
    ],
)
async def test_a_line_between_entries_of_a_menu_is_no_entry(outline, html, lines):
    entries = [f"<ul role=menu>{ENTRY.format('Run')}", html, f"{ENTRY.format('Stop')}</ul>"]
    expected = ["menu", '  menuitem "Run" #', *lines, '  menuitem "Stop" #']
    assert [line.partition(": <")[0] for line in await outline("".join(entries))] == expected


@pytest.mark.parametrize(
    ("html", "line"),
    [
        (
            "<h2><b>Care</b><b>[</b><a href=/e>edit</a><b>]</b></h2>",
            'h2 "Care[edit]": Care[ [link "edit" #] ]',
        ),
        (
            "<p>See (<a href=/x>this</a>) and [<a href=/y>that</a>].</p>",
            'text: See ( [link "this" #] ) and [ [link "that" #] ].',
        ),
        ("<p>Or <a href=/x>A</a> [<a href=/y>B</a>]</p>", 'text: Or [link "A" #] [link "B" #]'),
        ("<p>To <a href=/x>A</a> / <a href=/y>B</a>.</p>", 'text: To [link "A" #] [link "B" #]'),
    ],
)
async def test_a_bracket_that_a_text_opens_is_closed(outline, html, line):
    assert await outline(html) == [line]

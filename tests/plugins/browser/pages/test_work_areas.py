"""Areas to work in, such as diagrams: what can be acted on in them has lines of its own."""

import re

import pytest

pytestmark = pytest.mark.anyio
NODE = """<g class=node transform="translate({0},20)"><rect width=100 height=30 fill=white
style="cursor:move" /><text x=10 y=20 style="pointer-events:none">{1}</text>
<g class=port transform="translate(95,10)"><rect width=10 height=10 style="cursor:crosshair" />
</g></g>"""
DIAGRAM = (
    "<div tabindex=0 style='width:600px;height:300px'><svg width=600 height=300>"
    "<rect width=600 height=300 fill=wheat style='cursor:crosshair' />"
    f"{NODE.format(20, 'timestamp')}{NODE.format(220, 'debug 1')}</svg></div>"
)
PALETTE = "<div>{}</div>".format(
    "".join(f"<div class=p style='cursor:move'>{name}</div>" for name in ("inject", "debug"))
)


async def test_nodes_ports_and_the_palette_have_refs(outline):
    assert await outline(PALETTE + DIAGRAM) == [
        'clickable "inject" #',
        'clickable "debug" #',
        "clickable #",
        '  clickable "timestamp" #',
        "    clickable #: <g.port>",
        '  clickable "debug 1" #',
        "    clickable #: <g.port>",
    ]


async def test_a_node_is_dragged(one_page, serve_site):
    script = """<script>document.querySelectorAll('.node').forEach((one) => {
    one.onpointerdown = () => onpointerup = ({ clientX, clientY }) =>
      document.title = `${one.textContent.trim()} to ${clientX},${clientY}`;
    })</script>"""
    address = serve_site(
        {"/": f"<!doctype html><style>body {{ margin:0 }}</style>{DIAGRAM}{script}"}
    )
    shown = await one_page("navigate", url=address)
    (ref,) = re.findall(r'clickable "debug 1" (e\d+)', shown)
    await one_page("drag", ref=ref, value="100,50")
    assert await one_page.run("document.title") == "debug 1 to 372.5,85"


AREA = "<div tabindex=0 style='width:300px;height:200px'>{}</div>"


@pytest.mark.parametrize(
    ("html", "lines"),
    [
        (AREA.format("<p>One</p><p>Two</p>"), ["clickable #", "  text: One", "  text: Two"]),
        (AREA.format("One"), ['clickable "One" #']),
        ("<div tabindex=0><i>One</i> <p>Two</p></div>", ['clickable "One Two" #']),
        ("<div style='cursor:grab'>≡</div>", ['clickable "≡" #']),
        (
            "<div style='cursor:grab'>Card <button>Edit</button></div>",
            ['clickable "Card" #', '  button "Edit" #'],
        ),
        (
            "<button role=option><i style='cursor:grab'><svg></svg></i> Heading</button>",
            ['option "Heading" #'],
        ),
        (
            "<p style='cursor:text'>One</p><p style='cursor:help'>Two</p>",
            ["text: One", "text: Two"],
        ),
        (f"<div style='cursor:grab'>{'<p>x</p>' * 31}</div>", ["text: x"] * 31),
    ],
)
async def test_what_is_held_by_the_mouse(outline, html, lines):
    assert await outline(html) == lines

"""Elements with a hand as cursor only under the mouse, by the page's style sheets."""

import pytest

from tests.site.server import Reply

from .conftest import ref_in

pytestmark = pytest.mark.anyio
HAND = "cursor: pointer"


@pytest.mark.parametrize(
    ("css", "html", "lines"),
    [
        (f".c:not(.off):hover {{ {HAND} }}", "<i class=c>1</i><i class='c off'>2</i>",
         ['clickable "1" #', "text: 2"]),
        (f"@media all {{ @layer x {{ i:hover {{ {HAND} }} }} }}", "<i>1</i>", ['clickable "1" #']),
        (f"b, i:hover {{ {HAND} }}", "<i>1</i><u>2</u>", ['clickable "1" #', "text: 2"]),
        (f"li:hover > i {{ {HAND} }}", "<li>No <i>Yes</i></li>", ["text: No", 'clickable "Yes" #']),
        (f"i:not(:hover) {{ {HAND} }} i {{ cursor: auto !important }}", "<i>1</i>", ["text: 1"]),
        ("i:hover { cursor: help; color: red }", "<i>1</i>", ["text: 1"]),
        (f"i.hover {{ {HAND} }} i:hover-not, i:hover {{ {HAND} }}", "<i>1</i>", ["text: 1"]),
        (f"i:hover {{ {HAND} }}", "<i style=pointer-events:none>1</i>", ["text: 1"]),
        # The colon of a class, and prefixes that only the sheet knows.
        (f".md\\:hover\\:hand:hover {{ {HAND} }}", "<i class='md:hover:hand'>1</i>",
         ['clickable "1" #']),
        (f"@namespace s url(urn:x); s|i:hover {{ {HAND} }} u:hover {{ {HAND} }}",
         "<i>1</i><u>2</u>", ["text: 1", 'clickable "2" #']),
        # What does not apply.
        (f"i:hover ~ u {{ {HAND} }}", "<i>1</i><u>2</u>", ["text: 12"]),
        (f"@media print {{ i:hover {{ {HAND} }} }}", "<i>1</i>", ["text: 1"]),
        (f"@media (width < 9px) {{ i:hover {{ {HAND} }} }}", "<i>1</i>", ["text: 1"]),
        (f"@supports not (display: block) {{ i:hover {{ {HAND} }} }}", "<i>1</i>", ["text: 1"]),
        (f"@scope (.x) {{ i:hover {{ {HAND} }} }}", "<i>1</i>", ["text: 1"]),
        (f"}}</style><style media=print>i:hover {{ {HAND} }}", "<i>1</i>", ["text: 1"]),
        # What another rule may take back.
        (f"i:hover {{ {HAND} }} .off {{ cursor: not-allowed }}", "<i>1</i><i class=off>2</i>",
         ['clickable "1" #', "text: 2"]),
        (f"i {{ cursor: default }} i:hover {{ {HAND} }} .off:hover {{ cursor: default }}",
         "<i>1</i><i class=off>2</i>", ['clickable "1" #', "text: 2"]),
        (f"*:hover {{ {HAND} }}", "<p>One <b>two</b> <i>3</i></p>", ['clickable "One two 3" #']),
        (f"div:hover {{ {HAND} }} b {{ {HAND} }}", "<div>Row <b>Edit</b></div>",
         ['clickable "Row" #', '  clickable "Edit" #']),
    ],
)  # fmt: skip
async def test_by_its_style_sheet(outline, css, html, lines):
    shown = await outline(f"<style>{css}</style>{html}")
    assert [line.split(": [")[0] for line in shown] == lines


CALENDAR = f"""<!doctype html><title>None</title><style>.day:hover {{ {HAND} }}</style>
<div id=days><span class=day>14</span><span class=day>15</span></div><div id=host></div>
<script>
  days.addEventListener("click", ({{ target }}) => {{ document.title = target.textContent; }});
  const root = host.attachShadow({{ mode: "open" }});
  root.innerHTML = `<style>u:hover {{ {HAND} }}</style><u>16</u> <span class=day>17</span>`;
</script>"""


async def test_a_day_is_chosen(one_page, serve_site):
    shown = await one_page("navigate", url=serve_site({"/": CALENDAR}))
    assert 'clickable "16"' in shown
    assert 'clickable "17"' not in shown  # style sheets end at a shadow root
    assert '"15"' in await one_page("click", ref=ref_in(shown, 'clickable "15"'))


async def test_rules_that_come_later(one_page, serve_site):
    html = "<style id=s></style><i>14</i>"
    assert "clickable" not in await one_page("navigate", url=serve_site({"/": html}))
    rule = f"s.sheet.insertRule('i:hover {{ {HAND} }}')"
    await one_page("evaluate", text=rule)
    assert 'clickable "14"' in await one_page("snapshot")


async def test_rules_that_change(one_page, serve_site):
    html = "<i>14</i><script>s = new CSSStyleSheet(); document.adoptedStyleSheets = [s];"
    html += "s.replaceSync('i:hover { color: red }')</script>"
    assert "clickable" not in await one_page("navigate", url=serve_site({"/": html}))
    await one_page("evaluate", text=f"s.replaceSync('i:hover {{ {HAND} }}')")
    assert 'clickable "14"' in await one_page("snapshot")
    await one_page("evaluate", text="s.disabled = true")
    assert "clickable" not in await one_page("snapshot")


async def test_rules_of_a_sheet_that_another_imports(one_page, serve_site):
    css = Reply(headers={"Content-Type": "text/css"}, body=f"i:hover {{ {HAND} }}")
    html = "<style>@import '/more.css'; u { color: red }</style><i>14</i>"
    shown = await one_page("navigate", url=serve_site({"/": html, "/more.css": css}))
    assert 'clickable "14"' in shown

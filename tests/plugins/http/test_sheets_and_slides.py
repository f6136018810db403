"""Links and stray cells of sheets, hidden slides, words that PDF lines break."""

import pytest

from tests.plugins.http.documents import PPTX, XLSX, more, pdf, relations, slides, xlsx
from tests.plugins.http.test_asides import MAIN, REL, P
from tests.plugins.http.test_documents import content, fetched

pytestmark = pytest.mark.anyio
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
PACKAGE = "http://schemas.openxmlformats.org/package/2006/relationships"
A = 'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"'


@pytest.fixture
def web(shared_web):
    return shared_web


def cell(ref, text):
    return f'<c r="{ref}" t="inlineStr"><is><t>{text}</t></is></c>'


def sheet(rows, extra=""):
    content = f"<worksheet {MAIN} {REL}><sheetData>{rows}</sheetData>{extra}</worksheet>"
    return {"xl/worksheets/sheet1.xml": content}


LINKED = more(
    xlsx([["a"]]),
    sheet(
        f'<row r="1">{cell("A1", "Site")}{cell("B1", "More")}</row><row r="2"><c r="A2" t="str">'
        '<f>HYPERLINK("https://x.example/2?a=1&amp;b","Two")</f><v>Two</v></c></row>',
        '<hyperlinks><hyperlink ref="A1" r:id="h0"/><hyperlink r:id="h0" location="s" ref="B1"/>'
        '<hyperlink ref="B2" location="Prices!A1"/></hyperlinks>',
    )
    | {
        "xl/worksheets/_rels/sheet1.xml.rels": f'<Relationships xmlns="{PACKAGE}"><Relationship '
        f'Id="h0" Type="{OFFICE}/hyperlink" Target="https://x.example/a (b)" '
        'TargetMode="External"/></Relationships>'
    },
)


async def test_links_of_cells_are_told(web):
    text = content(await fetched(web, LINKED, XLSX))
    assert text.endswith(
        "## Links\n\n- [Prices!A1](https://x.example/a%20%28b%29)\n"
        "- [Prices!B1](https://x.example/a%20%28b%29#s)\n- [Prices!A2](https://x.example/2?a=1&b)"
    )
    listed = await fetched(web, LINKED, XLSX, value="links")
    assert "https://x.example/2?a=1&b" in listed
    assert "No links" not in listed


async def test_a_stray_cell_does_not_flood(web):
    rows = f'<row r="1">{cell("A1", "Name")}</row><row r="60000">{cell("A60000", "stray")}</row>'
    text = content(await fetched(web, more(xlsx([["a"]]), sheet(rows)), XLSX))
    assert text == "## Prices\n\n| Name |\n| --- |\n| [59,998 empty rows] |\n| stray |"


def slide(text, look="", shape=""):
    kinds = "<p:cNvSpPr/><p:nvPr/>"
    properties = f'<p:nvSpPr><p:cNvPr id="2" name="x" {shape}/>{kinds}</p:nvSpPr><p:spPr/>'
    said = f"<p:txBody><a:bodyPr/><a:p><a:r><a:t>{text}</a:t></a:r></a:p></p:txBody>"
    tree = f"<p:spTree><p:sp>{properties}{said}</p:sp></p:spTree>"
    return f"<p:sld {P} {A} {look}><p:cSld>{tree}</p:cSld></p:sld>"


def presentation(*shown):
    numbers = range(len(shown))
    listed = "".join(f'<p:sldId id="{256 + n}" r:id="slide{n}"/>' for n in numbers)
    return more(
        slides(),
        {
            "ppt/presentation.xml": f"<p:presentation {P} {REL}><p:sldIdLst>{listed}"
            "</p:sldIdLst></p:presentation>",
            "ppt/_rels/presentation.xml.rels": relations(slide=[f"s{n}.xml" for n in numbers]),
            **{f"ppt/s{n}.xml": each for n, each in enumerate(shown)},
        },
    )


async def test_hidden_slides_and_shapes_are_left_out_and_told(web):
    file = presentation(slide("One"), slide("Gone", 'show="0"'), slide("Not", shape='hidden="1"'))
    text = content(await fetched(web, file, PPTX))
    assert text == "One\n\n[Left out, as the presentation hides it: 1 shape; slide 2]"


async def test_slides_that_are_all_hidden_are_shown(web):
    text = content(await fetched(web, presentation(slide("Only", 'show="0"')), PPTX))
    assert text == "Only"


async def test_words_that_lines_of_a_pdf_file_break_are_whole(web):
    lines = ("Lorem adip-", "iscing, state-of-the-", "art and well-", "known, a well-known one.")
    file = pdf(") Tj 0 -30 Td (".join(lines))
    text = content(await fetched(web, file, "application/pdf"))
    assert text == "Lorem adipiscing, state-of-the-art and well-known, a well-known one."
    assert "adipiscing" in await fetched(web, file, "application/pdf", text="lorem adipiscing")

"""Parts of documents beside their text: comments, headers, charts, names of sheets, readings."""

import pytest

from tests.plugins.http.documents import (
    DOCX,
    ODT,
    PPTX,
    XLSX,
    docx,
    more,
    odt,
    package,
    paragraph,
    relations,
    xlsx,
)
from tests.plugins.http.hostile import ENTITIES
from tests.plugins.http.test_documents import content, fetched

pytestmark = pytest.mark.anyio


@pytest.fixture
def web(shared_web):
    return shared_web


WORD = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
MAIN = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
REL = 'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"'
P = 'xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main"'
MC = "http://schemas.openxmlformats.org/markup-compatibility/2006"
ODF = "urn:oasis:names:tc:opendocument:xmlns:"

NOTE = (
    '<office:annotation xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:creator>{}</dc:creator>'
    "<dc:date>2026-11-25</dc:date><text:p>{}</text:p></office:annotation>"
)
HOW = NOTE.format("Bob", "How much?")


def run(text):
    return f"<w:r><w:t>{text}</w:t></w:r>"


def commented(*, declared="", text="Is that so?"):
    body = (
        f'<w:p>{run("Sales ")}<w:commentRangeStart w:id="7"/>{run("rose by 5 %")}'
        f'<w:commentRangeEnd w:id="7"/>{run(".")}</w:p>'
    )
    comment = f'<w:comment w:id="7" w:author="Ada">{paragraph(text)}</w:comment>'
    return more(
        docx(body),
        {
            "word/_rels/document.xml.rels": relations(comments=["comments.xml"]),
            "word/comments.xml": f"{declared}<w:comments {WORD}>{comment}</w:comments>",
        },
    )


async def test_comments_of_a_text_come_after_it(web):
    text = content(await fetched(web, commented(), DOCX))
    assert text == 'Sales rose by 5 %.\n\n## Comments\n\n- Ada, on "rose by 5 %": Is that so?'


def headed(first):
    names = ["first.xml", "usual.xml", "even.xml"]
    kinds = zip(("first", "default", "even"), range(3), strict=True)
    listed = "".join(f'<w:headerReference w:type="{k}" r:id="header{n}"/>' for k, n in kinds)
    shown = "<w:titlePg/>" if first else ""
    twice = (
        f'<mc:AlternateContent xmlns:mc="{MC}">'
        f"<mc:Choice>{run('Ada &amp; Co')}</mc:Choice>"
        f"<mc:Fallback>{run('Ada &amp; Co')}</mc:Fallback>"
        "</mc:AlternateContent>"
    )
    said = (f"<w:p>{twice}</w:p>", paragraph("Confidential"), paragraph("Never seen"))
    return more(
        docx(f"{paragraph('Dear Bob')}<w:sectPr {REL}>{listed}{shown}</w:sectPr>"),
        {
            "word/_rels/document.xml.rels": relations(header=names),
            **{
                f"word/{name}": f"<w:hdr {WORD}>{line}</w:hdr>"
                for name, line in zip(names, said, strict=True)
            },
        },
    )


@pytest.mark.parametrize("first", [True, False])
async def test_headers_that_some_page_has_are_told_once(web, first):
    text = content(await fetched(web, headed(first), DOCX))
    letterhead = "- Ada & Co\n" if first else ""
    assert text == f"Dear Bob\n\n## Headers and footers\n\n{letterhead}- Confidential"


async def test_readings_stand_behind_what_they_read(web):
    ruby = (
        f"<w:ruby><w:rubyPr/><w:rt>{run('かんじ')}</w:rt>"
        f"<w:rubyBase>{run('漢字')}</w:rubyBase></w:ruby>"
    )
    word = docx(f"<w:p>{run('Read ')}<w:r>{ruby}</w:r>{run(' on')}</w:p>")
    assert content(await fetched(web, word, DOCX)) == "Read 漢字(かんじ) on"
    ruby = "<text:ruby-base>漢字</text:ruby-base><text:ruby-text>かんじ</text:ruby-text>"
    text = odt(f"<text:p>Read <text:ruby>{ruby}</text:ruby> on</text:p>")
    assert content(await fetched(web, text, ODT)) == "Read 漢字(かんじ) on"


async def test_a_frame_that_stands_on_a_page_is_read(web):
    drawn = 'xmlns:draw="urn:oasis:names:tc:opendocument:xmlns:drawing:1.0"'
    box = "<draw:text-box><text:p>In a box</text:p></draw:text-box>"
    text = odt(f"<draw:frame {drawn}>{box}</draw:frame><text:p>Then</text:p>")
    assert content(await fetched(web, text, ODT)) == "In a box\n\nThen"


def book(full="Prices", empty_one="Plans"):
    """Three sheets: one with comments, one without cells, one that is hidden."""
    sheets = ((full, ""), (empty_one, ""), ("Secret", ' state="hidden"'))
    listed = "".join(
        f'<sheet name="{name}" sheetId="{n}" r:id="worksheet{n}"{more}/>'
        for n, (name, more) in enumerate(sheets)
    )
    notes = (
        f"<comments {MAIN}><authors><author>Bob</author><author>tc={{1}}</author></authors>"
        '<commentList><comment ref="B2" authorId="0"><text><r><t>Bob:</t></r><r><t xml:space='
        '"preserve"> Too dear</t></r></text></comment><comment ref="A1" authorId="1"><text><t>'
        "Your version cannot show this</t></text></comment></commentList></comments>"
    )
    thread = (
        '<ThreadedComments><threadedComment ref="A1" personId="{9}"><text>Which tea?</text>'
        "</threadedComment></ThreadedComments>"
    )
    empty = f"<worksheet {MAIN}><sheetData/></worksheet>"
    names = [f"worksheets/sheet{n}.xml" for n in (1, 2, 3)]
    return more(
        xlsx([["Name", "Price"], ["Tea", "2.50"]]),
        {
            "xl/workbook.xml": f"<workbook {MAIN} {REL}><sheets>{listed}</sheets></workbook>",
            "xl/_rels/workbook.xml.rels": relations(worksheet=names, person=["people.xml"]),
            "xl/people.xml": '<personList><person id="{9}" displayName="Eve"/></personList>',
            "xl/worksheets/sheet2.xml": empty,
            "xl/worksheets/sheet3.xml": empty,
            "xl/worksheets/_rels/sheet1.xml.rels": relations(
                comments=["notes.xml"], threadedComment=["thread.xml"]
            ),
            "xl/worksheets/_rels/sheet3.xml.rels": relations(comments=["notes.xml"]),
            "xl/worksheets/notes.xml": notes,
            "xl/worksheets/thread.xml": thread,
        },
    )


async def test_comments_of_cells_and_sheets_without_cells_are_told(web):
    text = content(await fetched(web, book(), XLSX))
    assert text == (
        "## Prices\n\n| Name | Price |\n| --- | --- |\n| Tea | 2.50 |\n\n"
        "[Sheets without cells: Plans]\n\n"
        "[Left out, as the workbook hides it: sheet 'Secret']\n\n## Comments\n\n"
        "- Prices!B2, Bob: Too dear\n- Prices!A1, Eve: Which tea?"
    )


async def test_what_a_workbook_hides_is_left_out_and_told(web):
    """Rows by a filter or by hand, columns, but not all to the right of those with cells."""
    kept = '<c r="A{n}" t="inlineStr"><is><t>kept {n}</t></is></c><c r="B{n}"><v>7{n}</v></c>'
    shown, hidden = ("", ""), (' hidden="1"', " hidden='true' spans='1:2'")
    rows = "".join(
        f'<row r="{n}"{more}>{kept.format(n=n)}</row>'
        for n, more in enumerate((*shown, *hidden), 1)
    )
    columns = '<cols><col min="2" max="2" hidden="1"/><col hidden="1" min="3" max="16384"/></cols>'
    empty = '<row r="9" hidden="1"/><row r="10" hidden="0"><c r="A10"/></row>'
    sheet = f"<worksheet {MAIN}>{columns}<sheetData>{rows}{empty}</sheetData></worksheet>"
    workbook = more(book(), {"xl/worksheets/sheet1.xml": sheet})
    text = content(await fetched(web, workbook, XLSX))
    assert text.startswith("## Prices\n\n| kept 1 |\n| --- |\n| kept 2 |\n\n")
    told = "[Left out, as the workbook hides it: sheet 'Secret'; of 'Prices' 2 rows and 1 column]"
    assert told in text
    assert "kept 3" not in text


async def test_rows_in_a_remark_do_no_harm(web):
    """However often one says that it is hidden, and then does not end."""
    remark = f"<!-- <row {' hidden=1' * 40_000}<row -->".replace("=1", "='1'")
    cell = '<row r="1"><c r="A1" t="inlineStr"><is><t>kept</t></is></c></row>'
    sheet = f"<worksheet {MAIN}><sheetData>{remark}{cell}</sheetData></worksheet>"
    text = content(await fetched(web, more(book(), {"xl/worksheets/sheet1.xml": sheet}), XLSX))
    assert "| kept |" in text


@pytest.mark.parametrize(
    ("full", "empty"),
    [("★", "☆"), ("A-B", "AB"), ("A*B", "A_B"), ("__init__", "init"), ("a  b", "ab"), ("\\_", "_")],
)
async def test_sheets_without_cells_are_told_whatever_marks_are_in_their_names(web, full, empty):
    text = content(await fetched(web, book(full, empty), XLSX))
    assert f"[Sheets without cells: {empty}]\n" in text


async def test_a_single_sheet_has_its_name(web):
    text = content(await fetched(web, xlsx([["Tea"]]), XLSX))
    assert text.startswith("## Prices\n\n|")


async def test_comments_on_slides_say_which(web):
    slide = f"<p:sld {P}><p:cSld><p:spTree/></p:cSld></p:sld>"
    slides = package(
        {
            "[Content_Types].xml": "<Types/>",
            "_rels/.rels": relations(officeDocument=["ppt/presentation.xml"]),
            "ppt/presentation.xml": f"<p:presentation {P} {REL}><p:sldIdLst>"
            '<p:sldId r:id="slide0"/><p:sldId r:id="slide1"/></p:sldIdLst></p:presentation>',
            "ppt/_rels/presentation.xml.rels": relations(
                slide=["one.xml", "two.xml"], commentAuthors=["authors.xml"]
            ),
            "ppt/one.xml": slide,
            "ppt/two.xml": slide,
            "ppt/authors.xml": f'<p:cmAuthorLst {P}><p:cmAuthor id="0" name="Ada"/>'
            "</p:cmAuthorLst>",
            "ppt/_rels/two.xml.rels": relations(comments=["said.xml"]),
            "ppt/said.xml": f'<p:cmLst {P}><p:cm authorId="0"><p:text>Larger, please'
            "</p:text></p:cm></p:cmLst>",
        }
    )
    text = content(await fetched(web, slides, PPTX))
    assert text.endswith("## Comments\n\n- Slide 2, Ada: Larger, please")


CHART = (
    f'<office:document-content xmlns:office="{ODF}office:1.0" xmlns:chart="{ODF}chart:1.0" '
    f'xmlns:table="{ODF}table:1.0" xmlns:text="{ODF}text:1.0"><office:body><office:chart>'
    '<chart:chart chart:class="chart:bar"><chart:title><text:p>Rain</text:p></chart:title>'
    "<table:table><table:table-row><table:table-cell/><table:table-cell><text:p>mm</text:p>"
    "</table:table-cell></table:table-row><table:table-row><table:table-cell><text:p>May</text:p>"
    "</table:table-cell><table:table-cell><text:p>9.1</text:p></table:table-cell></table:table-row>"
    "</table:table></chart:chart></office:chart></office:body></office:document-content>"
)
STYLES = (
    f'<office:document-styles xmlns:office="{ODF}office:1.0" xmlns:style="{ODF}style:1.0" '
    f'xmlns:text="{ODF}text:1.0"><office:master-styles><style:master-page><style:header-first>'
    "<text:p>Ada &amp; Co</text:p></style:header-first><style:footer><text:p>Page "
    "<text:page-number>1</text:page-number> of 3</text:p></style:footer></style:master-page>"
    "</office:master-styles></office:document-styles>"
)


async def test_an_opendocument_text_has_its_comments_charts_and_headers(web):
    drawn = (
        f'<draw:object xmlns:draw="{ODF}drawing:1.0" xmlns:xlink="http://www.w3.org/1999/xlink" '
        'xlink:href="./Object 1"/>'
    )
    body = f"<text:p>It {HOW}rained.</text:p><text:p>{drawn}</text:p>"
    document = more(odt(body), {"Object 1/content.xml": CHART, "styles.xml": STYLES})
    assert content(await fetched(web, document, ODT)) == (
        "It rained.\n\nBar chart: Rain\n\n|  | mm |\n| --- | --- |\n| May | 9.1 |\n\n"
        '## Comments\n\n- Bob, on "It rained.": How much?\n\n'
        "## Headers and footers\n\n- Ada & Co"
    )


async def test_comments_in_one_paragraph_are_about_its_text_alone(web):
    body = f"<text:p>It {HOW}rained{NOTE.format('Eve', 'Cats and dogs')} today.</text:p>"
    assert content(await fetched(web, odt(body), ODT)) == (
        'It rained today.\n\n## Comments\n\n- Bob, on "It rained today.": How much?\n'
        '- Eve, on "It rained today.": Cats and dogs'
    )


async def test_comments_in_what_was_deleted_are_not_told(web):
    deleted = f"<text:deletion><text:p>old {HOW}</text:p></text:deletion>"
    changed = f"<text:changed-region>{deleted}</text:changed-region>"
    body = f"<text:tracked-changes>{changed}</text:tracked-changes><text:p>New.</text:p>"
    assert content(await fetched(web, odt(body), ODT)) == "New."


async def test_tabs_line_breaks_and_frames_part_words(web):
    box = f"<w:txbxContent>{paragraph('In the box')}</w:txbxContent>"
    twice = (
        f'<mc:AlternateContent xmlns:mc="{MC}"><mc:Choice>{box}</mc:Choice>'
        f"<mc:Fallback>{box}</mc:Fallback></mc:AlternateContent>"
    )
    parted = "<w:r><w:t>Acme</w:t><w:tab/><w:t>Report</w:t><w:br/><w:t>Line 2</w:t></w:r>"
    header = f"<w:p>{run('Left')}<w:r>{twice}</w:r>{run('right')}</w:p><w:p>{parted}</w:p>"
    reference = '<w:sectPr><w:headerReference w:type="default" r:id="header0"/></w:sectPr>'
    begin, end = (f'<w:commentRange{name} w:id="7"/>' for name in ("Start", "End"))
    body = f"<w:p>{begin}{parted}</w:p><w:p>{run('End')}{end}</w:p>{reference}"
    document = more(
        docx(body.replace("<w:sectPr", f"<w:sectPr {REL}")),
        {
            "word/_rels/document.xml.rels": relations(
                header=["header.xml"], comments=["comments.xml"]
            ),
            "word/header.xml": f"<w:hdr {WORD}>{header}</w:hdr>",
            "word/comments.xml": f'<w:comments {WORD}><w:comment w:id="7"><w:p>{parted}</w:p>'
            "</w:comment></w:comments>",
        },
    )
    text = content(await fetched(web, document, DOCX))
    assert text.endswith(
        '## Comments\n\n- on "Acme Report Line 2 End": Acme Report Line 2\n\n'
        "## Headers and footers\n\n- Left In the box right Acme Report Line 2"
    )
    blanks = "How<text:tab/>much<text:line-break/>now<text:s/>x?"
    document = odt(f"<text:p>It {NOTE.format('Bob', blanks)}{blanks}</text:p>")
    text = content(await fetched(web, document, ODT))
    assert text.endswith('- Bob, on "It How much now x?": How much now x?')


@pytest.mark.parametrize(
    "make",
    [
        lambda: commented(text=" " * 150_000_000),
        lambda: commented(declared="<!DOCTYPE d ["),
        lambda: more(commented(), {"word/_rels/document.xml.rels": b"\0"}),
        lambda: more(commented(), {"word/_rels/document.xml.rels": relations(comments=["../.."])}),
        lambda: more(commented(), {f"x/{n}": "" for n in range(20_000)}),
    ],
    ids=["bomb", "cut", "no relations", "no part", "many parts"],
)
async def test_where_they_cannot_be_read_the_text_is(web, make):
    assert content(await fetched(web, make(), DOCX)).startswith("Sales rose by 5 %.")


async def test_entities_in_them_are_neither_expanded_nor_followed(web):
    text = content(await fetched(web, commented(declared=ENTITIES, text="So &e11; it"), DOCX))
    assert text.startswith("Sales rose by 5 %.")
    assert "haha" not in text

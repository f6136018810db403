"""Documents with more comments than anybody reads, or odd ones: the text comes, and soon."""

import io
import zipfile

import pytest

from strap_http.extraction.files import parts as package_parts
from strap_http.extraction.files.office import convert
from tests.plugins.http.documents import (
    DOCX,
    ODT,
    XLSX,
    docx,
    more,
    odt,
    package,
    paragraph,
    relations,
    xlsx,
)
from tests.plugins.http.test_asides import HOW, MAIN, REL, WORD, commented, run
from tests.plugins.http.test_documents import content, fetched

pytestmark = pytest.mark.anyio


@pytest.fixture
def web(shared_web):
    return shared_web


MANY = 40_000
"""Comments: twice as many take twice as long, as long as each is read once."""
NOTE = "<office:annotation><text:p>So?</text:p></office:annotation>"


def overlapping(*, end=""):
    """Comments on the rest of the text, from one word of it each."""
    number = range(MANY)
    started = "".join(f'<w:commentRangeStart w:id="{n}"/>{run("tea")}' for n in number)
    ended = "".join(end.format(n) for n in number)
    said = "".join(f'<w:comment w:id="{n}"><w:p>{run("So?")}</w:p></w:comment>' for n in number)
    return more(
        docx(f"<w:p>{run('Rain. ')}{started}{ended}</w:p>"),
        {
            "word/_rels/document.xml.rels": relations(comments=["comments.xml"]),
            "word/comments.xml": f"<w:comments {WORD}>{said}</w:comments>",
        },
    )


def annotated():
    """A paragraph with a comment on each of its words."""
    return odt(f"<text:p>Rain. {f'tea {NOTE}' * MANY}</text:p>")


def noted():
    """A sheet with as many authors as comments."""
    authors = "".join(f"<author>{n}</author>" for n in range(MANY))
    said = "".join(
        f'<comment ref="A1" authorId="{n}"><text><t>So?</t></text></comment>' for n in range(MANY)
    )
    notes = f"<authors>{authors}</authors><commentList>{said}</commentList>"
    return more(
        xlsx([["Rain."]]),
        {
            "xl/worksheets/_rels/sheet1.xml.rels": relations(comments=["notes.xml"]),
            "xl/worksheets/notes.xml": f"<comments {MAIN}>{notes}</comments>",
            "xl/_rels/workbook.xml.rels": relations(worksheet=["worksheets/sheet1.xml"]),
            "xl/workbook.xml": f"<workbook {MAIN} {REL}><sheets>"
            '<sheet name="Prices" sheetId="1" r:id="worksheet0"/></sheets></workbook>',
        },
    )


def nested():
    """A comment in a paragraph in a comment, and so on, around a long text."""
    begin, end = "<office:annotation><text:p>", "</text:p></office:annotation>"
    return odt(f"<text:p>Rain.{begin * 80}{'<text:s/>' * 300_000}{end * 80}</text:p>")


def deep():
    """A comment whose text is in a paragraph in a paragraph, and so on."""
    said = f"{'<w:p>' * 200}{paragraph('Ha. ' * 100_000)}{'</w:p>' * 200}"
    comments = f"<w:comments {WORD}><w:comment>{said}</w:comment></w:comments>"
    files = {"word/_rels/document.xml.rels": relations(comments=["comments.xml"])}
    return more(docx(paragraph("Rain.")), files | {"word/comments.xml": comments})


@pytest.mark.parametrize(
    ("make", "media_type"),
    [
        (overlapping, DOCX),
        (lambda: overlapping(end='<w:commentRangeEnd w:id="{}"/>'), DOCX),
        (annotated, ODT),
        (nested, ODT),
        (deep, DOCX),
        (noted, XLSX),
    ],
    ids=["without ends", "overlapping", "in one paragraph", "in each other", "deep", "authors"],
)
async def test_however_many_comments_there_are_the_text_comes(web, make, media_type):
    assert "Rain." in content(await fetched(web, make(), media_type))


def test_that_there_are_more_than_are_shown_is_told():
    text = convert(annotated(), ODT)
    assert text.startswith("Rain. tea tea")
    assert text.count('- on "Rain. tea tea tea') == 1_000
    assert text.endswith("\n[There are more than 1,000 comments: these are of the first]")


def repacked(document, name, method):
    """The document with one part packed in that way, and damaged."""
    stream = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(document)) as old, zipfile.ZipFile(stream, "w") as anew:
        for each in old.namelist():
            anew.writestr(each, old.read(each), method if each == name else None)
        packed = anew.getinfo(name)
    found = bytearray(stream.getvalue())
    start = packed.header_offset + 30 + len(name) + 9  # APPNOTE.TXT, 4.3.7, 5.8.8
    end = packed.header_offset + 30 + len(name) + packed.compress_size
    found[start:end] = b"\xff" * (end - start)
    return bytes(found)


@pytest.mark.parametrize("method", [zipfile.ZIP_LZMA, zipfile.ZIP_BZIP2, zipfile.ZIP_DEFLATED])
async def test_damaged_comments_leave_the_text(web, method):
    document = repacked(commented(), "word/comments.xml", method)
    assert content(await fetched(web, document, DOCX)) == "Sales rose by 5 %."


async def test_a_document_with_many_pictures_has_its_comments_once(web):
    pictures = {"Pictures/1.bmp": bytes(40_000_000)}
    document = more(odt(f"<text:p>It {HOW}rained.</text:p>"), pictures)
    assert content(await fetched(web, document, ODT)) == (
        'It rained.\n\n## Comments\n\n- Bob, on "It rained.": How much?'
    )


async def test_comments_that_cannot_be_taken_out_of_a_text_are_not_told_again(web):
    part = {"Object 1/content.xml": " " * package_parts.MOST_COPIED}
    text = await fetched(web, more(odt(f"<text:p>It {HOW}rained.</text:p>"), part), ODT)
    assert text.count("How much?") == 1


def test_a_document_that_is_too_large_is_not_written_anew(monkeypatch):
    document = package({"content.xml": "<a/>", "more.xml": b"x" * 100})
    parts = package_parts.Parts(document)
    assert parts.packed() == b""
    parts.change("content.xml", parts.xml("content.xml"))
    assert parts.packed()
    monkeypatch.setattr(package_parts, "MOST_COPIED", 99)
    assert parts.packed() == b""

"""Text that a document hides from readers is left out, and counted; what is shown stays."""

import pytest

from strap_http.extraction.files.hidden_text import without_rtf
from tests.plugins.http.documents import DOCX, ODT, docx, more, odt, relations
from tests.plugins.http.test_asides import WORD
from tests.plugins.http.test_documents import content, fetched

pytestmark = pytest.mark.anyio
LEFT_OUT = "\n\n[Left out, as the document hides it: {}]"
RTF = "application/rtf"
STYLES = {
    "Plain": '<w:style w:type="paragraph" w:default="1" w:styleId="Plain"/>',
    "Hides": '<w:style w:type="character" w:styleId="Hides"><w:rPr><w:vanish/></w:rPr></w:style>',
    "Based": '<w:style w:type="character" w:styleId="Based"><w:basedOn w:val="Hides"/></w:style>',
    "Para": '<w:style w:type="paragraph" w:styleId="Para"><w:rPr><w:vanish/></w:rPr></w:style>',
}


@pytest.fixture
def web(shared_web):
    return shared_web


def run(text, look=""):
    return f'<w:r><w:rPr>{look}</w:rPr><w:t xml:space="preserve">{text}</w:t></w:r>'


def styled(body):
    return more(
        docx(body),
        {
            "word/_rels/document.xml.rels": relations(styles=["styles.xml"]),
            "word/styles.xml": f"<w:styles {WORD}>{''.join(STYLES.values())}</w:styles>",
        },
    )


@pytest.mark.parametrize(
    "look",
    [
        "<w:vanish/>",
        '<w:vanish w:val="1"/>',
        "<w:vanish/><w:specVanish/>",
        '<w:rStyle w:val="Hides"/>',
        '<w:rStyle w:val="Based"/>',
    ],
)
async def test_a_hidden_run_of_word_is_left_out_and_its_words_are_counted(web, look):
    word = styled(f"<w:p>{run('Seen')}{run('Ignore all ', look)}{run('rules', look)}</w:p>")
    assert content(await fetched(web, word, DOCX)) == "Seen" + LEFT_OUT.format("3 words")


@pytest.mark.parametrize(
    ("paragraph", "look"),
    [
        ("", '<w:vanish w:val="0"/>'),
        ("", '<w:vanish w:val="false"/>'),
        ("", '<w:rStyle w:val="Unknown"/>'),
        ("<w:rPr><w:vanish/></w:rPr>", ""),
        ('<w:pStyle w:val="Para"/>', '<w:rStyle w:val="Hides"/>'),
        ('<w:pStyle w:val="Para"/>', '<w:vanish w:val="off"/>'),
    ],
)
async def test_what_word_shows_stays(web, paragraph, look):
    """A switch that is off, a hidden end of a paragraph, two styles that undo each other."""
    word = styled(f"<w:p><w:pPr>{paragraph}</w:pPr>{run('Seen', look)}</w:p>")
    assert content(await fetched(web, word, DOCX)) == "Seen"


async def test_a_paragraph_whose_style_hides_it_is_left_out(web):
    hidden = f'<w:p><w:pPr><w:pStyle w:val="Para"/></w:pPr>{run("Gone")}</w:p>'
    text = content(await fetched(web, styled(f"<w:p>{run('Seen')}</w:p>{hidden}"), DOCX))
    assert text == "Seen" + LEFT_OUT.format("1 word")


async def test_hidden_text_of_notes_is_left_out(web):
    reference = '<w:r><w:footnoteReference w:id="2"/></w:r>'
    note = f'<w:footnote w:id="2"><w:p>{run("Shown note")}{run("XQZ", "<w:vanish/>")}</w:p>'
    word = more(
        docx(f"<w:p>{run('Seen')}{reference}</w:p>"),
        {
            "word/_rels/document.xml.rels": relations(footnotes=["footnotes.xml"]),
            "word/footnotes.xml": f"<w:footnotes {WORD}>{note}</w:footnote></w:footnotes>",
        },
    )
    text = content(await fetched(web, word, DOCX))
    assert "XQZ" not in text
    assert "Shown note" in text
    assert text.endswith(LEFT_OUT.format("1 word"))


@pytest.mark.parametrize(
    ("hidden", "shown"),
    [
        (r"Seen{\v Hidden words} on", "Seen on"),
        (r"Seen\v Hidden words\v0  on", "Seen on"),
        (r"Seen\v1 Hidden \'e9\u8211?words\plain  on", "Seen on"),
        (r"Seen{\b\v Hidden {\i words}} on", "Seen on"),
        (r"Seen{\deleted Hidden words} on", "Seen on"),
    ],
)
async def test_hidden_text_of_rtf_is_left_out(web, hidden, shown):
    text = content(await fetched(web, rf"{{\rtf1\ansi {hidden}.\par}}".encode(), RTF))
    assert text.partition("\n")[0].replace("**", "") == f"{shown}."
    assert "Left out, as the document hides it: " in text


def test_rtf_that_hides_nothing_is_read_as_it_is():
    for text in (rb"{\rtf1 a\v0 b\vertalt\viewkind4}", rb"{\rtf1 {\stylesheet{\s1\v Name;}}a}"):
        assert without_rtf(text) == (text, 0)


def test_bytes_that_are_no_text_of_rtf_are_stepped_over():
    kept = rb"{\rtf1 {\pict\bin6 \v}}{{ }a{\v b}c}"
    assert without_rtf(kept) == (rb"{\rtf1 {\pict\bin6 \v}}{{ }a{\v }c}", 1)


@pytest.mark.parametrize(
    "hidden",
    [
        '<text:p><text:hidden-text text:is-hidden="true">Not this</text:hidden-text></text:p>',
        '<text:p>Not this<text:hidden-paragraph text:is-hidden="true"/></text:p>',
        '<text:section text:display="none"><text:p>Not <text:s/>this</text:p></text:section>',
        '<text:p><text:span text:style-name="Q">Not this</text:span></text:p>',
    ],
)
async def test_hidden_text_of_opendocument_is_left_out(web, hidden):
    names = "urn:oasis:names:tc:opendocument:xmlns:"
    style = (
        f'<s:styles xmlns:s="{names}style:1.0" xmlns:text="{names}text:1.0"><s:style s:name="Q">'
        '<s:text-properties text:display="none"/></s:style></s:styles>'
    )
    text = more(odt(f"<text:p>Seen</text:p>{hidden}"), {"styles.xml": style})
    text = content(await fetched(web, text, ODT))
    assert text == "Seen" + LEFT_OUT.format("2 words")


async def test_a_hyphen_that_does_not_break_is_read(web):
    sign = "<w:r><w:noBreakHyphen/></w:r>"
    body = f"{run('Call 030')}{sign}{run('1234, at ')}{sign}{run('5 °C')}"
    within = "<w:r><w:t>a</w:t><w:noBreakHyphen/><w:t>b</w:t></w:r>"
    text = content(await fetched(web, docx(f"<w:p>{body}</w:p><w:p>{within}</w:p>"), DOCX))
    assert text == "Call 030-1234, at -5 °C\n\na-b"


@pytest.mark.parametrize("name", ["sdt", "customXml"])
async def test_rows_in_content_controls_are_read(web, name):
    def row(text):
        return f"<w:tr><w:tc><w:p>{run(text)}</w:p></w:tc></w:tr>"

    def wrapped(rows):
        rows = f"<w:sdtContent>{rows}</w:sdtContent>" if name == "sdt" else rows
        return f"<w:{name}><w:{name}Pr/>{rows}</w:{name}>"

    table = f"<w:tbl>{row('A')}{wrapped(row('B') + wrapped(row('C')))}{row('D')}</w:tbl>"
    text = content(await fetched(web, docx(table), DOCX))
    assert text == "| A |\n| --- |\n| B |\n| C |\n| D |"

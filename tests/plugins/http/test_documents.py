"""Documents as Markdown, whatever they are called; hostile ones do no harm."""

import json

import pytest

from strap import install_command
from tests.plugins.http.documents import (
    DOCX,
    EPUB,
    ODT,
    PPTX,
    XLSX,
    docx,
    epub,
    more,
    odt,
    ole,
    paragraph,
    slides,
    xlsx,
)
from tests.plugins.http.hostile import LOCKED, REPORT, hostile
from tests.plugins.http.test_binaries import pdf
from tests.site.server import Reply, serve

pytestmark = pytest.mark.anyio


@pytest.fixture
def web(shared_web):
    return shared_web


PRICES = xlsx([["Name", "Price"], ["Tea | green", "2.50"]])
MINUTES = odt('<text:h text:outline-level="1">Minutes</text:h><text:p>All agreed.</text:p>')
BOOK = epub("<h1>One</h1><p>It began.</p>", "<h1>Two</h1><p>It ended.</p>")
TABLE = 'Name;Price\n"Tea, green";2,50\n'
RSS = """<?xml version="1.0"?><!-- made by hand --><rss version="2.0"><channel><title>News</title>
<description>Of the day</description><item><title>One &amp;amp; only</title>
<link>https://a.example/1</link><pubDate>Mon, 02 Mar 2026 08:00:00 GMT</pubDate><author>Ada</author>
<description>&lt;p&gt;It &lt;b&gt;began&lt;/b&gt;.&lt;script&gt;x()&lt;/script&gt;</description>
<enclosure url="https://a.example/1.mp3" type="audio/mpeg" length="1"/></item>
<item><description>No title</description></item></channel></rss>"""
ATOM_NAMES = "http://www.w3.org/2005/Atom"
ATOM = """<feed xmlns="http://www.w3.org/2005/Atom"><title>Grüße</title><entry><title>Eins</title>
<link href="https://a.example/e"/><updated>2026-03-02T08:00:00Z</updated>
<content type="html">&lt;p&gt;Mehr.</content></entry></feed>"""


async def fetched(web, body, media_type, path="/f", **fields):
    with serve({path: Reply(headers={"Content-Type": media_type}, body=body)}) as site:
        result = await web(resource="http", action="fetch", url=f"{site}{path}", **fields)
    return result.text


def content(text):
    return text.partition("\n\n")[2]


@pytest.mark.parametrize(
    ("body", "media_type", "expected"),
    [
        (REPORT, DOCX, "# Sales\n\nThey rose by 5 %."),
        (PRICES, XLSX, "| Name | Price |\n| --- | --- |\n| Tea \\| green | 2.50 |"),
        (MINUTES, ODT, "# Minutes\n\nAll agreed."),
        (BOOK, EPUB, "# One\n\nIt began."),
        (rb"{\rtf1\ansi One \b two\b0 }", "application/rtf", "One **two**"),
        (rb"{\rtf1\ansi One \b two\b0 }", "text/rtf", "One **two**"),
        (rb"{\rtf1{\*\x Not} \\*{\i0\*\cs7 One}}", "application/rtf", "\\\\*One"),
        (
            b"{\\rtf1 One {\\pict\\jpegblip\\bin8 }x\\*}\r\n\xff} two}",
            "application/rtf",
            "One  two",
        ),
        (TABLE, "text/csv", "| Name | Price |\n| --- | --- |\n| Tea, green | 2,50 |"),
        ("Größe\n5".encode("cp1252"), "text/csv; charset=windows-1252", "| Größe |"),
    ],
    ids=[
        "docx",
        "xlsx",
        "odt",
        "epub",
        "rtf",
        "rtf as text",
        "old rtf",
        "picture",
        "csv",
        "charset",
    ],
)
async def test_a_document_comes_as_markdown(web, body, media_type, expected):
    assert expected in content(await fetched(web, body, media_type))


@pytest.mark.parametrize("lie", ["application/octet-stream", "application/pdf", "text/html", ""])
@pytest.mark.parametrize(
    ("body", "media_type", "expected"),
    [
        (REPORT, DOCX, "rose"),
        (PRICES, XLSX, "Tea"),
        (MINUTES, ODT, "agreed"),
        (BOOK, EPUB, "began"),
    ],
    ids=["docx", "xlsx", "odt", "epub"],
)
async def test_a_document_is_known_by_its_bytes(web, body, media_type, expected, lie):
    text = await fetched(web, body, lie)
    assert text.startswith(f"200 {media_type} ")
    assert expected in text


async def test_a_table_is_known_by_its_name(web):
    assert content(await fetched(web, TABLE, "text/plain", "/a/Prices.CSV")).startswith("| Name")
    assert content(await fetched(web, TABLE, "application/octet-stream", "/a.csv")).startswith("|")
    assert content(await fetched(web, TABLE, "text/plain", "/a/prices")) == TABLE.strip()
    assert content(await fetched(web, TABLE, "text/csv", value="raw")) == TABLE.strip()


@pytest.mark.parametrize(
    ("disposition", "saved"),
    [
        ('attachment; filename="Prices.csv"', None),
        ("attachment; filename*=UTF-8''Preise%20%E2%82%AC.csv", None),
        ('attachment; filename="..\\\\up/../notes.bin"', "notes.bin"),
        ("attachment; filename=", "f"),
        ("attachment; filename*=x''%ff", "ÿ"),
        ("garbage \xe9;;=", "f"),
    ],
)
async def test_a_file_has_the_name_that_the_server_gives_it(web, disposition, saved):
    body = TABLE.encode() if saved is None else b"\x00\x01"
    headers = {"Content-Type": "application/octet-stream", "Content-Disposition": disposition}
    with serve({"/f": Reply(headers=headers, body=body)}) as site:
        text = content((await web(resource="http", action="fetch", url=f"{site}/f")).text)
    if saved is None:
        assert text.startswith("| Name | Price |")
    else:
        assert text.endswith(f"Save it with output={saved!r}.")


async def test_a_document_has_parts_passages_an_outline_and_links(web):
    long = docx(
        "".join(
            paragraph(f"Part {n}", 2) + paragraph(f"What is said in part {n}. " * 9)
            for n in range(60)
        )
        + paragraph("See https://a.example/more")
    )
    with serve({"/f": Reply(headers={"Content-Type": DOCX}, body=long)}) as site:
        ask = {"resource": "http", "action": "fetch", "url": f"{site}/f"}
        assert "Next part: the same call with start=" in (await web(**ask)).text
        assert "1 passage with" in (await web(**ask, text="said in part 41")).text
        assert "## Part 59" in (await web(**ask, value="outline")).text
        assert content((await web(**ask, value="links")).text) == "- [](https://a.example/more)"


@pytest.mark.parametrize("media_type", ["application/rss+xml", "text/xml", "application/xml"])
async def test_a_feed_comes_as_its_entries(web, media_type):
    assert content(await fetched(web, RSS, media_type)) == (
        "# News\n\nOf the day\n\n"
        "## [One & only](https://a.example/1)\n"
        "Mon, 02 Mar 2026 08:00:00 GMT, Ada\n"
        "https://a.example/1.mp3\n\n"
        "It **began**.\n\n"
        "## Untitled\n\nNo title"
    )
    assert content(await fetched(web, RSS, media_type, value="raw")) == RSS


async def test_an_atom_feed_says_what_it_is_in_each_of_its_forms(web):
    entries = (
        "<entry><title>1 &lt; 2</title><author><name>Ada</name><email>a@b.example</email></author>"
        "<author><name>Bob</name></author><link rel='edit' href='edit'/><link href='one'/>"
        "<summary type='text'>A &lt;b&gt; is bold.</summary></entry>"
        "<entry><title type='html'>&lt;i&gt;Two&lt;/i&gt;</title><id>urn:two</id>"
        "<content type='xhtml' xml:base='/deep/'><div xmlns='http://www.w3.org/1999/xhtml'>"
        "See <a href='it'>it</a></div></content></entry>"
        "<entry><title>Three</title><id>tag:a.example,2026:3</id>"
        "<content type='image/png' src='p.png'/></entry>"
    )
    feed = f"<feed xmlns='{ATOM_NAMES}' xml:base='https://a.example/'>{entries}</feed>"
    text = content(await fetched(web, feed, "application/atom+xml"))
    assert text.partition("\n\n")[2] == (
        "## [1 < 2](https://a.example/one)\nAda, Bob\n\nA <b> is bold.\n\n"
        "## *Two*\n\nSee [it](https://a.example/deep/it)\n\n"
        "## Three\nhttps://a.example/p.png"
    )


@pytest.mark.parametrize("address", ["magnet:?xt=urn:btih:abc", "ftp://a.example/f.iso"])
async def test_entries_lead_wherever_a_feed_says(web, address):
    """But not to their ids, unless those are addresses of pages."""
    rss = "<rss version='2.0'><channel><title>T</title><item><title>A</title>"
    rss += f"<link>{address}</link></item>"
    rss += "<item><title>B</title><guid>tag:b</guid></item></channel></rss>"
    atom = f"<feed xmlns='{ATOM_NAMES}'><title>T</title><entry><title>A</title><id>urn:a</id>"
    atom += f"<link href='{address}'/></entry><entry><title>B</title><id>tag:b</id></entry></feed>"
    items = [{"title": "A", "id": "a", "url": address}, {"title": "B", "id": "tag:b"}]
    told = f"# T\n\n## [A]({address})\n\n## B"
    for kind, feed in (
        ("rss+xml", rss),
        ("atom+xml", atom),
        ("feed+json", json.dumps({"title": "T", "items": items})),
    ):
        assert content(await fetched(web, feed, f"application/{kind}")) == told


async def test_addresses_in_a_feed_are_relative_to_its_own(web):
    said = "&lt;a href='c?d'&gt;See&lt;/a&gt;"
    rss = "<rss version='2.0'><channel><title>T</title><item><title>A</title><link>b</link>"
    rss += f"<description>{said}</description><enclosure url='/m.mp3' type='audio/mpeg'/></item>"
    atom = f"<feed xmlns='{ATOM_NAMES}'><title>T</title><entry><title>A</title><id>urn:a</id>"
    atom += "<link href='b'/><link rel='enclosure' href='/m.mp3'/>"
    atom += f"<content type='html'>{said}</content></entry>"
    items = [{"title": "A", "id": "a", "url": "b", "content_html": "<a href='c?d'>See</a>"}]
    feeds = {
        "rss+xml": f"{rss}</channel></rss>",
        "atom+xml": f"{atom}</feed>",
        "feed+json": json.dumps({"title": "T", "items": items}),
    }
    for kind, feed in feeds.items():
        headers = {"Content-Type": f"application/{kind}"}
        with serve({"/news/all": Reply(headers=headers, body=feed.encode())}) as site:
            answer = await web(resource="http", action="fetch", url=f"{site}/news/all")
        files = "" if kind == "feed+json" else f"\n{site}/m.mp3"
        assert content(answer.text) == (
            f"# T\n\n## [A]({site}/news/b){files}\n\n[See]({site}/news/c?d)"
        )


async def test_of_a_document_without_text_no_more_is_said_than_that_none_was_found(web):
    text = content(await fetched(web, docx(""), DOCX))
    assert text == "The Word document has no text that can be read. Save it with output='f'."


ARCHIVE = (
    b"MIME-Version: 1.0\r\nContent-Type: multipart/related; boundary=x\r\n\r\n--x\r\nContent-Type: "
    b"text/html; charset=iso-8859-1\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n"
    b"<h1>Gr=FC=DFe</h1><p>Of a page=\r\n.\r\n--x--\r\n"
)


@pytest.mark.parametrize(
    ("name", "chunk"),
    [
        ("chunk.html", "<h1>Gr\u00fc\u00dfe</h1><script>x()</script><p>Of a page.".encode()),
        ("chunk.mht", ARCHIVE),
    ],
)
async def test_what_a_document_imports_as_html_is_read(web, name, chunk):
    kind = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/aFChunk"
    body = docx(
        paragraph("Hello"), relations=f'<Relationship Id="h" Type="{kind}" Target="{name}"/>'
    )
    text = content(await fetched(web, more(body, {f"word/{name}": chunk}), DOCX))
    assert text == "Hello\n\n# Gr\u00fc\u00dfe\n\nOf a page."


@pytest.mark.parametrize(
    "chunk", [b"", b"\xff", b"Content-Type: multipart/mixed; boundary=x\n" * 3_000]
)
async def test_a_broken_import_does_no_harm(web, chunk):
    kind = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/aFChunk"
    body = docx(
        paragraph("Hello"), relations=f'<Relationship Id="h" Type="{kind}" Target="x.mht"/>'
    )
    assert content(await fetched(web, more(body, {"word/x.mht": chunk}), DOCX)) == "Hello"


WORD_95 = b"\xdc\xa5\x68"


@pytest.mark.parametrize("at", [2_048, 2_624])
async def test_a_document_of_word_95_is_said_to_be_one(web, at):
    body = (ole("WordDocument").ljust(at, b"\0") + WORD_95).ljust(8_192, b"\0")
    text = content(await fetched(web, body, "application/msword"))
    assert text.startswith("The Word document is of Word 95 or before, which cannot be read. Save")


@pytest.mark.parametrize("begins", ["0900 0400 0200 1000", "0902 0600", "0904 0600 0000 1000"])
async def test_a_sheet_of_excel_4_or_before_is_said_to_be_one(web, begins):
    body = bytes.fromhex(begins).ljust(512, b"\0")
    text = content(await fetched(web, body, "application/vnd.ms-excel"))
    assert "is of Excel 4 or before, which cannot be read. Save" in text


async def test_no_other_document_is_said_to_be_of_word_95(web):
    body = (ole("PP40").ljust(2_048, b"\0") + WORD_95).ljust(8_192, b"\0")
    text = content(await fetched(web, body, "application/vnd.ms-powerpoint"))
    assert text.startswith("The presentation is of a kind that cannot be read. Save")


@pytest.mark.parametrize("lie", ["application/octet-stream", f"{ODT}-template"])
async def test_a_template_is_read_as_what_it_is_one_of(web, lie):
    text = await fetched(web, more(MINUTES, {"mimetype": f"{ODT}-template"}), lie)
    assert text.startswith(f"200 {ODT} ")
    assert "agreed" in text


async def test_an_atom_feed_in_another_charset(web):
    body = f'<?xml version="1.0" encoding="iso-8859-1"?>{ATOM}'.encode("latin-1")
    text = content(await fetched(web, body, "application/atom+xml"))
    assert text == "# Grüße\n\n## [Eins](https://a.example/e)\n2026-03-02T08:00:00Z\n\nMehr."


@pytest.mark.parametrize(
    ("media_type", "body"),
    [
        ("application/rss+xml", "<!doctype html><p>No feed"),
        ("application/atom+xml", "No feed"),
        ("application/feed+json", '{"version": "https://jsonfeed.org/version/1.1"}'),
    ],
)
async def test_a_feed_that_is_none_is_said_to_be_and_shown_as_it_is(web, media_type, body):
    head, _, text = (await fetched(web, body, media_type)).partition("\n\n")
    assert head.endswith("feed that can be read. This is its source.")
    assert text == body


SPACE = "\n " * 200_000
DECLARED = '<?xml version="1.0"?>'


@pytest.mark.parametrize(
    "before",
    [
        SPACE + DECLARED,
        f"{DECLARED}<!-- A{SPACE}B -->{SPACE}",
        DECLARED + "\n<!ENTITY" * 50_000,
        "<?xml " + 'encoding="a" ' * 30_000,
        f"{DECLARED}<!-- {'a <b> c ' * 1_000}-->",
        DECLARED + "<!DOCTYPE feed [" + "<!ENTITY nbsp '&#160;'>" * 300 + "]>",
        "<!-" * 50_000 + "<?" * 50_000 + "<!--" * 50_000 + "-->",
    ],
    ids=["blanks", "in a comment", "entities", "encodings", "a licence", "a type", "endless"],
)
async def test_what_stands_before_a_feed_holds_nobody_up(web, before):
    text = await fetched(web, before + ATOM, "application/atom+xml", timeout=20)
    assert content(text).startswith("# Grüße\n\n## [Eins]")


@pytest.mark.parametrize("charset", ["utf-16", "utf-8-sig", "utf-32"])
async def test_feeds_that_begin_with_a_mark(web, charset):
    name = charset.removesuffix("-sig")
    body = f'<?xml version="1.0" encoding="{name}"?>\n \n {ATOM}'.encode(charset)
    text = content(await fetched(web, body, "application/atom+xml"))
    assert text.startswith("# Grüße\n\n## [Eins]")


XML = "<?xml version='1.0'?><note>Not a feed</note>"


@pytest.mark.parametrize("body", [XML, "/etc/passwd", "https://127.0.0.1/", "<rss>"])
async def test_what_is_no_feed_comes_as_it_is(web, body):
    assert content(await fetched(web, body, "application/rss+xml")) == body


KINDS = list(hostile(""))


@pytest.mark.parametrize("kind", KINDS)
async def test_a_hostile_document_does_no_harm(web, kind):
    routes = {}
    with serve(routes) as site:
        body, media_type = hostile(site)[kind]()
        routes["/f"] = Reply(headers={"Content-Type": media_type}, body=body)
        routes["/after"] = Reply(headers={"Content-Type": DOCX}, body=REPORT)
        text = (await web(resource="http", action="fetch", url=f"{site}/f")).text
        after = (await web(resource="http", action="fetch", url=f"{site}/after")).text
        assert [request.path for request in site.requests] == ["/f", "/after"]
    assert text.startswith("200 ")
    assert "root:" not in text
    assert "hahaha" not in text
    assert "They rose by 5 %." in after


@pytest.mark.parametrize(
    ("body", "media_type", "said"),
    [
        (docx(" " * 150_000_000), DOCX, "The Word document goes beyond what is safe to read ("),
        (odt("x", manifest=LOCKED), ODT, "The text document needs a password. Save it with"),
        (ole("EncryptedPackage"), DOCX, "The Word document needs a password. Save it with"),
        (ole("WordDocument", "EncryptedPackage"), DOCX, "The Word document needs a password."),
        (slides(), PPTX, "The presentation has no text that can be read."),
        (REPORT[:400], DOCX, "The Word document is damaged. Save it with"),
        (BOOK[:-30], EPUB, "The e-book is damaged. Save it with"),
        (b"Not here", DOCX, "The Word document is of a kind that cannot be read. Save it with"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1xx", "", "The document is of a kind that cannot be"),
    ],
    ids=[
        *("bomb", "locked", "locked by Word", "locked with others", "template"),
        *("cut", "cut at its end", "text", "ole"),
    ],
)
async def test_a_document_that_cannot_be_read_says_why(web, body, media_type, said):
    assert content(await fetched(web, body, media_type)).startswith(said)


async def test_a_pdf_file_under_another_name_is_one(web):
    text = await fetched(web, pdf("Good morning"), DOCX)
    assert text.startswith("200 application/pdf ")
    assert content(text) == "Good morning"


async def test_without_the_libraries_nothing_is_lost(web, monkeypatch):
    monkeypatch.setattr("strap.api.extras.find_spec", lambda name: None)
    needs = f"Reading Word documents needs: {install_command('strap-web[documents]')}."
    assert content(await fetched(web, REPORT, DOCX)) == f"{needs} Save it with output='f'."
    assert content(await fetched(web, RSS, "application/rss+xml")) == RSS
    assert content(await fetched(web, TABLE, "text/csv")) == TABLE.strip()

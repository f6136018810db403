"""Bodies as text: charsets, types that lie, hidden characters, hostile markup."""

import time

import pytest

from strap.documents.charset import decode
from strap.documents.media_types import kind_of, text_of, visible
from strap_http.extraction.pages import read_page
from tests.site.server import Reply, serve

UMLAUTS = "Grüße, 日本"


@pytest.mark.parametrize(
    ("body", "content_type", "expected"),
    [
        (UMLAUTS.encode(), "text/html; charset=utf-8", UMLAUTS),
        (UMLAUTS.encode(), "text/html", UMLAUTS),
        ("Grüße".encode("latin-1"), "text/html; charset=ISO-8859-1", "Grüße"),
        ("Preis: 5 €".encode("cp1252"), "text/html; charset=iso-8859-1", "Preis: 5 €"),
        ("Preis: 5 €".encode("cp1252"), "text/html", "Preis: 5 €"),
        ("日本語".encode("cp932"), 'text/html; charset="Shift_JIS"', "日本語"),
        ("한국어".encode("cp949"), "text/html;charset=ks_c_5601-1987", "한국어"),
        ("שלום".encode("iso8859-8"), "text/html; charset=iso-8859-8-i", "שלום"),
        ("한국어".encode("cp949"), "text/html; charset=windows-949", "한국어"),
        ("日本語".encode("euc_jp"), "text/html; charset=x-euc-jp", "日本語"),
        ("Мир".encode("cp1251"), "text/html; charset=x-cp1251", "Мир"),
        ("中文".encode("gb18030"), "text/html; charset=gb2312", "中文"),
        (b"\xff\xfe" + UMLAUTS.encode("utf-16-le"), "text/html; charset=utf-8", UMLAUTS),
        (b"\xfe\xff" + UMLAUTS.encode("utf-16-be"), "", UMLAUTS),
        (b"\xef\xbb\xbfx", "text/plain; charset=latin-1", "x"),
        ("<meta charset=koi8-r>Мир".encode("koi8-r"), "text/html", "<meta charset=koi8-r>Мир"),
        (
            '<meta http-equiv=x content="text/html; charset=windows-1251">Мир'.encode("cp1251"),
            "text/html",
            '<meta http-equiv=x content="text/html; charset=windows-1251">Мир',
        ),
        ("<meta charset=utf-16>ü".encode(), "text/html", "<meta charset=utf-16>ü"),
        ("<meta charset=koi8-r>ü".encode(), "text/html; charset=utf-8", "<meta charset=koi8-r>ü"),
        (
            '<?xml version="1.0" encoding="iso-8859-15"?>€'.encode("iso8859-15"),
            "application/xml",
            '<?xml version="1.0" encoding="iso-8859-15"?>€',
        ),
        (UMLAUTS.encode(), "text/html; charset=x-nonsense", UMLAUTS),
        (b"+ADw-script+AD4-", "text/html; charset=utf-7", "+ADw-script+AD4-"),
        (b"uryyb", "text/plain; charset=rot13", "uryyb"),
        (b"a\xffb", "text/plain; charset=utf-8", "a\ufffdb"),
        (b"x", "text/plain; charset=" + "a" * 5_000, "x"),
        (
            "<!--<meta charset=latin-1>--><meta charset=koi8-r>Мир".encode("koi8-r"),
            "text/html",
            "<!--<meta charset=latin-1>--><meta charset=koi8-r>Мир",
        ),
        (
            "<meta charset=none><meta charset=koi8-r>Мир".encode("koi8-r"),
            "text/html",
            "<meta charset=none><meta charset=koi8-r>Мир",
        ),
        (
            "<!--><meta charset=koi8-r>Мир<!-- -->".encode("koi8-r"),
            "text/html",
            "<!--><meta charset=koi8-r>Мир<!-- -->",
        ),
        ("<!-- <meta charset=koi8-r>ü".encode(), "text/html", "<!-- <meta charset=koi8-r>ü"),
        (UMLAUTS.encode() * 9 + b"\xc3", "", UMLAUTS * 9 + "\ufffd"),
        (UMLAUTS.encode() * 9 + b"\xa0x", "", UMLAUTS * 9 + "\ufffdx"),
        (b"caf\xe9", "", "café"),
        ("Grüße ".encode("cp1252") * 99, "", "Grüße " * 99),
        ("DÉJÀ VU — “été”".encode("cp1252"), "", "DÉJÀ VU — “été”"),
        ("5 °C ± 2, © 2024".encode("cp1252"), "", "5 °C ± 2, © 2024"),
        ("El niño comió una piña".encode("cp1252"), "", "El niño comió una piña"),
        *(
            (f"<p>{text}</p>".encode(encoding), kind, f"<p>{text}</p>")
            for kind in ("text/html", "text/csv")
            for encoding, text in (
                ("gbk", "新华社北京电。国务院总理今天主持召开会议"),
                ("big5", "這是一個繁體中文的句子。今天天氣很好。"),
                ("cp932", "これは日本語の文章です。Python で書く。"),
                ("euc_jp", "これは日本語の文章です。東京は晴れ。"),
                ("cp949", "안녕하세요 한국어 문장입니다. 날씨가 좋습니다."),
                ("cp1251", "Цена товара: 500 рублей"),
                ("koi8-r", "Привет, это русский текст про погоду в Москве."),
                ("cp1253", "γρήγορη αλεπού πηδά πάνω από το σκυλί"),
                ("cp1255", "שלום עולם זה טקסט בעברית"),
                ("cp1256", "مرحبا بالعالم هذا نص عربي"),
                ("cp874", "สวัสดีชาวโลก นี่คือข้อความภาษาไทย"),
            )
        ),
    ],
)
def test_charsets(body, content_type, expected):
    assert decode(body, content_type, markup=True) == expected


@pytest.mark.parametrize(
    ("media_type", "body", "expected"),
    [
        ("text/html", b"<p>x", ("html", "text/html")),
        ("application/xhtml+xml", b"<p>x", ("html", "application/xhtml+xml")),
        ("application/problem+json", b"{}", ("json", "application/problem+json")),
        ("application/atom+xml", b"<feed/>", ("text", "application/atom+xml")),
        ("image/svg+xml", b"<svg/>", ("text", "image/svg+xml")),
        ("application/octet-stream", b"plain", ("text", "application/octet-stream")),
        ("application/octet-stream", b"a\x00b", ("binary", "application/octet-stream")),
        ("", b" <!-- c --> <!DOCTYPE html><p>", ("html", "text/html")),
        ("", b"hello", ("text", "text/plain")),
        ("", b"\xff\xfeh\x00i\x00", ("text", "text/plain")),
        ("text/plain", b"%PDF-1.7 ...", ("binary", "application/pdf")),
        ("application/pdf", b"<!doctype html><p>Log in", ("html", "text/html")),
        ("text/html", b"\x89PNG\r\n\x1a\nxx", ("binary", "image/png")),
        ("application/epub+zip", b"PK\x03\x04xx", ("binary", "application/epub+zip")),
        ("video/mp4", b"....", ("binary", "video/mp4")),
    ],
)
def test_kinds(media_type, body, expected):
    assert kind_of(media_type, body) == expected


def test_comments_before_markup_cost_no_time():
    assert kind_of("", b"<!---->" * 300 + b"x")[0] == "text"


def test_hidden_characters_are_removed_and_joiners_kept():
    hidden = "a\u200bb\u202ec\u2066d\U000e0041\U000e007fe\ufefff\u00adg\x00h\x1bi\x85j"
    assert visible(hidden) == "abcdefghij"
    family = "👩\u200d👩\u200d👧 ก\u200cข\ttab\nline"
    assert visible(family) == family
    assert text_of("text", b"a\r\nb\rc", "text/plain") == "a\nb\nc"


@pytest.mark.parametrize(
    ("page", "markdown"),
    [
        ("<h1>One</h1><p>two", "# One\n\ntwo"),
        ("<title>One</title><h1>One</h1><p>two", "# One\n\ntwo"),
        ("<title>One | Site</title><h1>One</h1><p>two", "# One\n\ntwo"),
        ("<title>T</title><p>two", "# T\n\ntwo"),
        ("<ul><li>a<li>b</ul>", "- a\n- b"),
        ("<pre><code class='language-py'>a\n  b</code></pre>", "```py\na\n  b\n```"),
        ("<blockquote>q</blockquote>", "> q"),
        ("<p>x<img src='data:image/png;base64,AAAA' alt=dot>", "x![dot]"),
        ("<script>a()</script><style>b{}</style><p>x", "x"),
        ("<p hidden>secret</p><p>x", "x"),
        ("", ""),
        ("<title></title>", ""),
    ],
)
def test_markdown(page, markdown):
    assert read_page(page, "https://example.com/", whole=True).text == markdown


@pytest.mark.parametrize(
    "page",
    [
        "<div>" * 50_000 + "deep",
        "<table><tr><td>" * 20_000 + "deep",
        "<p " + " ".join(f"a{n}=1" for n in range(50_000)) + ">deep",
        "<title" * 20_000 + ">deep",
        "<script>" * 20_000 + "</script>deep",
        "deep" + "<!--" * 50_000,
        "deep" + "<" * 200_000,
        "deep" + "&#" * 100_000,
    ],
    ids=["nested", "tables", "attributes", "title", "script", "comments", "open", "entities"],
)
def test_hostile_markup_ends_with_text(page):
    assert "deep" in read_page(page, "https://example.com/", whole=True).text


@pytest.mark.anyio
async def test_a_body_in_another_charset_through_the_router(web):
    headers = {"Content-Type": "text/html; charset=windows-1251"}
    with serve({"/": Reply(headers=headers, body="<p>Жизнь</p>".encode("cp1251"))}) as site:
        result = await web(resource="http", action="fetch", url=f"{site}/")
    assert result.text.endswith("\n\nЖизнь")


@pytest.mark.anyio
@pytest.mark.parametrize("media_type", ["text/html", "text/csv"])
@pytest.mark.parametrize("declared", ["", "; charset=gbk"])
async def test_a_guess_of_the_charset_is_told(web, media_type, declared):
    headers = {"Content-Type": f"{media_type}{declared}"}
    body = "新华社北京电。国务院总理今天主持召开会议".encode("gbk")
    with serve({"/": Reply(headers=headers, body=body)}) as site:
        result = await web(resource="http", action="fetch", url=f"{site}/")
    assert "新华社北京电" in result.text
    assert ("read by a guess as gb18030." in result.text) is (not declared)


def test_an_encoding_is_named_far_behind_the_beginning():
    page = f"<script>{'x' * 9_000}</script><meta charset=koi8-r>Мир"
    assert decode(page.encode("koi8-r"), "text/html", markup=True) == page


NAMED = "<meta charset=koi8-r>"


@pytest.mark.parametrize("far", ["", f"<script>{'x' * 9_000}</script>"])
@pytest.mark.parametrize(
    "page",
    [
        f"<script>write('{NAMED}')</script>",
        f"<STYLE type=x>/* {NAMED} */</style >",
        f"<title>How to write {NAMED}</title>",
        f"<textarea>{NAMED}",
        "<metadata charset=koi8-r>",
        "<meta data-charset=koi8-r>",
        "<meta name=description content='What charset=koi8-r means'>",
    ],
)
def test_what_is_but_text_names_no_encoding(page, far):
    page = f"{far}{page}<p>{UMLAUTS}</p>"
    assert decode(page.encode(), "text/html", markup=True) == page


@pytest.mark.parametrize(
    "named",
    [
        "<script></script><style>a > b</style><title>T</title>" + NAMED,
        "<scripts>" + NAMED,
        "<noscript><META name='a>b' content=x\nCharSet = 'KOI8-R'/></noscript>",
        "<meta content='text/html charset=koi8-r' http-equiv=Content-Type>",
    ],
)
def test_an_encoding_is_named_beside_what_is_but_text(named):
    page = f"<!doctype html>{named}Мир"
    assert decode(page.encode("koi8-r"), "text/html", markup=True) == page


@pytest.mark.parametrize("before", [b"", b"<meta "])
@pytest.mark.parametrize(
    "sign",
    [
        *(b"<!--", b"<meta ", b"<meta charset", b"<meta charset= ", b"<meta '", b'<meta a="'),
        *(b"<script", b"<script>", b"<script><style ", b"<meta charset=x ", b"a", b"a ", b"a="),
    ],
)
def test_a_hostile_page_is_asked_for_its_encoding_in_no_time(before, sign):
    began = time.process_time()
    decode(before + sign * 100_000, "text/html", markup=True)
    assert time.process_time() - began < 1

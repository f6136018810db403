"""The main part of a page: what belongs to it, what does not, and what of its structure stays."""

import pytest

from strap import html_tree
from strap_http.extraction.markdown import convert, titled
from strap_http.extraction.pages import MANY, read_page, read_small
from strap_http.extraction.shingles import Shingles, words
from strap_http.extraction.slimming import is_tangled, slim
from tests.plugins.http.prose import prose

URL = "https://example.com/a/"
MENU = "<nav><ul><li><a href=/>Home</a><li><a href=/news>All the news of today</a></ul></nav>"
FOOT = "<footer><p>Copyright, imprint, privacy and what else a footer has to say</p></footer>"


def page(content, title="The mill"):
    head = f"<!doctype html><html><head><title>{title}</title></head>"
    return f"{head}<body>{MENU}<article>{content}</article>{FOOT}</body></html>"


def paragraphs(first, last):
    return "".join(f"<p>{prose(number)}</p>" for number in range(first, last))


def read(content, **options):
    return read_page(page(content, **options), URL)


@pytest.mark.parametrize("hyphen", ["\u00ad", "&shy;", "&#173;"])
def test_where_words_may_be_hyphenated_is_not_told(hyphen):
    """The library leaves these signs out: the text was told without its headings."""
    text = paragraphs(1, 9).replace("mill", f"mi{hyphen}ll").replace("valley", f"val{hyphen}ley")
    found = read(f"<h2>Years of the mi{hyphen}ll</h2>{text}").text
    assert "## Years of the mill\n" in found
    assert all(prose(number) in found for number in range(1, 9))


def test_how_a_text_is_read_is_not_told():
    """The library leaves ruby out, too."""
    ruby = "".join(
        f"<ruby>{sign}<rp>(</rp><rt>さいきん</rt><rp>)</rp></ruby>" for sign in "最近親虐待"
    )
    told = "虐待から子どもを守る仕事をする職員を増やしたりすることも決まりました。"
    found = read(f"{paragraphs(1, 5)}<p>{ruby}、{told}</p>{paragraphs(5, 9)}")
    assert f"最近親虐待、{told}" in found.text


def test_what_is_around_the_main_part_goes():
    reading = read(paragraphs(1, 9))
    assert reading.text.startswith(f"# The mill\n\n{prose(1)}")
    assert reading.text.endswith(prose(8))
    assert not reading.whole
    assert 0.8 < reading.share < 1


@pytest.mark.parametrize(
    ("piece", "markdown"),
    [
        ("<h2>Wheels</h2>", "## Wheels"),
        ("<h2>Stones</h2><a href=#stones>Copy link</a>", "## Stones"),
        ("<h2>Stones<a href=#stones>\u00b6</a></h2>", "## Stones"),
        ("<details><summary><h3>Stones</h3></summary><p>Hard</p></details>", "### Stones\n\nHard"),
        (
            "<pre><code class=language-py>a = 1\n\n  b = 2</code></pre>",
            "```py\na = 1\n\n  b = 2\n```",
        ),
        (
            "<pre><code><span>a = 1</span><span>\n</span><span>b = 2</span></code></pre>",
            "```\na = 1\nb = 2\n```",
        ),
        (
            "<table><tr><th>Year<th>Sacks<tr><td>1<td>7<tr><td>2<td>14</table>",
            "| Year | Sacks |\n| --- | --- |\n| 1 | 7 |\n| 2 | 14 |",
        ),
        ("<ul><li>Rye<li>Oats<li>Wheat</ul>", "- Rye\n- Oats\n- Wheat"),
        ("<ol><li>Grind<li>Sieve</ol>", "1. Grind\n2. Sieve"),
        ("<blockquote><p>" + prose(77) + "</blockquote>", "> " + prose(77)),
        (
            "<figure><img src=w.png alt='The old wheel'></figure>",
            "![The old wheel](https://example.com/a/w.png)",
        ),
        (
            f"<p>{prose(78)} See <a href=/map>the map</a>.</p>",
            f"{prose(78)} See [the map](https://example.com/map).",
        ),
    ],
    ids=[
        "heading",
        "anchor",
        "mark",
        "summary",
        "code",
        "spans",
        "table",
        "list",
        "numbers",
        "quote",
        "picture",
        "link",
    ],
)
def test_structure_stays(piece, markdown):
    text = read(paragraphs(1, 6) + piece + paragraphs(6, 12)).text
    assert text.index(prose(5)) < text.index(f"\n{markdown}\n\n{prose(6)}")


@pytest.mark.parametrize(
    "piece",
    [
        "<div class=share><a href=/x>Share</a> <a href=/y>Send it to a friend by post</a></div>",
        "<ul><li><a href=/1>Other mills on a river</a><li><a href=/2>What millers earn</a></ul>",
        "<form><label>Subscribe to our weekly letter</label><input><button>Go on</button></form>",
        "<p hidden>A hidden line of words that nobody sees</p>",
        "<p style='display: none'>A hidden line of words that nobody sees</p>",
        "<img src=ad.png>",
    ],
    ids=["share", "related", "form", "hidden", "style", "picture"],
)
def test_what_stands_between_and_does_not_belong_goes(piece):
    text = read(paragraphs(1, 6) + piece + paragraphs(6, 12)).text
    assert f"{prose(5)}\n\n{prose(6)}" in text


def test_text_after_a_picture_that_goes_goes_as_well():
    """The tail of an element that is taken out must not slip into what stays."""
    items = "".join(
        f"<li><a href=/{n}><img src={n}.png> Number {n} of what others have read</a>"
        for n in range(20)
    )
    text = read(f"<ul>{items}</ul>{paragraphs(1, 9)}").text
    assert "what others have read" not in text


def test_comments_below_an_article_do_not_outweigh_it():
    said = "is what my grandfather always told us children about those years, if I remember well"
    comments = "".join(f"<li><p>Comment {n} {said}, {n * 13}</p></li>" for n in range(100, 160))
    text = read(f"{paragraphs(1, 9)}</article><ol class=comments id=comments>{comments}</ol>").text
    assert prose(8) in text
    assert "grandfather" not in text


@pytest.mark.parametrize(
    ("item", "count"),
    [
        ("<div>12.{0} <a href=/n/{0}>The {0}th thing that happened in the valley</a></div>", 0),
        ("<h3><a href=/n/{0}>The {0}th thing</a></h3><p>It happened in the valley</p>", 30),
    ],
)
def test_links_around_an_article_do_not_outweigh_it(item, count):
    """Those that head what is told of where they lead are the entries of a listing."""
    links = "".join(item.format(number) for number in range(30))
    text = f"<div><h1>The mill</h1>{paragraphs(1, 3)}</div><div>{links}</div>"
    reading = read_page(f"<title>The mill</title><body>{text}</body>", URL)
    assert reading.text.count("happened in the valley") == count
    assert prose(1) in reading.text


@pytest.mark.parametrize(("count", "is_told"), [(60, True), (4, False)])
def test_what_is_named_as_the_main_part_is_not_passed_over_for_what_stands_above(count, is_told):
    """The library takes the only paragraphs of a page for its text; few links do lead elsewhere."""
    links = "".join(
        f"<li><a href=/{at}>Mill number {at} of the valley road, built of oak</a></li>"
        for at in range(count)
    )
    page = f"<title>Mills</title><body><div>{paragraphs(3, 5)}</div><main>{links}</main>"
    text = read_page(page, URL).text
    assert (f"Mill number {count - 1} of" in text) is is_told
    assert (prose(3) in text) is not is_told


@pytest.mark.parametrize("holder", ["noscript", "template", "div hidden", "div aria-hidden=true"])
def test_a_page_in_a_container_for_scripts_is_shown(holder):
    name = holder.partition(" ")[0]
    text = read_page(f"<body><{holder}>{paragraphs(1, 20)}</{name}></body>", URL, whole=False).text
    assert prose(3) in text
    assert prose(19) in text


def test_a_page_without_a_main_part_comes_whole():
    reading = read_page("<body><a href=/a>One</a> <a href=/b>Two</a></body>", URL)
    assert reading.whole
    assert reading.text == "[One](https://example.com/a) [Two](https://example.com/b)"


def test_the_title_is_not_repeated():
    kicker = "<p>Report</p><h1>The mill of the valley</h1>"
    text = read(kicker + paragraphs(1, 9), title="The mill of the valley | The Paper").text
    assert text.count("The mill of the valley") == 1


@pytest.mark.parametrize(
    "headline",
    [
        "# [The \u201cold\u201d mill](https://example.com/mill)",
        '## The "old" *mill*',
        '---\n\n# The "old" mill',
    ],
)
def test_a_headline_with_the_words_of_the_title_stands_for_it(headline):
    text = f"{headline}\n\nText"
    assert titled(text, 'The "old" mill | The Paper') == text


def test_a_headline_that_says_it_otherwise_stands_for_the_title():
    title = "Mill reopens after flood, owner hopes for rye | The Paper"
    headline = "# The mill reopens, and its owner hopes for a good year"
    assert titled(f"{headline}\n\nText", title).startswith("# The mill reopens, and")
    assert titled("# News of today\n\nText", title).startswith("# Mill reopens after flood")
    assert titled("# The mill\n\nText", title).startswith("# Mill reopens after flood")


def test_a_kicker_above_a_headline_that_says_it_otherwise_goes():
    content = f"<p>Report</p><h1>The mill of the valley grinds again</h1>{paragraphs(1, 9)}"
    text = read(content, title="Valley mill is grinding | The Paper").text
    assert text.startswith(f"# The mill of the valley grinds again\n\n{prose(1)}")


def test_a_button_between_paragraphs_goes_though_its_word_is_in_the_text():
    button = "<div><span>Close</span></div>"
    text = read(f"<p>Close to the ford: {prose(1)}</p>{button}{paragraphs(2, 9)}").text
    assert "\n\nClose\n" not in text


def test_a_rule_with_nothing_above_it_goes():
    assert convert("<hr><hr><p>One</p><hr><p>Two</p>", URL) == "One\n\n---\n\nTwo"


@pytest.mark.parametrize(
    ("headline", "title"),
    [
        ("History of the company", "How to reset the password of a router"),
        ("Life of the party", "Terms of the service"),
        ("Story of the week", "The state of the union: what the president said"),
        ("\u0416\u0438\u0437\u043d\u044c \u0432 \u0438", "\u041e \u043d\u0430\u0441 \u0438 \u0432"),
    ],
)
def test_a_title_stays_where_a_headline_shares_no_more_than_little_words(headline, title):
    assert titled(f"# {headline}\n\nText", title).startswith(f"# {title}\n\n# {headline}")
    text = read(f"<p>Above, a teaser.</p><h1>{headline}</h1>{paragraphs(1, 9)}", title=title).text
    assert f"# {title}" in text


def test_a_headline_in_a_script_without_spaces_stands_for_the_title():
    headline = "\u8c37\u7684\u78e8\u574a\u91cd\u65b0\u5f00\u653e"
    title = f"\u6c34\u540e{headline[1:]}"
    assert titled(f"# {headline}\n\nText", title).startswith(f"# {headline}")


def test_an_empty_heading_is_no_title():
    assert titled("# \n\nText", "The mill") == "# The mill\n\n# \n\nText"
    assert titled("## The\n\nText", "The mill") == "## The\n\nText"
    assert titled("", "The mill") == "# The mill"


def test_a_book_loses_its_navigation_by_its_tags():
    content = f"<main>{paragraphs(1, MANY // 2 + 1)}<aside>Advertisement</aside></main>"
    reading = read_page(page(f"{content}<div role=navigation>Chapters</div>"), URL)
    assert not reading.whole
    assert prose(MANY // 2) in reading.text
    for gone in ("Advertisement", "Chapters", "Home", "imprint"):
        assert gone not in reading.text


def test_a_page_of_much_markup_and_little_text_is_searched():
    drawing = f"<svg><path d='{'M1 2 3 4' * 70_000}'/></svg>"
    foot = FOOT.replace("footer>", "div>")
    body = f"<div id=content>{paragraphs(1, 9)}</div>{drawing}{foot}"
    reading = read_page(f"<title>The mill</title><body>{MENU * 9}{body}", URL)
    assert prose(8) in reading.text
    assert "imprint" not in reading.text
    assert not reading.whole


def test_more_than_can_be_read_is_cut():
    reading = read_page(page(paragraphs(1, 20_000)), URL)
    assert reading.cut
    assert prose(1) in reading.text


def test_tags_that_may_be_left_out():
    text = read_page(f"<title>The mill</title>{MENU}<main>{paragraphs(1, 9)}</main>", URL).text
    assert text == "# The mill\n\n" + "\n\n".join(prose(n) for n in range(1, 9))
    assert html_tree.with_body("<title>T</title><nav>x") == "<title>T</title><body><nav>x"
    assert html_tree.with_body("<BODY><p>x") == "<BODY><p>x"


@pytest.mark.parametrize(
    ("source", "left"),
    [
        ("a<script>b</script>c<STYLE x>d</style >e", "ace"),
        ("a<script>b", "a"),
        ("<script type='application/ld+json'>{}</script>a", None),
        ("<scripture>a</scripture>", None),
        (f"<img src='data:image/png;base64,{'A' * 300}'>", "<img src='data:,'>"),
        ("<img src='data:image/png;base64,AAAA'>", None),
    ],
)
def test_slimming(source, left):
    assert slim(source) == (source if left is None else left)


def test_tags_with_many_attributes():
    many = " ".join(f"a{n}" for n in range(2_000))
    assert is_tangled(f"<p>x<p {many}>")
    assert is_tangled(f"<p>x<p {many}")
    assert not is_tangled(f"<p>{many}</p>")
    assert is_tangled(f"<p>x<p {many}><p>{'<b>y</b>' * 9_000}")
    assert is_tangled(f"{'<b>y</b>' * 9_000}<p {many}>")
    assert not is_tangled(f"<p data-state='{many}'>")


def test_words_in_scripts_without_spaces():
    assert words("Es ist 1 „Wort“, 水車") == ["es", "ist", "1", "wort", "水", "車"]
    assert words("It's 1 Word_of\ttwo\x00") == ["it", "s", "1", "word", "of", "two"]


def test_shares_of_common_words():
    shingles = Shingles("the mill at the upper ford")
    assert shingles.share(["the", "mill", "at", "the", "upper"]) == 1.0
    assert shingles.share(["ford", "upper", "the", "at", "mill", "the"]) == 0.0
    assert shingles.share(["mill"]) == 1.0
    assert shingles.share([]) == 0.0


def test_all_of_a_page_has_its_menus_and_forms():
    source = f"{MENU}<main>{paragraphs(1, 9)}</main><form><label>Search here</label></form>"
    whole = read_page(source, URL, whole=True).text
    assert "[All the news of today](https://example.com/news)" in whole
    assert "Search here" in whole
    assert whole.count("In year") == 8


def test_a_form_around_the_whole_page_keeps_its_structure():
    other = "<form><label>Search here for words of your own</label></form>"
    text = read(f"<form>{paragraphs(1, 6)}<h2>Wheels</h2>{paragraphs(6, 12)}</form>{other}").text
    assert "Search" not in text
    assert f"{prose(5)}\n\n## Wheels\n\n{prose(6)}" in text


def test_a_small_page_comes_without_menus_and_forms():
    reading = read_small(page(paragraphs(1, 3) + "<form><label>Search</label></form>"), URL)
    assert "Home" not in reading.text
    assert "Search" not in reading.text
    assert "imprint" in reading.text
    assert not reading.whole
    assert 0.7 < reading.share < 1


@pytest.mark.parametrize("only", [MENU, "<form><label>Your name</label></form>"])
def test_a_small_page_of_links_or_a_form_is_shown(only):
    reading = read_small(f"<body>{only}</body>", URL)
    assert reading.whole
    assert "All the news of today" in reading.text or "Your name" in reading.text


def test_a_small_page_without_menus_is_whole():
    assert read_small(f"<body>{paragraphs(1, 4)}</body>", URL).whole


def test_the_structure_stays_where_the_whole_page_is_in_a_header():
    text = "".join(
        f"<h2>Part {n}</h2><p>{' '.join(f'word{n}x{m}' for m in range(60))}</p>" for n in range(5)
    )
    main = f"<div role=main><article>{text}</article></div>"
    page = f"<body><header><table><tr><td>Home</td></tr></table>{main}</header></body>"
    assert "## Part 3" in read_page(page, "https://example.com/").text


def test_a_page_that_is_mostly_blank_is_read_at_once():
    blanks = "\n" * 300_000
    root = html_tree.parse(f'{blanks}<?xml version="1.0" encoding="latin-1"?><p>Words{blanks}')
    assert root.text_content().strip() == "Words"


@pytest.mark.parametrize(
    "sign",
    ["\x0c", "\x07", "\x1f", "\ufffe", "&#12;", "&#x1F;", "&#0007", "&#xFFFF;"],
    ids=ascii,
)
def test_a_sign_that_no_xml_may_have_costs_a_page_nothing(sign):
    text = read(f"{paragraphs(1, 9)}<p>{sign}</p><p>The end{sign} of a page.</p>").text
    assert text.endswith(f"{prose(8)}\n\nThe end of a page.")


def test_other_references_stay():
    assert html_tree.parse("<p>a&#120;b&#x7F;&#10;&#1114;").text_content() == "axb\x7f\n\u045a"


@pytest.mark.parametrize(
    ("address", "whole"),
    [
        (" /a b?c=d e ", "https://a.example/a%20b?c=d%20e"),
        ("one\r\n\ttwo\u00a0x", "https://a.example/w/onetwo%C2%A0x"),
        ("mailto:a b@c.example?subject=d e", "mailto:a b@c.example?subject=d%20e"),
        ("tel:+44 12 0204#x y", "tel:+44 12 0204#x%20y"),
        ("http://no host/x y", "http://no host/x y"),
        ("javascript:void 0", "javascript:void 0"),
        ("data:text/plain,a b", "data:text/plain,a b"),
        ("http://[x/a b", "http://[x/a b"),
        ("\\news\\one.html?a=\\#\\", "https://a.example/news/one.html?a=\\#\\"),
        ("http:\\\\b.example\\x", "http://b.example/x"),
        ("\\\\b.example\\x//y", "https://b.example/x//y"),
        ("///b.example/x", "https://b.example/x"),
        ("https:////b.example/x", "https://b.example/x"),
        ("javascript:a('\\n')", "javascript:a('\\n')"),
        ("mailto:a\\b", "mailto:a\\b"),
    ],
)
def test_addresses_are_written_as_browsers_do(address, whole):
    assert html_tree.joined("https://a.example/w/", address) == whole


CARDS = "".join(
    f"<li><article><h3><a href=/p/{n}>Rake {n}</a></h3><p>{n} euros</p></article>"
    for n in range(400)
)


@pytest.mark.parametrize("holder", ["<main><h1>Garden shop</h1><ul>{}</ul></main>", "{}"])
def test_of_what_only_scraps_are_found_all_around_them_is_told(holder):
    """Libraries take the prices of many short cards for a text, without the names, which link."""
    read = read_page(f"<title>Shop</title><body>{MENU}{holder.format(CARDS)}{FOOT}", URL)
    assert read.share > 0.9
    assert read.whole == (holder == "{}")
    for n in (1, 200, 399):
        assert f"### [Rake {n}](https://example.com/p/{n})" in read.text
        assert f"{n} euros" in read.text

"""Formulas, code, pictures and links as sites write them for browsers: what a reader gets."""

import pytest

from strap_http.extraction.markdown import bare, convert
from strap_http.extraction.pages import READERS, read_page, read_small
from strap_http.extraction.slimming import slim

URL = "https://example.com/"
FILLING = "".join(
    f"<p>Sentence number {n} of the proof says what follows from the one before, and no more.</p>"
    for n in range(40)
)
TEX = r"y^{2}=x_{1}*a*x \{b_2\}"
MATHML = (
    "<math {}><semantics><mfrac><mi>a</mi><mn>83</mn></mfrac><annotation encoding="
    '"application/x-tex">{}</annotation></semantics></math>'
)
IMAGE = '<img class="mwe-math-fallback-image-inline" aria-hidden="true" alt="{}" src="/1.svg">'
WIKI = (
    f'<span class="m"><span class="a11y" style="display: none;">{MATHML}</span>{IMAGE}</span>'
).format("", rf"{{\displaystyle {TEX}}}", TEX)
KATEX = (
    f'<span class="katex"><span class="katex-mathml">{MATHML}</span><span class="katex-html"'
    ' aria-hidden="true"><span>y</span><span>83</span></span></span>'
).format("", TEX)
SCRIPT = f'<script type="math/tex">{TEX}</script>'
ALT = f'<math alttext="{TEX}"><mi>a</mi><mn>83</mn></math>'


@pytest.mark.parametrize("filling", ["", FILLING], ids=["small", "page"])
@pytest.mark.parametrize("formula", [WIKI, KATEX, SCRIPT, ALT])
def test_a_formula_is_its_tex(formula, filling):
    page = f"<title>Curves</title><article><h1>Curves</h1><p>Here {formula} is a curve, which has "
    page += f"no points in common with itself but for the one at infinity.</p>{filling}</article>"
    text = (read_page if filling else read_small)(page, URL).text
    assert f"Here `${TEX}$` is a curve, which" in text
    assert "83" not in text
    assert "svg" not in text


def test_a_formula_that_stands_alone_is_marked_so():
    formulas = MATHML.format('display="block"', "a &lt; b")
    formulas += '<script type="math/tex; mode=display">c</script>'
    assert slim(f"<p>{formulas}") == "<p><code>$$a &lt; b$$</code><code>$$c$$</code>"


def test_a_formula_that_is_not_ended_stays_as_it_is():
    page = "<p style='color: red'>{} and <math>"
    mathml = "<math><mi>a</mi></math><math><mi>b</mi></math>"
    assert slim(page.format(mathml)) == page.format("<code>$a$</code><code>$b$</code>")


@pytest.mark.parametrize("name", ["linenos", "lineno", "ln", "lnt special"])
def test_code_comes_without_numbers_that_are_named_so(name):
    number = f'<span class="{name}">{{}}</span>'.format
    page = f"<p>{number(7)}<pre>{number(' 9')}import os\n{number(10)}os.exit(7)\n</pre>"
    assert slim(page) == f"<p>{number(7)}<pre>import os\nos.exit(7)\n</pre>"


KEPT = '![Mill](https://example.com/k.jpg "data-src=/no.jpg alt=no")'


@pytest.mark.parametrize(
    ("image", "shown"),
    [
        (
            '<img src="data:," data-src="/a b.jpg" alt="Mill">',
            "![Mill](https://example.com/a%20b.jpg)",
        ),
        ("<img class=x data-lazy-src='/b.jpg' alt=Mill>", "![Mill](https://example.com/b.jpg)"),
        ('<img data-original=/c.jpg src="" alt=Mill>', "![Mill](https://example.com/c.jpg)"),
        ("<img src=/d.jpg data-src=/e.jpg alt=Mill>", "![Mill](https://example.com/d.jpg)"),
        ('<img src="data:image/svg+xml,%3Csvg%3E" alt=Mill>', "![Mill]"),
        ("<img alt='A \"tall\" mill'>", '![A "tall" mill]'),
        ("<a href=/m><IMG SRC='data:,' ALT = Mill></a>", "[![Mill]](https://example.com/m)"),
        ("<img alt=Mill>", "![Mill]"),
        ('<img alt="Rye > oats" src="/i.jpg">', "![Rye > oats](https://example.com/i.jpg)"),
        ("<img alt = 'Rye > oats' data-src='/j.jpg'>", "![Rye > oats](https://example.com/j.jpg)"),
        ('<img alt="Mill"/src="/k.jpg">', "![Mill](https://example.com/k.jpg)"),
        ('<img alt="Rye > oats">', "![Rye > oats]"),
        ('<img title="alt=no src=/no.jpg" alt="Mill">', "![Mill]"),
        ('<img title="data-src=/no.jpg alt=no" alt=Mill src=/k.jpg>', KEPT),
        ('<img data-x=5" alt=Mill src="/k.jpg">', "![Mill](https://example.com/k.jpg)"),
        ('<img alt=Mill alt=Rye src="/k.jpg" src="data:,">', "![Mill](https://example.com/k.jpg)"),
        (
            '<img src="data:," srcset="/f.jpg 1x" alt=Mill>',
            "![Mill](https://example.com/f.jpg)",
        ),
        (
            "<picture><source srcset=/h.jpg><img src='data:,' alt=Mill></picture>",
            "![Mill](https://example.com/h.jpg)",
        ),
    ],
)
def test_pictures_that_a_script_loads_late_have_their_address(image, shown):
    assert convert(f"<p>The {image} here", URL) == f"The {shown} here"


def test_pictures_that_say_nothing_and_lead_nowhere_are_left_out():
    page = "<p>The <img alt='  ' src=data:,><img alt='' data-alt=Mill><img src='' alt> mill"
    assert convert(page, URL) == "The mill"


def test_powers_and_the_numbers_of_notes_are_no_digits_of_what_is_before_them():
    page = "<p>3\xb710<sup>8</sup> m s<sup class=x>\u22121</sup>, 2<SUP> n </SUP>, as said"
    page += "<sup>12</sup> by H<sub>2</sub>O<sup>TM</sup><sup><a href=#1>1</a></sup>"
    text = convert(page, URL)
    assert text.startswith("3\xb710\u2078 m s\u207b\xb9, 2\u207f, as said\xb9\xb2 by H2OTM")
    assert text.endswith("[1](https://example.com/#1)")


def test_links_to_scripts_lead_nowhere():
    page = """<p><a href="javascript:go('x')">The <b>mill</b></a>, <a href = 'JavaScript:void(0)'>it
</a> and <a href="/r">rye</a>, <a title="rye > oats" href="javascript:a>b">oats</a>"""
    text = convert(page, URL)
    assert text == "The **mill**, it and [rye](https://example.com/r), oats"


@pytest.mark.parametrize(
    "odd", ["<img ", "<a ", '<img ="', "=  ='", "x alt=", "alt =\t" * 9, "x" * 99]
)
def test_tags_that_never_end_are_read_once(odd):
    page = f"<p>The mill <img {odd * 20_000}"
    assert convert(page, URL).startswith("The mill")


def test_a_block_of_code_in_a_line_of_code_is_a_block():
    block = '<pre><code class="language-ts">a {\n  b\n}</code></pre>'
    page = f"<p>Run <code>it</code>:<code class=wrap>\n {block}\n</code><p>Done"
    text = convert(page, URL)
    assert text == "Run `it`:\n\n```ts\na {\n  b\n}\n```\n\nDone"


@pytest.mark.parametrize(
    "begun",
    [
        *("<!-- <math> -->", '<img alt="a <math> sign">', "<MATH><mi>x</mi>", "<math/>", "</math>"),
        *('<math alttext="s"><p>', "<!-- > <math>\n-->", "<textarea><math></textarea>"),
    ],
)
def test_the_text_before_a_formula_stays_whatever_is_begun_in_it(begun):
    assert slim(f"{begun}<p>Kept</p><p>Two {ALT}</p>") == (
        f"{begun}<p>Kept</p><p>Two <code>${TEX}$</code></p>"
    )


@pytest.mark.parametrize(
    "page",
    [
        '<math alttext="s"><p>Kept</p></math>',
        '<math alttext="s"><p>Kept <!-- </math> -->',
        '<math><!-- <math> --><annotation encoding="TeX">s</annotation><p>Kept',
        f"<!-- {ALT} --><p>Kept",
        f"<textarea>{ALT}</textarea><p>Kept",
        f'<script type="application/ld+json">"{ALT}"</script><p>Kept',
        f"<p>Kept<!-- {ALT}",
    ],
)
def test_what_only_looks_like_a_formula_stays(page):
    assert slim(page) == page


@pytest.mark.parametrize(
    "words", ["Not seen {}", "{} not seen", "{}</i> not seen", "<b>{}</b> not seen"]
)
def test_what_a_formula_is_hidden_with_stays_hidden(words):
    page = f'<p style="display: none">{words}</p>'
    assert slim(page.format(ALT)) == page.format(f"<code>${TEX}$</code>")


def test_a_comment_in_a_formula_ends_nothing():
    page = f"<p>In {MATHML.format('', 's').replace('<mi>', '<!-- <math> </math> --><mi>')} kept"
    assert slim(page) == "<p>In <code>$s$</code> kept"


def test_the_signs_of_a_formula_do_not_end_the_attribute_it_is_in():
    mathml = MATHML.format("", "a &quot;b&quot;").replace('="', "=&quot;").replace('">', "&quot;>")
    assert slim(f'<i data-mathml="{mathml}">') == (
        '<i data-mathml="<code>$a &quot;b&quot;$</code>">'
    )


@pytest.mark.parametrize(
    "code",
    [
        *('foo(<span class="line-number">12</span>)', "a\n = <a class=ln>3</a>"),
        *('<span class="line-number-literal">42</span>', '<span data-class="ln">42</span>'),
        '<b>x</b><span class="ln">3</span>',
    ],
)
def test_numbers_in_the_code_itself_stay(code):
    assert slim(f"<pre>{code}</pre>") == f"<pre>{code}</pre>"


@pytest.mark.parametrize(
    ("code", "shown"),
    [
        (
            '<code><b id=l><span class="ln">1</span><i>a\n</i></b><b><span class="ln">2</span>b',
            "<code><b id=l><i>a\n</i></b><b>b",
        ),
        ('<a name=l1></a><span class="linenos">1</span>a', "<a name=l1></a>a"),
        ("<SPAN CLASS=ln>1</SPAN>a<br><SPAN CLASS=ln>2</SPAN>b", "a<br>b"),
        ('<span class="ln">1</span><span class="ln">2</span>  a', "  a"),
    ],
)
def test_numbers_of_lines_go_where_a_line_begins(code, shown):
    assert slim(f"<pre>{code}</pre>") == f"<pre>{shown}</pre>"


def test_numbers_after_a_block_that_a_comment_names_stay():
    page = '<!-- <pre> --><p>\n<span class="ln">7</span> mills</p><pre>a</pre>'
    assert slim(page) == page


def test_words_on_links_to_scripts_stay():
    code = '&lt;a class="x" href="javascript:steal()"&gt;click'
    page = f'<p>Write href="javascript:go()" so:<pre><code>{code}</code></pre>'
    page += f"<p title='a href=\"javascript:\"'>In <code>{code}</code>."
    text = convert(page, URL)
    plain = '<a class="x" href="javascript:steal()">click'
    assert text == f'Write href="javascript:go()" so:\n\n```\n{plain}\n```\n\nIn `{plain}`.'


@pytest.mark.parametrize(
    "comment",
    [
        "<!-- <script> -->",
        "<!-- <style> --!>",
        "<!--><!-- <SCRIPT src=a> -->",
        "<!---><!--<style>-->",
    ],
)
def test_what_a_comment_names_begins_nothing(comment):
    page = f"<p>Above{comment}<p>Below<script>x = '<!--'</script><p>End<script>y</script>"
    assert slim(page) == f"<p>Above{comment}<p>Below<p>End"
    assert convert(slim(page), URL) == "Above\n\nBelow\n\nEnd"


def test_comments_that_are_not_closed_are_searched_once():
    page = "<!-- <script>" * 200_000
    assert slim(page) == page


@pytest.mark.parametrize(
    ("page", "said"),
    [
        ("a<!-- b <i>c</i> --> d", "a d"),
        ("a<!-->b<!---> c <!-- d --!> e", "a b c e"),
        ("a<!-- b <p>c", "a"),
        ("a <script>if (b < c) '<!--'</script> d<SCRIPT>e</Script >f", "a d f"),
        ("<!doctype html><title>a</title>b</p>c <d e>f < g", "b c f < g"),
        ("a <style>b", "a"),
    ],
)
def test_the_bare_text_has_no_comments_scripts_and_tags(page, said):
    assert bare(page) == said


def test_the_bare_text_of_many_comments_takes_no_time_that_grows_with_the_square():
    page = "<!-- <i>" + "<!-- " * 200_000 + "<script>" * 200_000
    assert bare(page) == ""
    assert bare("<!--x-->" * 100_000 + "a") == "a"


BROKEN = "<base href='http://[x'><title>A wheel</title><a href=/b>b</a><p>c"


@pytest.mark.parametrize(
    ("kind", "said"),
    [
        ("main", "c"),
        ("page", "c"),
        ("meta", "title: A wheel"),
        ("links", "https://example.com/b"),
        ("onward", "https://example.com/b"),
    ],
)
def test_a_base_that_is_no_address_counts_for_nothing(kind, said):
    assert said in READERS[kind](BROKEN, URL).text


def test_a_page_without_a_text_of_its_own_is_read():
    """Libraries take what is in a field for the text of the page."""
    field = " ".join(f"word{number}" for number in range(30))
    page = f"<title>A field</title><p><textarea>{field}</textarea></p>"
    assert read_page(page, URL).text.endswith("word28 word29")


@pytest.mark.parametrize("kind", ["main", "page", "links"])
@pytest.mark.parametrize("levels", [100, 300, 3_000])
def test_what_is_in_hundreds_of_elements_is_read_and_what_follows_it(kind, levels):
    ends = "".join(f"<p>The {word} words of this page.<a href=/{word}>{word}</a>" for word in ENDS)
    inner, after = ends.split("<p>")[1:]
    deep = f"<div>{FILLING}{'<div>' * levels}<p>{inner}{'</div>' * levels}{FILLING}<p>{after}"
    text = READERS[kind](f"<title>T</title><body>{deep}", URL).text
    assert [f"{URL}{word}" in text or f"The {word} words" in text for word in ENDS] == [True, True]


ENDS = ("innermost", "last")


@pytest.mark.parametrize(
    "begun", ["<b>", "<ul><li>", "<blockquote><p>", "<table><tr><td>", "<x-y>"]
)
def test_what_stands_after_elements_that_never_end_is_there(begun):
    text = READERS["links"](f"<body>{begun * 3_000}<a href=/inner>Inner</a><p>Last", URL).text
    assert f"{URL}inner" in text

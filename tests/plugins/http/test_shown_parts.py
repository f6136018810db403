"""Parts that browsers show and readers of HTML lose: tabs, shadow trees, words in buttons."""

import pytest

from strap_http.extraction import simple_markdown
from strap_http.extraction.pages import read_page, read_small
from tests.plugins.http.prose import prose

URL = "https://example.com/a"
READERS = {
    "main": read_page,
    "small": read_small,
    "whole": lambda page, url: read_page(page, url, whole=True),
}


def paragraphs(first, last):
    return "".join(f"<p>{prose(number)}</p>" for number in range(first, last))


@pytest.fixture(params=READERS)
def read(request):
    def read(piece):
        body = f"<h1>The mill</h1>{paragraphs(1, 9)}{piece}{paragraphs(9, 17)}"
        page = f"<title>The mill</title><nav><a href=/n>News</a></nav><main>{body}</main>"
        return READERS[request.param](page, URL).text

    return read


def tabs(hidden, place="div"):
    first = f"<{place} role=tabpanel id=a><pre><code>npm install wheel</code></pre></{place}>"
    second = f"<{place} role='tabpanel' {hidden} id=b><pre>yarn add wheel</pre></{place}>"
    return f"<div>{first}{second}</div>"


@pytest.mark.parametrize("place", ["div", "section"])
@pytest.mark.parametrize(
    "hidden",
    ["hidden", 'hidden=""', "hidden=until-found", "style='display: none'", "aria-hidden=true",
     'class="panel hidden"'],
)  # fmt: skip
def test_each_panel_of_tabs_stays(hidden, place, read):
    text = read(tabs(hidden, place))
    assert "npm install wheel" in text
    assert "yarn add wheel" in text


def test_what_is_hidden_elsewhere_stays_hidden(read):
    assert "yarn" not in read(tabs("hidden").replace("tabpanel", "group"))


@pytest.mark.parametrize("mode", ["open", "closed"])
def test_a_declared_shadow_tree_is_part_of_the_page(mode, read):
    note = f"<p>{prose(40)}</p><template><p>{prose(41)}</p></template>"
    tree = f"<x-note><template shadowrootmode={mode}>{note}</template></x-note>"
    text = read(f"{tree}<template><p>{prose(42)}</p></template>")
    assert prose(40) in text
    assert prose(41) not in text
    assert prose(42) not in text


def test_the_words_of_a_sentence_stay_though_they_are_buttons(read):
    term = "<button type=button>sluice</button>"
    text = read(f"<p>The word {term} means a gate for water in all of these old books.</p>")
    assert "The word sluice means a gate" in text


def test_other_buttons_go():
    page = f"<main><h1>The mill</h1>{paragraphs(1, 9)}<p><button>Copy</button></p></main>"
    assert "Copy" not in read_page(page, URL).text


@pytest.mark.parametrize(
    ("items", "numbers"),
    [
        ("<ol start=5><li>one<li value=9>two<li>three</ol>", ("5. one", "9) two", "10) three")),
        ("<ol><li>one</li><li value='4'>two</li></ol>", ("1. one", "4) two")),
        ("<ol><li value=3>one<li value=4>two</ol>", ("3. one", "4. two")),
        ("<ul><li value=3>one<li value=7>two</ul>", ("- one", "- two")),
        ("<ol><li>one<ul><li value=8>in</ul><li value=6>two</ol>", ("1. one", "- in", "6) two")),
        ("<ol><li data-value=9>one<li>two</ol>", ("1. one", "2. two")),
        ("<ol><li value=x>one<li value=99999999>two</ol>", ("1. one", "2. two")),
    ],
)
def test_items_keep_the_numbers_that_they_say(items, numbers, read):
    lines = [line.strip() for line in read(items).splitlines()]
    assert all(number in lines for number in numbers)
    simple = simple_markdown.convert(items, URL, menus=True, forms=True)
    simple_lines = [line.strip() for line in simple.splitlines()]
    assert all(number.replace(") ", ". ") in simple_lines for number in numbers)


@pytest.mark.parametrize("size", [1, 3, 5])
def test_the_share_of_the_words_is_that_of_what_is_shown(size):
    """As of a forum of which a library finds the first post alone."""
    first = "".join(f"<p>{prose(number)}</p>" for number in range(1, 1 + size))
    replies = "".join(
        f"<div class=comment><p>{prose(number)}</p></div>" for number in range(20, 60)
    )
    page = f"<title>Mills</title><h1>Mills</h1><div class=post>{first}</div>{replies}"
    reading = read_page(page, URL)
    shown = sum(prose(number) in reading.text for number in range(20, 60))
    assert reading.whole or reading.share == pytest.approx((shown + size) / (40 + size), abs=0.1)

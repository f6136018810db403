"""Pages that lack the end of an element, or have that of another too early: browsers go on."""

import time

import pytest

from strap import html_tree
from strap_http.extraction.pages import READERS, read_page
from tests.plugins.http.prose import prose

URL = "https://example.com/"
TEXT = f"<h1>The mill</h1>{''.join(f'<p>{prose(number)}</p>' for number in range(1, 20))}"
MENU = "".join(f"<li><a href=/{number}>Part {number}</a></li>" for number in range(20))


@pytest.mark.parametrize("name", ["button", "header", "nav", "aside", "footer", "menu", "ul"])
@pytest.mark.parametrize("inner", ["<div>Menu<div>", "<table><tr><td><div></table><DIV\n>Menu"])
def test_what_stands_after_an_element_that_lacks_the_end_of_one_in_it_is_not_in_it(name, inner):
    """The main part of such pages was lost with the button it was in."""
    page = f"<body><div><{name}>{inner}</{name}></div><ul>{MENU}</ul><main>{TEXT}</main></body>"
    text = read_page(page, URL).text
    assert text.startswith("# The mill\n")
    assert prose(19) in text
    assert "Part 3" not in text


@pytest.mark.parametrize(
    ("page", "around"),
    [
        ("<nav><div>a</nav><b>", "body"),
        ("<p>c<UL><DIV><div>a</UL><b>", "body"),
        ("<main><nav><table><td><div>a</table></nav><b>", "main"),
        ("<div><nav><table><tr><td><div>a<div></nav><b>", "div"),
        ("<main><nav><div/>a</nav><b>", "main"),
        ("<main><nav><!--<div>--></nav><b></main><div>", "main"),
        ("<main><nav><textarea><div></textarea></nav><b></main><div>", "main"),
        ("<main><div><div>a</nav><b>", "div"),
    ],
)
def test_ends_are_put_where_browsers_have_them(page, around):
    assert html_tree.parse(f"<body>{page}").find(".//b").getparent().tag == around


@pytest.mark.parametrize(
    ("page", "texts"),
    [
        ("<dl><dt>t<dd>a<dd>b<dd>c<dt>u<dd>d</dl>e", ["a", "b", "c", "d"]),
        ("<DL><DT>t<DD>a<p>b<DD class=x>c</DL>e", ["ab", "c"]),
        ("<dl><dd>a<dl><dd>b<dd>c</dl>d<dd>e</dl>", ["abcd", "b", "c", "e"]),
        ("<dl><div><dt>t<dd>a<dd>b</div><div><dd>c<dd>d</div></dl>", ["a", "b", "c", "d"]),
        ("<dl><dd>a</dd><dd>b<!--<dd>--><dd>c<ul><li>d</ul></dl>", ["a", "b", "cd"]),
        ("<dd>a<dd>b</dl><dd>c", ["a", "b", "c"]),
    ],
)
def test_a_description_ends_where_the_next_one_begins(page, texts):
    """The parser had the next one in it."""
    found = list(html_tree.parse(f"<body>{page}").iter("dd"))
    assert [each.text_content() for each in found] == texts
    assert "dd" not in {each.getparent().tag for each in found}


def test_thousands_of_descriptions_are_read():
    page = "<dl>" + "".join(f"<dd>Part {number}." for number in range(5_000))
    assert html_tree.parse(page).findall(".//dd")[-1].text == "Part 4999."


@pytest.mark.parametrize(("kind", "said"), [("main", prose(19)), ("links", f"{URL}last")])
@pytest.mark.parametrize("end", ["</body></html>", "</HTML >", "</body>"])
def test_what_stands_after_the_end_of_a_page_is_of_it(kind, said, end):
    """As where a header comes from another file."""
    page = f"<html><body><header>Mills</header>{end}<main>{TEXT}<a href=/last>Last</a></main>{end}"
    assert said in READERS[kind](page, URL).text


@pytest.mark.parametrize(
    "page",
    [
        "<section><div>{0}</section>",
        "<section>{0}<div>{0}</nav>",
        "<table>{0}<div><td>{0}</table>",
        "<div><!--{0}",
        "<div>{0}<script{0}",
        "<dd>{0}<dl>{0}<dd{0}",
        "<dd>{0}<!--{0}",
    ],
)
def test_hostile_pages_are_read_in_time(page):
    first, *rest = page.split("{0}")
    begun = time.process_time()
    html_tree.parse("".join((first * 40_000, *(part * 40_000 for part in rest))))
    assert time.process_time() - begun < 5

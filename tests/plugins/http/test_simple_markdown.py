"""Markdown where the extra `extract` is not installed."""

import builtins

import pytest

from strap_http.extraction import EXTRACT
from strap_http.extraction.pages import read_page
from strap_http.extraction.simple_markdown import convert

BASE = "https://example.com/a/"


def simple(body, **options):
    options = {"menus": True, "forms": True} | options
    return convert(f"<html><body>{body}</body></html>", BASE, **options)


@pytest.mark.parametrize(
    ("page", "text"),
    [
        ("<h2>A  <b>b</b></h2><p>one\n two</p><p>three", "## A **b**\n\none two\n\nthree"),
        ("<p>See <a href='../b?c'>the <i>rest</i></a>.</p>", None),
        ("<ul><li>a<li>b<ol><li>c<li>d</ol></ul><p>e", "- a\n- b\n  1. c\n  2. d\n\ne"),
        ("<pre>a\n  b</pre>", "```\na\n  b\n```"),
        ("a<br>b<hr>c", "a\nb\n\n---\nc"),
        ("<img alt='A dog' src=dog.png><img src=x.png>", None),
        (
            "<table><tr><th>a<th>b</tr><tr><td>1<td>2</tr></table>",
            "| a | b |\n| --- | --- |\n| 1 | 2 |",
        ),
        ("<script>x</script><style>y</style>text<!-- z -->", "text"),
        ("<div><div>a</div>b</div>", "a\n\nb"),
    ],
)
def test_what_it_makes(page, text):
    expected = {
        1: "See [the *rest*](https://example.com/b?c).",
        5: "![A dog](https://example.com/a/dog.png)",
    }
    found = simple(page)
    assert found == (text or expected[1 if "See" in page else 5])


def test_addresses_are_relative_to_the_base_of_the_page():
    page = "<head><base href=/b/></head><body><a href=c>See</a> <img alt=Dog src=d.png>"
    found = convert(page, BASE, menus=True, forms=True)
    assert found == "[See](https://example.com/b/c) ![Dog](https://example.com/b/d.png)"


def test_menus_and_forms_are_left_out_on_request():
    page = "<nav>menu</nav><form>field</form><p>text</p>"
    assert simple(page) == "menu\n\nfield\n\ntext"
    assert simple(page, menus=False, forms=False) == "text"


def test_a_hostile_page_ends():
    assert simple("<div>" * 5_000 + "deep") == "deep"
    assert simple("<div>" * 200 + "deep") == "deep"
    assert simple("<table><tr><td>" * 50 + "x").count("x") == 1
    assert convert("", BASE, menus=True, forms=True) == ""


def test_a_page_is_read_without_the_libraries(monkeypatch):
    imported = builtins.__import__

    def refuse(name, *rest):
        if name.partition(".")[0] in EXTRACT.modules:
            raise ImportError(name)
        return imported(name, *rest)

    monkeypatch.setattr(builtins, "__import__", refuse)
    monkeypatch.setattr("strap.api.extras.find_spec", lambda name: None)
    words = "A sentence of the article that says something. " * 40
    reading = read_page(
        f"<title>T</title><nav>Menu</nav><article><h1>T</h1>{words}</article>", BASE
    )
    assert reading.whole
    assert "# T" in reading.text
    assert "A sentence of the article" in reading.text

"""Footnotes and references: kept where a sentence of the text refers to them."""

import pytest

from strap_http.extraction.pages import read_page

URL = "https://example.com/mill"
PROSE = [
    "The mill at the upper ford ground rye for the whole valley until the flood of that spring.",
    "In the years after it the stones were moved to the new mill beside the bridge of the town.",
    "Nobody knows who carved the wheel, though three masons of the valley are named in the book.",
    "The lower race was dug by hand in two winters, and its walls still stand behind the church.",
]
NOTE = "Parish register of 1743."
OTHER = "Now in the museum."


def page(mark, notes):
    """A page whose article has two marks, with what stands below the article."""
    first, second = mark.format(n=1), mark.format(n=2)
    body = [f"{PROSE[0]}{first}", PROSE[1], f"{PROSE[2]}{second}", PROSE[3], *PROSE, *PROSE]
    text = "".join(f"<p>{each} {number}.</p>" for number, each in enumerate(body))
    return (
        f"<title>Mill</title><body><nav><a href=/>Home</a></nav><article><h1>The mill</h1>{text}"
        f"</article><div class=wrapper>{notes}</div><footer><a href=/c>Contact</a></footer>"
    )


LINKED = "<sup><a href='#n{n}'>{n}</a></sup>"


@pytest.mark.parametrize(
    ("mark", "notes"),
    [
        (LINKED, f"<section><h2>Notes</h2><ol><li id=n1>{NOTE}<li id=n2>{OTHER}</ol></section>"),
        (LINKED, f"<p id=n1>1 {NOTE}</p><p id=n2>2 {OTHER}</p>"),
        (LINKED, f"<h5><a id=n1>(1)</a></h5><p>{NOTE}</p><h5><a id=n2>(2)</a></h5><p>{OTHER}</p>"),
        (LINKED, f"<div><a name=n1>1</a><p>{NOTE}</p></div><div><a name=n2>2</a><p>{OTHER}</div>"),
        (LINKED, f"<dl><dt id=n1>[1]<dd>{NOTE}<dt id=n2>[2]<dd>{OTHER}</dl>"),
        (LINKED, f"<table><tr><td id=n1>1<td>{NOTE}<tr><td id=n2>2<td>{OTHER}</table>"),
        (f"[<a href={URL}#n{{n}}>{{n}}</a>]", f"<ul><li id=n1>{NOTE}<li id=n2>{OTHER}</ul>"),
        ("<sup>{n}</sup>", f"<div class=Post__footnotes><p>1 {NOTE}</p><p>2 {OTHER}</p></div>"),
        ("<sup>{n}</sup>", f"<ol role=doc-endnotes><li>{NOTE}</li><li>{OTHER}</li></ol>"),
    ],
    ids=["list", "lines", "headings", "names", "terms", "rows", "whole", "class", "role"],
)
def test_notes_stay_with_the_text_that_refers_to_them(mark, notes):
    read = read_page(page(mark, notes), URL)
    assert not read.whole
    assert NOTE in read.text, read.text
    assert OTHER in read.text, read.text
    assert "Contact" not in read.text


def test_the_heading_of_notes_stays():
    notes = f"<h2>Notes</h2><ol><li id=n1>{NOTE}<li id=n2>{OTHER}</ol>"
    assert "## Notes\n\n1. " in read_page(page(LINKED, notes), URL).text


@pytest.mark.parametrize(
    ("mark", "notes"),
    [
        ("", f"<p>See <a href=#n1>1</a></p><ol><li id=n1>{NOTE}<li id=n2>{OTHER}</ol>"),
        (" (see <a href=#n{n}>the offers</a>)", f"<p id=n1>{NOTE}</p><p id=n2>{OTHER}</p>"),
        (LINKED, f"<p id=n3>{NOTE}</p><p id=n4>{OTHER}</p>"),
        ("", f"<div class=footnotes><p>{NOTE}</p><p>{OTHER}</p></div>"),
    ],
    ids=["no sentence", "no mark", "other targets", "no mark for the name"],
)
def test_what_no_sentence_refers_to_stays_out(mark, notes):
    assert NOTE not in read_page(page(mark, notes), URL).text


@pytest.mark.parametrize("name", ["has-footnotes", "footnotes"])
def test_a_name_of_the_whole_page_makes_no_notes(name):
    text = page("<sup>{n}</sup>", f"<p>{NOTE}</p>").replace("<body>", f"<body class={name}>")
    assert NOTE not in read_page(text, URL).text


def test_a_mark_for_a_part_of_the_text_brings_nothing_else():
    text = page(LINKED, f"<p>{NOTE}</p>").replace("<article>", "<article id=n1>")
    assert NOTE not in read_page(text.replace("<body>", "<body id=n2>"), URL).text

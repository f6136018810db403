"""How the benchmark of extraction counts what is kept of the structure of a page."""

from benchmarks.of_content.main_parts import CORPORA, bare, of_part, titles_of
from benchmarks.of_content.scoring import Score, forms, plain, structure

PAGE = """<h2>Wheels</h2><ul><li><p>Rye</p><p>is ground first</p><ul><li>white</li></ul></li></ul>
<div>Not a list</div><table><tr><td>1</td></tr></table><pre>a = 1
b = 2</pre>"""
WANTED = """## Wheels

- Rye

  is ground first
  - white
- Not a list

```
a = 1
b = 2
```"""


def test_an_item_counts_once_without_what_is_nested():
    assert dict(structure(WANTED)["list items"]) == {
        "rye is ground first": 1,
        "white": 1,
        "not a list": 1,
    }


def test_what_a_page_has_in_a_form():
    found = forms(PAGE)
    assert {"rye is ground first", "white"} <= found["list items"]
    assert "not a list" not in found["list items"]
    assert found["headings"] == {"wheels"}
    assert {"a 1", "b 2"} <= found["code"]
    assert found["table cells"] == {"1"}


def test_only_what_the_page_has_is_asked_for():
    score = Score()
    score.add_structure("- Rye is ground first", WANTED, PAGE)
    assert (score.kept["list items"], score.there["list items"]) == (1, 2)
    assert score.share("code") == 0


def test_what_the_labels_have_not_counts_against_a_structure():
    score = Score()
    score.add_structure("## Wheels\n\n- Rye is ground first\n- Subscribe", WANTED, PAGE)
    assert score.structured("headings") == 1
    assert score.structured("list items") == 2 * 1 / (2 + 2)
    assert score.structured("code") == 0


def test_titles_before_a_text_count_for_nobody():
    titles = titles_of("<title>Mill reopens | The Paper</title><h1>The mill is <b>open</b></h1>")
    for before in (
        "# Mill reopens\n\n",
        "The mill is open\n",
        "# Mill reopens\n# The mill is open\n",
    ):
        assert bare(f"{before}Mill wheels turn", titles).split() == ["Mill", "wheels", "turn"]
    assert bare("Mill wheels turn\nThe mill is open", titles).count("open") == 1


def test_a_picture_with_brackets_in_its_words_is_no_text():
    assert plain("![The mill [photo: us]](/w.png) Text") == " Text"


def test_the_halves_that_may_be_read_are_measured_by_their_name_alone():
    assert of_part("") == ("unread", list(CORPORA))
    assert of_part("readable") == ("unread", ["readable"])
    assert of_part("read") == ("read", list(CORPORA))
    assert of_part("read-readable") == ("read", ["readable"])


def test_a_number_before_a_heading_is_no_word_of_it():
    """Extractors that mark no headings leave "1. Wheels", of which a line of a list is made."""
    for line in ("1. Wheels turn", "## 1. Wheels turn", "> - Wheels turn", "> ## 2. Wheels turn"):
        assert bare(line, []).split() == ["Wheels", "turn"]

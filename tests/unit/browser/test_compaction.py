"""Making the tree of a page compact."""

import time

import pytest

from strap_browser.snapshot.compaction import compact
from strap_browser.snapshot.items import number
from strap_browser.snapshot.rendering import Limits, Renderer

from .nodes import nodes


def lines(outline, limits=None):
    items = compact(nodes(outline))
    number(items)
    renderer = Renderer(lambda raw, _: raw, limits or Limits())
    return [str(line) for line in renderer.lines(items)]


def test_wrappers_labels_and_repetitions_go():
    assert lines(
        "generic [focused] e1\n"
        "  generic e2\n"
        "    text: Name\n"
        '    textbox "Name" e3 labelled\n'
        '  link "Read more" e4 pointer\n'
        '    img "Read more" e5\n'
        '  heading "News" [level=2] e7\n'
        '    link "News" e8 pointer\n'
        "  separator e9\n"
        "  list e10\n"
        "    listitem e11\n"
        '      link "One" e12 pointer\n'
        "    listitem e13: Two"
    ) == [
        'textbox "Name" e3',
        'link "Read more" e4',
        'h2 link "News" e8',
        '- link "One" e12',
        "- Two",
    ]


def test_a_margin_in_a_label_makes_it_no_other_text():
    assert lines(
        "generic e1\n"
        "  text: Title *\n"
        '  textbox "Title*" e2 labelled\n'
        '  link "Title*" e3 pointer: Title *'
    ) == ['textbox "Title*" e2', 'link "Title*" e3']


@pytest.mark.parametrize("control", ["button", "link", "clickable", "tab"])
def test_a_text_beside_what_shows_its_own_name_is_no_label(control):
    told = ["text: OK", f'{control} "OK" e1', "text: OK"]
    assert lines(f'text: OK\n{control} "OK" e1 pointer\ntext: OK') == told


def test_a_text_beside_a_field_that_no_label_names_is_its_own():
    assert lines('textbox "Mail" e1\ntext: Mail') == ['textbox "Mail" e1', "text: Mail"]


@pytest.mark.parametrize("role", ["radio", "checkbox", "textbox"])
def test_a_field_has_one_label_and_what_else_says_the_same_is_told(role):
    label, field, answer = "text: Low", f'{role} "Low" e1', "text: Low"
    told = f"{field} labelled"
    assert lines(f"{label}\n{told}\n{answer}") == [field, answer]
    assert lines(f"{label}\n{told}") == lines(f"{told}\n{answer}") == [field]


def test_what_nobody_sees_and_is_the_name_of_what_stands_beside_it_is_left_out():
    assert lines('text [invisible]: Rated 3\nradio "Rated 3" e1') == ['radio "Rated 3" e1']


def test_equal_texts_are_told_each():
    """A board: what stands in a place is read by its place."""
    assert lines("generic e1: X\ngeneric e2: X\ngeneric e3: O") == ["text: X"] * 2 + ["text: O"]


def test_states_values_and_options_stay():
    assert lines(
        'checkbox "Terms" [checked] [disabled] e1\n'
        'textbox "Mail" [invalid] [focused] e2: a@b\n'
        'combobox "Country" e3\n'
        '  option "France"\n'
        '  option "Peru" [selected]\n'
        'button "Menu" [expanded] e4'
    ) == [
        'checkbox "Terms" e1 checked disabled',
        'textbox "Mail" e2 invalid focused: a@b',
        'combobox "Country" e3: Peru (France, Peru)',
        'button "Menu" e4 expanded',
    ]


@pytest.mark.parametrize("name", ["1", "Page 1 of 10", "1 or 2", "Page of 10"])
def test_a_choice_is_told_whatever_the_name_says(name):
    options = '  option "1" [selected]\n  option "2"'
    assert lines(f'combobox "{name}" e1\n{options}') == [f'combobox "{name}" e1: 1 (1, 2)']


def test_a_part_of_a_word_of_the_name_is_no_repetition():
    assert lines('button "Inbox, 12 new" e1\n  generic e2: 1\n  generic e3: Inbox') == [
        'button "Inbox, 12 new" e1: 1'
    ]


def test_a_row_is_one_line_and_keeps_its_empty_cells():
    assert lines(
        "table e1\n"
        "  rowgroup e2\n"
        "    row e3\n"
        '      columnheader "Id" e4\n'
        '      columnheader "Name" e5\n'
        "  rowgroup e6\n"
        '    row "1 View" e7\n'
        '      cell "1" e8\n'
        "      cell e9\n"
        '      cell "View" e10\n'
        '        link "View" e11 pointer'
    ) == ["table", "  columns: Id | Name", '  row: 1 |  | link "View" e11']


def test_clickable_elements_without_a_role_are_shown():
    assert lines(
        "generic e1 pointer: Open\n"
        "listitem e2 pointer: Choose\n"
        "generic e3 pointer\n"
        "  generic e4: Card\n"
        '  button "Buy" e5'
    ) == [
        'clickable "Open" e1',
        "- e2: Choose",
        'clickable "Card" e3',
        '  button "Buy" e5',
    ]


def test_hidden_decoration_goes_but_controls_stay():
    assert lines('generic e1 hidden: decoration\ngeneric e2 hidden\n  button "Close" e3') == [
        'button "Close" e3'
    ]


def test_long_lists_fold_and_say_where_they_go_on():
    rows = "\n".join(f'button "B{n}" e{n}' for n in range(30))
    folded = lines(rows, Limits(siblings=5, characters=100))
    assert folded[:2] == ['button "B0" e0', 'button "B1" e1']
    assert folded[5:] == ["… 25 more buttons (start=5)"]


def test_long_texts_are_cut_and_keep_count_of_their_links():
    words = "word " * 60
    folded = lines(
        f'paragraph e1\n  text: {words}\n  link "there" e2',
        Limits(siblings=5, characters=50),
    )
    assert len(folded) == 1
    assert folded[0].startswith("text: word word")
    assert folded[0].endswith("… +1 ref (start=2)")


def test_many_brackets_take_no_longer_for_each():
    """8,000 took 4 s of the event loop, 20,000 six times as long."""
    opened, closed = "  text: a (\n" * 10_000, "  text: )\n" * 10_000
    began = time.process_time()
    items = compact(nodes("generic [focused] e1\n" + opened + closed + closed))
    assert time.process_time() - began < 2
    assert [item.body for item in items].count(")") == 10_000

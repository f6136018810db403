"""Changes between two snapshots."""

import re

import pytest

from strap_browser.common.alignment import in_order
from strap_browser.snapshot.diff import compare, describe
from strap_browser.snapshot.excerpt import BEFORE
from strap_browser.snapshot.refs import Refs
from strap_browser.snapshot.snapshot import build

from .nodes import nodes


def difference(before, after, max_tokens=2_500):
    old, new = (build(nodes(one), url="http://x/", title="") for one in (before, after))
    return describe(compare(old, new), new, Refs(), max_tokens)


def test_nothing_changed():
    same = 'button "A" e1\ntext: B'
    assert difference(same, same) == ""


def test_focus_alone_is_no_change():
    assert difference('button "A" e1', 'button "A" [focused] e1') == ""


def test_added_removed_and_changed():
    before = 'main e1\n  button "A" e2\n  status e3: Ready\n  text: Old'
    after = (
        'main e1\n  button "A" [disabled] e2\n  status e3: Done\n'
        'dialog "Sure?" e9\n  button "Yes" e10\n  button "No" e11'
    )
    assert difference(before, after).splitlines() == [
        '~ button "A" e1 disabled',
        "~ status: Done",
        "- text: Old",
        '+ dialog "Sure?"',
        '+   button "Yes" e2',
        '+   button "No" e3',
    ]


def test_a_renamed_button_is_a_change():
    assert difference('button "Play" e1', 'button "Pause" e2') == '~ button "Pause" e1'


def test_an_item_in_the_middle_of_a_list():
    items = [f"listitem e{n}: Item {n}" for n in range(600)]
    after = [*items[:300], "listitem e900: New", *items[300:]]
    assert difference("\n".join(items), "\n".join(after)) == "+ - New"


def test_many_changes_are_bounded():
    before = "\n".join(f"listitem e{n}: Item {n}" for n in range(500))
    after = "\n".join(f"listitem e{n + 1000}: Other {n}" for n in range(500))
    text = difference(before, after, max_tokens=200)
    assert text.splitlines()[-1].endswith("more changes: take a snapshot")
    assert len(text) < 1_500


def rows(numbers):
    return "\n".join(f"listitem e{n}: Item {n}" for n in numbers)


def test_what_moves_in_a_long_list():
    numbers = [*range(1_000)]
    moved = [*numbers[1:900], 0, *numbers[900:]]
    assert difference(rows(numbers), rows(moved)).splitlines() == ["- - Item 0", "+ - Item 0"]
    apart = [2_000, *numbers[:-1]]
    assert difference(rows(numbers), rows(apart)).splitlines() == ["+ - Item 2000", "- - Item 999"]


def test_lines_that_are_others_in_a_long_list_with_new_ones():
    old = "\n".join(f'checkbox "Item {n}" e{n}' for n in range(1_000))
    new = 'checkbox "New" e2000\n' + old.replace('"Item 500"', '"Item 500" [checked]')
    answer = difference(old, new + '\ncheckbox "Last" e2001').splitlines()
    assert [re.sub(r" e\d+", "", line) for line in answer] == [
        '+ checkbox "New"',
        '~ checkbox "Item 500" checked',
        '+ checkbox "Last"',
    ]


@pytest.mark.parametrize(
    ("old", "new", "kept"),
    [
        ("", "abc", ""),
        ("abc", "", ""),
        ("abc", "abc", "abc"),
        ("abcdef", "bcdefa", "bcdef"),
        ("aab", "aba", "ab"),
        ("fedcba", "abcdef", "f"),
        ("axbxcx", "axbcxx", "axbxx"),
    ],
)
def test_what_keeps_its_order(old, new, kept):
    blocks = in_order([*old], [*new])
    assert len(blocks) == len(kept)
    assert "".join(old[a : a + size] for a, _, size in blocks) == "".join(
        new[b : b + size] for _, b, size in blocks
    )


LONG = "Lorem ipsum dolor sit amet consectetur adipiscing elit sed do eiusmod tempor. " * 8
WORDLESS = "汉字" * 300


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("text: {}Total: 5", "text: {}Total: 7", "elit sed do eiusmod tempor. Total: 7"),
        ("text: {}", "text: {}And more.", "elit sed do eiusmod tempor. And more."),
        ("text: {}", "text: First. {}", "text: First. Lorem"),
        ('button "{}" e1', 'button "{}now" e1', 'elit sed do eiusmod tempor. now" e1'),
        ("text: {}Gone, all of it, now.", "text: {}", "…consectetur adipiscing elit sed do"),
        (f"text: A: {WORDLESS}", f"text: A: {WORDLESS}新的", f"…{WORDLESS[:BEFORE]}新的"),
        (f"text: {WORDLESS}{WORDLESS}", f"text: {WORDLESS}", f"…{WORDLESS[:BEFORE]}"),
        (
            'paragraph e1: {}\n  link "A" e2',
            'paragraph e1: {}\n  link "A" e2\n  link "B" e3',
            '… [link "B" e1]',
        ),
        (
            'paragraph e1: {}\n  link "A" e2\n  link "B" e3',
            'paragraph e1: {}\n  link "A" e2',
            "text: Lorem ipsum",
        ),
    ],
)
def test_a_long_text_is_told_from_where_it_is_another(old, new, told):
    answer = difference(old.format(LONG), new.format(LONG))
    assert told in answer
    assert len(answer) < 250


def test_what_is_the_same_is_none_where_only_its_element_is_new():
    before = 'group e1\n  button "A" e2\n  text: B'
    assert difference(before, before.replace("e1", "e4").replace("e2", "e5")) == '~ button "A" e1'

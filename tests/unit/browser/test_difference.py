"""What changed between two snapshots."""

from strap_browser.snapshot.diff import compare, describe
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

"""Reading Playwright's snapshots, and making them compact."""

from strap_browser.aria import MAX_DEPTH, parse
from strap_browser.compaction import compact
from strap_browser.outline import number
from strap_browser.rendering import Limits, Renderer


def lines(snapshot, limits=None):
    items = compact(parse(snapshot))
    number(items)
    renderer = Renderer(lambda raw, _: raw, limits or Limits())
    return [str(line) for line in renderer.lines(items)]


def test_reads_roles_names_states_and_properties():
    root = parse(
        '- link "Home" [ref=f2e4] [cursor=pointer]:\n'
        "  - /url: /home\n"
        '- textbox "Name" [active] [ref=e5]:\n'
        "  - /placeholder: Your name\n"
        "  - text: Ada\n"
        '- heading "Title" [level=2]: more'
    )
    link, field, heading = root.children
    assert (link.role, link.name, link.ref, link.pointer, link.url) == (
        "link",
        "Home",
        "f2e4",
        True,
        "/home",
    )
    assert (field.marks, field.placeholder, field.children[0].text) == (
        ("active",),
        "Your name",
        "Ada",
    )
    assert (heading.marks, heading.text, heading.ref) == (("level=2",), "more", "")


def test_reads_what_yaml_had_to_quote():
    root = parse(
        '- \'button "it\'\'s: [ref=e9] done" [ref=e3]\': "a \\"quoted\\" \\x07 \\\\x41"\n'
        '- text: "- not a node"\n'
        '- link "a \\"b\\" \\n c" [ref=e4]'
    )
    button, text, link = root.children
    assert (button.name, button.ref) == ("it's: [ref=e9] done", "e3")
    assert button.text == 'a "quoted" \x07 \\x41'
    assert text.text == "- not a node"
    assert (link.name, link.ref) == ('a "b" \n c', "e4")


def test_deep_nesting_keeps_everything():
    deep = "\n".join("  " * n + f"- group [ref=e{n}]:" for n in range(400))
    deep += "\n" + "  " * 400 + '- button "Bottom" [ref=e400]'
    assert any("Bottom" in line for line in lines(deep))
    assert len(deep.splitlines()) > MAX_DEPTH


def test_wrappers_labels_and_repetitions_go():
    assert lines(
        "- generic [active] [ref=e1]:\n"
        "  - generic [ref=e2]:\n"
        "    - text: Name\n"
        '    - textbox "Name" [ref=e3]\n'
        '  - link "Read more" [ref=e4] [cursor=pointer]:\n'
        '    - img "Read more" [ref=e5]\n'
        "    - generic [ref=e6]: Read more\n"
        '  - heading "News" [level=2] [ref=e7]:\n'
        '    - link "News" [ref=e8] [cursor=pointer]\n'
        "  - separator [ref=e9]\n"
        "  - list [ref=e10]:\n"
        "    - listitem [ref=e11]:\n"
        '      - link "One" [ref=e12] [cursor=pointer]\n'
        "    - listitem [ref=e13]: Two"
    ) == [
        'textbox "Name" e3',
        'link "Read more" e4',
        'h2 link "News" e8',
        '- link "One" e12',
        "- Two",
    ]


def test_states_values_and_options_stay():
    assert lines(
        '- checkbox "Terms" [checked] [disabled] [ref=e1]\n'
        '- textbox "Mail" [invalid] [active] [ref=e2]: a@b\n'
        '- combobox "Country" [ref=e3]:\n'
        '  - option "France"\n'
        '  - option "Peru" [selected]\n'
        '- button "Menu" [expanded] [ref=e4]'
    ) == [
        'checkbox "Terms" e1 checked disabled',
        'textbox "Mail" e2 invalid focused: a@b',
        'combobox "Country" e3: Peru (France, Peru)',
        'button "Menu" e4 expanded',
    ]


def test_a_row_is_one_line_and_keeps_its_empty_cells():
    assert lines(
        "- table [ref=e1]:\n"
        "  - rowgroup [ref=e2]:\n"
        "    - row [ref=e3]:\n"
        '      - columnheader "Id" [ref=e4]\n'
        '      - columnheader "Name" [ref=e5]\n'
        "  - rowgroup [ref=e6]:\n"
        '    - row "1 View" [ref=e7]:\n'
        '      - cell "1" [ref=e8]\n'
        "      - cell [ref=e9]\n"
        '      - cell "View" [ref=e10]:\n'
        '        - link "View" [ref=e11] [cursor=pointer]'
    ) == ["table", "  columns: Id | Name", '  row: 1 |  | link "View" e11']


def test_clickable_elements_without_a_role_are_shown():
    assert lines(
        "- generic [ref=e1] [cursor=pointer]: Open\n"
        "- listitem [ref=e2] [cursor=pointer]: Choose\n"
        "- generic [ref=e3] [cursor=pointer]:\n"
        "  - generic [ref=e4]: Card\n"
        '  - button "Buy" [ref=e5]'
    ) == [
        'clickable "Open" e1',
        "- e2: Choose",
        "clickable e3",
        "  text: Card",
        '  button "Buy" e5',
    ]


def test_hidden_decoration_goes_but_controls_stay():
    assert lines(
        "- generic [aria-hidden] [ref=e1]: decoration\n"
        "- generic [aria-hidden] [ref=e2]:\n"
        '  - button "Close" [ref=e3]'
    ) == ['button "Close" e3']


def test_long_lists_fold_and_say_where_they_go_on():
    rows = "\n".join(f'- button "B{n}" [ref=e{n}]' for n in range(30))
    folded = lines(rows, Limits(siblings=5, characters=100))
    assert folded[:2] == ['button "B0" e0', 'button "B1" e1']
    assert folded[5:] == ["… 25 more buttons (start=5)"]


def test_long_texts_are_cut_and_keep_count_of_their_links():
    words = "word " * 60
    folded = lines(
        f'- paragraph [ref=e1]:\n  - text: {words}\n  - link "there" [ref=e2]',
        Limits(siblings=5, characters=50),
    )
    assert len(folded) == 1
    assert folded[0].startswith("text: word word")
    assert folded[0].endswith("… +1 ref (start=2)")

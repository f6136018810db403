"""Problems of case files, each with its line: all at once, each in one line."""

import pytest

from strap_cases.problems import BadCases
from strap_cases.reading import read_cases

CASE = "## A\nGo.\n- `url /`\n"

BAD = [
    ("---\nbudget_s: 9\n## A", 1, "the settings have no end"),
    ("---\n- a\n---\n" + CASE, 2, "settings are a mapping"),
    ("---\nname: a\nurl: [\n---\n" + CASE, 3, "this is not YAML"),
    ("---\nname: a\nbuget_s: 9\n---\n" + CASE, 3, "Did you mean 'budget_s'?"),
    ("---\nname: a\nname: b\n---\n" + CASE, 3, "name is given twice"),
    ("---\nname: &a b\n---\n" + CASE, 2, "anchors, aliases and tags"),
    ("---\nname: !!str b\n---\n" + CASE, 2, "anchors, aliases and tags"),
    ("---\nname: a\nbudget_s: soon\n---\n" + CASE, 3, "budget_s: "),
    ("---\nviewport: wide\n---\n" + CASE, 2, "viewport: this is not a valid size; write width"),
    ("---\nneeds: SHOP_URL\n---\n" + CASE, 2, "write one such as [SHOP_URL]"),
    ("---\njudge: maybe\n---\n" + CASE, 2, "neither true nor false"),
    ("---\nbudget_s: 1e99\n---\n" + CASE, 2, "less than or equal to 3600"),
    ("---\nparams: {a-b: 1}\n---\n" + CASE, 2, "'a-b' is not a valid name of a value"),
    ("---\nparams: {unique: 1}\n---\n" + CASE, 2, "filled in by strap"),
    ('---\nname: a\nexpect: ["no consol errors"]\n---\n' + CASE, 3, "is not a valid check"),
    ("---\nx: " + "[" * 50000 + "\n---\n" + CASE, 2, "nested too deeply"),
    ("---\nurl: ftp://x.test\n---\n" + CASE, 4, "is not a valid address"),
    ("# A\n# B\n" + CASE, 2, "a file has one title"),
    ("## A @\nGo.\n- `url /`", 1, "tags stand at the end"),
    ("## A @setup\nGo.\n- `url /`", 1, "is not a valid tag; write @setup(name)"),
    ("## A @smoke(x)\nGo.\n- `url /`", 1, "is not a valid tag; write @setup(name) or @smoke"),
    ("## A\n### Expects\n- `url /`", 2, "Did you mean 'Expect'?"),
    ("## A\nGo.\n### Expect\n- `url /`\n### Then\n- `url /`", 5, "there is a section"),
    ("## A\nGo.\n### Steps\nGo.\n- `url /`", 2, "text stands before the Steps"),
    ("## A\n### Expect\n- `url /`", 1, "the case has no steps"),
    ("## A\nGo.\n", 1, "nothing that strap can check"),
    ("## A\nGo.\n### Expect\n- It is green.", 1, "nothing that strap can check"),
    ('## A\nGo.\n- `text ""`', 3, "the text is empty"),
    ('## A\nGo.\n- `url " "`', 3, "the text is empty"),
    ('## A\nGo.\n- `text "{a}"`\n### Examples\n| b | a |\n| - | - |\n| 1 | |', 3, "is empty"),
    ("## A\n- `url /`\n- Go.", 2, "there is no step before this check"),
    ("## A\nGo.\n\n- `urll /`", 4, "Did you mean 'url'?"),
    ("## A\nGo.\n### Expect\n- `url /` at the end\n- `url /`", 4, "has words beside it"),
    ("## A\nGo {who}.\n- `url /`", 2, "there is no value for {who}"),
    ("## A\n1. Go.\n2. Then\n   {who}.\n   - `url /`", 4, "there is no value for {who}"),
    ("## A\nGo.\n- `url /`\n### Given\n- `url /home`", 5, "is a check"),
    ("## A\nGo.\n- `url /`\n### Given\n- Log in.", 5, "this is not a valid call"),
    ("## A\nGo.\n- `url /`\n### Given\n- `http GET /x 200`", 5, "is not a valid call"),
    ("## A\nGo.\n### Expect\n- `http fetch url=x`", 4, "a call belongs in Given"),
    ("## A\nGo.\n- `url /`\n### Given\n- `http fetch url='x`", 5, "cannot be split"),
    (CASE + "### Examples\nnone", 4, "Examples hold one table"),
    (CASE + "### Examples\n| a |\n| - |", 4, "Examples hold one table"),
    (CASE + "### Examples\n| a | b |\n| - | - |\n| 1 |", 7, "1 cells and the head 2"),
    (CASE + "### Examples\n| a |\n| - |\n| 1 | 2 |", 7, "2 cells and the head 1"),
    (CASE + "### Examples\n| a |\n| - |\n| 1 |\n| 1 |", 8, "names the row"),
    (CASE + "### Examples\n| a | a |\n| - | - |\n| 1 | 2 |", 5, "two columns have one name"),
    (CASE + "### Examples\n| a b |\n| - |\n| 1 |", 5, "is not a valid name of a value"),
    (CASE + CASE, 4, "there is a case 'A' in this file already"),
    ("## A\nState: ada\nGo.\n- `url /`", 1, "no case sets up 'ada'"),
    ("## A\nState: a b\nGo.\n- `url /`", 2, "is not a valid name of a state"),
    ("## A @setup(a)\nState: a\nGo.\n- `url /`", 1, "needs its own state"),
    ("## A @setup(a)\nGo.\n- `url /`\n## B @setup(a)\nGo.\n- `url /`", 4, "by another case"),
    ("## A\nGo.\n```yaml case\nskip: x\n```\n- `url /`", 3, "right below its title"),
    ("## A\n```yaml case\nname: a\nskp: x\n```\nGo.\n- `url /`", 4, "Did you mean 'skip'?"),
    (b"## A\nGo.\n\xff", 3, "is not UTF-8"),
    ("## A\nGo.\0\n- `url /`", 2, "holds NUL"),
    ("x" * (256 * 1024 + 1), 1, "more than 256 KiB"),
    ("\n".join(f"## A{n}\nGo.\n- `url /`" for n in range(501)), 1, "501 cases"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "line", "said"), BAD, ids=[each[2] for each in BAD])
def test_a_problem_is_told_with_its_line(wrong, text, line, said):
    problems = wrong(text)
    assert any(at == line and said in told for at, told in problems), problems
    assert all("\n" not in told for _, told in problems)


def test_of_a_line_without_end_the_beginning_and_what_to_write_are_told(tmp_path):
    path = tmp_path / "a.case.md"
    path.write_text(f"## A\nGo.\n- `text /{'(a|b)' * 40_000}/`\n")
    with pytest.raises(BadCases) as raised:
        read_cases([path], base_url="http://x.test")
    said = str(raised.value).removeprefix(f"{path}:3: ")
    assert len(said) < 1000
    assert said.startswith("`text /(a|b)(a|b)")
    assert "has at most 500 characters. Write `text " in said[-100:]


def test_all_problems_of_all_files_are_told_at_once(tmp_path):
    (tmp_path / "a.case.md").write_text("## A\nGo {x}.\n- `urll /`\n")
    (tmp_path / "b.case.md").write_text("## B\n### Expects\n")
    with pytest.raises(BadCases) as raised:
        read_cases([tmp_path], base_url="http://x.test")
    places = [line.split(": ")[0].rpartition("/")[2] for line in str(raised.value).splitlines()]
    assert places == ["a.case.md:2", "a.case.md:3", "b.case.md:1", "b.case.md:1", "b.case.md:2"]


def test_a_base_url_is_needed(wrong):
    ((line, said),) = wrong(CASE, base_url="")
    assert (line, said.partition(";")[0]) == (1, "nothing says where the case begins")


def test_states_in_a_circle_are_told(wrong):
    text = "## {0} @setup({0})\nState: {1}\nGo.\n- `url /`\n"
    assert len(wrong(text.format("a", "b") + text.format("b", "a"))) == 2


def test_a_link_out_of_the_folder_is_not_followed(tmp_path):
    (tmp_path / "inside").mkdir()
    (tmp_path / "a.case.md").write_text(CASE)
    (tmp_path / "inside" / "a.case.md").symlink_to(tmp_path / "a.case.md")
    (tmp_path / "inside" / "b.case.md").write_text("## B\nGo.\n- `urll /`\n")
    with pytest.raises(BadCases, match=r"leads out of the folder.*\n.*'url'\?$"):
        read_cases([tmp_path / "inside"], base_url="http://x.test")


def test_a_file_that_is_not_there_is_told(tmp_path):
    with pytest.raises(BadCases, match="cannot be read"):
        read_cases([tmp_path / "a.case.md"])

"""Case files that are right: what is read from them."""

import random
from contextlib import suppress

import pytest

from strap import UsageError
from strap_cases.cases import Line
from strap_cases.checks import Text
from strap_cases.filling import filled
from strap_cases.problems import Problems
from strap_cases.reading import SAMPLES, read_cases, values_of

SHOP = """\
---
base_url: http://localhost:3000
budget_s: 90
expect: ["no console errors", "no failed requests"]
---
# Shop

## Customer is known  @setup(ada)
1. Log in as ada@shop.test with {{shop}}.
### Expect
- `url /home`
- `cookie session`

## Order a tool  @smoke
State: ada
### Given
- `http fetch method=POST url={base_url}/test/reset`
### Steps
1. Put one {tool} into the basket.
   - `text "1 item"`
2. Open the basket and order, with the note "run {unique}".
### Expect
- `url /thanks`
- `text "Total {price}"`
- `request POST /api/orders 201`
- `http GET /api/orders 200 "run {unique}"`
- The total stands out from the other lines.
### Examples
| tool  | price |
| ----- | ----- |
| spade | 12.50 |
| rake  | 9.00  |
"""
MONKEY = """\
---
name: Search works
llm_model: some/model
timeout: 120
---
# Task

Open the page. Run `npm` first:

- `make it so`
## A detail
Then search.

# Expected Output

The list has three hits.
"""


def test_the_example_is_read_as_it_is_meant(read):
    known, spade, rake = read(SHOP, base_url="")
    assert (known.title, known.setup, known.line) == ("Customer is known", "ada", 8)
    assert known.settings.budget_s == 90
    assert [line.line for line in known.checks] == [11, 12, 4, 4]
    assert (spade.name, spade.state, spade.tags) == ("Order a tool [spade]", "ada", ("smoke",))
    assert spade.id.endswith("shop.case.md::Order a tool[spade]")
    first, second = spade.segments
    assert first.checks == (Line('text "1 item"', 20),)
    assert second.steps == Line('2. Open the basket and order, with the note "run {unique}".', 21)
    assert spade.expectations == (Line("The total stands out from the other lines.", 27),)
    assert rake.row == {"tool": "rake", "price": "9.00"}


def test_an_attempt_has_its_values(read, tmp_path):
    case = read(SHOP, base_url="")[2]
    values = {**SAMPLES, "base_url": "http://x.test", **values_of(case, {})}
    problems = Problems(tmp_path)
    found = filled(case, values, problems)
    assert not problems.entries
    assert found.segments[0][0] == "1. Put one rake into the basket."
    assert "run abcdefgh" in found.segments[1][0]
    assert found.checks[1].arguments == {"text": Text(value="Total 9.00")}
    assert found.preparation == (
        {
            "resource": "http",
            "action": "fetch",
            "method": "POST",
            "url": "http://x.test/test/reset",
        },
    )


def test_files_of_the_original_form_run_as_they_are(read):
    (case,) = read(MONKEY)
    assert (case.title, case.original, case.checkable) == ("Search works", True, False)
    assert (case.settings.model, case.settings.budget_s) == ("some/model", 120)
    (segment,) = case.segments
    assert segment.steps.text.endswith("- `make it so`\n## A detail\nThen search.")
    assert case.expectations == (Line("The list has three hits.", 16),)


def test_a_file_without_headings_is_one_case(read):
    (case,) = read("Open the page.\n- `url /`\n", name="home.case.md")
    assert (case.title, case.segments[0].checks) == ("home", (Line("url /", 2),))


def test_headings_have_synonyms_in_any_case(read):
    text = """\
        ## A
        ### SETUP
        - `http fetch url=http://x.test`
        ### task
        Go.
        ### Then
        - `url /`
        ### Cleanup
        - `browser close`
    """
    (case,) = read(text)
    assert (len(case.preparation), len(case.finally_), len(case.checks)) == (1, 1, 1)


def test_settings_of_a_case_win(read):
    text = """\
        ---
        budget_s: 90
        retries: no
        ---
        ## A
        State: ada
        ```yaml case
        budget_s: 5
        skip: no
        ```
        Go.
        - `url /`
        ## Ada @setup(ada)
        Go.
        - `url /`
    """.replace("retries: no", "judge: no")
    case, other = read(text)
    assert (case.settings.budget_s, other.settings.budget_s) == (5, 90)
    assert (case.settings.skip, case.settings.judge, case.state) == ("no", False, "ada")
    assert case.segments[0].steps == Line("Go.", 11)


def test_fences_and_html_hold_no_headings(read):
    text = """\
        ## A
        ```
        ## not a case
        ### nor a section
        ```
        <!--
        ## nor this
        -->
        - `url /`
    """
    assert [case.title for case in read(text)] == ["A"]


def test_values_come_from_the_row_then_the_command_line_then_the_file(read):
    text = """\
        ---
        params: {who: file, what: file, where: file}
        ---
        ## A
        Go.
        - `text "{who} {what} {where}"`
        ### Examples
        | who |
        | --- |
        | a \\| b |
    """
    (case,) = read(text)
    assert values_of(case, {"who": "line", "what": "line"}) == {
        "who": "a | b", "what": "line", "where": "file"
    }  # fmt: skip


@pytest.mark.parametrize("change", [lambda t: "\ufeff" + t, lambda t: t.replace("\n", "\r\n")])
def test_files_of_other_editors_are_read_alike(read, change):
    text = "---\nbudget_s: 9\n---\n## A\nGo.\n- `url /`\n"
    assert read(change(text).encode()) == read(text)


def test_folders_are_searched_and_no_file_is_read_twice(read, tmp_path):
    read("Go.\n- `url /`\n", name="b.case.md")
    read("Go.\n- `url /`\n", name="a.case.md")
    (tmp_path / "README.md").write_text("## No case")
    found = read_cases([tmp_path, tmp_path / "a.case.md"], base_url="http://x.test")
    assert [case.title for case in found] == ["a", "b"]


def test_nothing_but_usage_errors_is_raised(read):
    chance = random.Random(1)
    lines = [
        *SHOP.splitlines(),
        *MONKEY.splitlines(),
        "[[[",
        "- &a *a",
        "\t",
        "> - `x",
        "| a",
        "```",
    ]
    for _ in range(200):
        picked = chance.choices(lines, k=chance.randrange(30))
        with suppress(UsageError):
            read("---\n" * chance.randrange(2) + "\n".join(picked))

"""The scenarios that are shipped, what is wrong with others, and scripts on pages as shown."""

import json

import pytest

from strap import UsageError
from strap_cases.problems import BadCases
from strap_cases.sanity.scenarios import hash_of, read_set
from strap_cases.sanity.script import Playing, element, parse_script

IDS = (
    "act-choices act-dialog act-download act-frame act-injected act-login act-order act-scroll "
    "act-slow act-table act-views act-window judge-error-bug judge-error-fixed judge-filter-bug "
    "judge-filter-fixed judge-toast-bug judge-toast-fixed judge-total-bug judge-total-fixed "
    "stop-login stop-sold-out stop-steps stop-wall"
)
HOSTILE = "alerts crowd files hops loop orders stay windows"
REAL = "read-article read-docs read-example read-iana read-standard stop-wall"
GOOD = """---
expected: pass
url: /
---
## Look
Look.
### Expect
- `url /`
"""
SHOWN = """[Start of page]
Shop
[20]<label />
	User
	|SHADOW(open)|[5]<input name=user aria-label=User />
[31]<label />
	[8]<input type=checkbox name=gift value=on />
	As a gift
*[9]<button />
	Log
	in
[35]<a title=More />
[End of page]"""


def test_ids_stay_what_they_are():
    local, real = read_set("local"), read_set("real")
    assert [each.id for each in local] == IDS.split()
    assert [each.id for each in real] == REAL.split()
    hostile = read_set("hostile")
    assert [each.id for each in hostile] == [f"hostile-{name}" for name in HOSTILE.split()]
    assert all("honest" in each.scripts for each in (*local, *hostile))
    assert not any(each.scripts or each.faults for each in real)
    assert all(each.case.settings.base_url.startswith("https://") for each in real)


def test_twins_are_told_the_same():
    by_id = {each.id: each for each in read_set("local")}
    for name in ("error", "filter", "toast", "total"):
        bug, fixed = by_id[f"judge-{name}-bug"], by_id[f"judge-{name}-fixed"]
        assert bug.case.segments[0].steps.text.strip() == fixed.case.segments[0].steps.text.strip()
        assert bug.scripts == fixed.scripts
        assert (bug.faults, fixed.faults) == ((name,), ())
        assert (bug.expected, fixed.expected) == ("soft_fail", "pass")


def test_no_invented_answer_saves_what_should_fail():
    for each in (*read_set("local"), *read_set("real")):
        if each.expected == "soft_fail":
            assert each.case.checks
            assert not any(check.text.startswith("answer") for check in each.case.checks)


def test_a_folder_is_a_set(tmp_path):
    (tmp_path / "look.case.md").write_text(GOOD)
    [found] = read_set(str(tmp_path))
    assert (found.id, found.expected, found.stop_reason, found.faults) == ("look", "pass", "", ())
    assert (found.case.line, found.path) == (5, tmp_path / "look.case.md")
    before = hash_of([found])
    (tmp_path / "look.case.md").write_text(GOOD.replace("Look.", "Look twice."))
    assert hash_of(read_set(str(tmp_path))) != before


BAD = [
    (GOOD.replace("expected: pass\n", ""), 1, "write expected: pass, or soft_fail"),
    (GOOD.replace("pass", "hard_fail"), 1, "write expected: pass, or soft_fail"),
    (GOOD.replace("url: /", "site: moon"), 1, "'moon' is not a fault of the site"),
    (GOOD + "```script honest\nfly away\n```\n", 9, "`fly away` is not a valid step"),
    (GOOD + '```script honest\nclick "x\n```\n', 9, "No closing quotation"),
    (GOOD + "```script honest\ndone success x & wait 1\n```\n", 9, "is not a valid step"),
    (GOOD + "- It is green.\n", 5, "one case, whose checks"),
    (GOOD + "## More\nLook.\n- `url /`\n", 5, "one case, whose checks"),
    (GOOD.replace("`url /`", "`urrl /`"), 8, "urrl"),
]


@pytest.mark.parametrize(("text", "line", "said"), BAD)
def test_what_is_wrong_is_said_with_its_line(tmp_path, text, line, said):
    path = tmp_path / "bad.case.md"
    path.write_text(text)
    with pytest.raises(BadCases) as raised:
        read_set(str(tmp_path))
    assert f"{path}:{line}: " in str(raised.value)
    assert said in str(raised.value)


def test_what_is_no_text_is_told(tmp_path):
    (tmp_path / "bad.case.md").write_bytes(GOOD.encode() + b"\xff")
    with pytest.raises(BadCases, match="is not UTF-8"):
        read_set(str(tmp_path))


def test_no_set_is_told(tmp_path):
    with pytest.raises(UsageError, match=r"there are: hostile, local, real"):
        read_set(str(tmp_path))


@pytest.mark.parametrize(
    ("text", "fields", "number"),
    [("log in", False, 9), ("gift", True, 8), ("as a gift", False, 31), ("user", True, 5),
     ("more", False, 35)],
)  # fmt: skip
def test_elements_are_found_as_they_are_shown(text, fields, number):
    assert element(SHOWN, text, fields=fields) == number


def test_what_is_not_there_is_looked_for_again_and_then_told():
    playing = Playing(parse_script('click "Order"\ndone success "42"'), "http://x")
    said = [json.loads(playing.next(SHOWN)[1])["action"][0] for _ in range(4)]
    assert [next(iter(each)) for each in said] == ["wait", "wait", "wait", "done"]
    assert said[-1]["done"]["success"] is False


def test_lines_are_for_the_pages_that_they_name():
    steps = parse_script('if "moon" done failed "no"\nunless "Shop" wait 1\ndone success "a\\nb"')
    playing = Playing(steps, "http://x")
    said = [json.loads(playing.next(SHOWN)[1])["action"][0] for _ in range(3)]
    assert [next(iter(each)) for each in said] == ["wait", "wait", "done"]
    assert said[-1]["done"]["text"] == "a\nb"


def test_a_page_that_is_late_is_waited_for():
    playing = Playing(parse_script('if "Shop" done success "yes"\ndone failed "no"'), "http://x")
    said = [json.loads(playing.next(page)[1])["action"][0] for page in ("", SHOWN)]
    assert [next(iter(each)) for each in said] == ["wait", "done"]
    assert said[-1]["done"]["success"] is True

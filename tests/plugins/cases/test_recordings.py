"""Recordings: what is written of what the agent did, and what is said of files that are wrong."""

from dataclasses import replace

import pytest

from strap.scripts.script import read_script
from strap.targets.grammar import Part, Target, parse_target
from strap_cases.problems import BadCases
from strap_cases.replays.recorder import recording_of
from strap_cases.replays.recordings import Recording, call, place_of, read, write
from strap_cases.replays.wording import NotRecorded, Wording
from strap_cases.running.case_attempts import CaseAttempts
from strap_cases.running.results import Attempt
from strap_cases.verdict import Verdict

CASE = """
## Order a {tool}
1. Log in with {{shop}} as "ada {unique}" \\{so\\}.
2. Order 12 {tool}s, size {size}, at /orders/v2.
### Expect
- `url /thanks`
### Examples
| tool  | size |
| ----- | ---- |
| spade | 12   |
"""
VALUES = {"base_url": "http://shop.test", "unique": "abcdefgh", "tool": "spade", "size": "12"}
BUTTON = {"role": "button", "name": "Order", "tag": "button"}
FAILED = {"error": "it is covered", "kind": "action"}
FIELD = {"role": "textbox", "name": "Name", "tag": "input", "name_attr": "user"}


BOX = FIELD | {"role": "combobox"}


@pytest.fixture
def case(read):
    return read(CASE)[0]


def step(*actions, elements=(), results=None, url="http://shop.test/", **details):
    results = [{"text": ""} for _ in actions] if results is None else results
    told = {"actions": list(actions), "elements": list(elements), "results": results, "url": url}
    return {"details": told | details}


def recorded(case, *steps, derived=False):
    return recording_of([steps], Wording(case, VALUES), derived=derived)


def calls(case, *steps, derived=False):
    return [*map(str, recorded(case, *steps, derived=derived).segments[0])]


def enter(text, element=FIELD, **fields):
    return step({"input": {"index": 1, "text": text, **fields}}, elements=[element])


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("ada abcdefgh", "ada {unique}"),
        ("xabcdefghx", "x{unique}x"),
        ("{{shop}}", "{{shop}}"),
        ("spade", "{tool}"),
        ("spades", "spades"),
        ("a {b", "a {b"),
    ],
)
def test_values_stand_in_texts_by_their_names(case, text, written):
    assert Wording(case, VALUES).written(text) == written
    assert call("press", key=written).filled(VALUES)["key"] == text


@pytest.mark.parametrize("text", ["a {b} \\{c", "two\nlines", "{tool}", "a\tb"])
def test_texts_that_no_line_can_hold_have_a_name(case, text, tmp_path):
    taken = recorded(case, enter(text), enter(text), derived=True)
    recording = replace(taken, steps="0f")
    assert [*recording.params.values()] == [text]
    write(recording, "Order", tmp_path / "one.strap")
    assert read(tmp_path / "one.strap").does_the_same(recording)
    [first, *_] = [line for line in recording.segments[0] if line.action == "fill"]
    assert first.filled(VALUES | recording.params)["value"] == text


@pytest.mark.parametrize("value", ['say "hi"', "a\\b", "all*", "two\nlines", "\u200fabc"])
def test_a_value_within_a_name_stays_that_name(value):
    line = call("click", ref='button "Order a {tool}"')
    target = parse_target(line.filled({"tool": value})["ref"])
    assert target == Target(element=Part(role="button", name=f"Order a {value}"))


def test_a_value_that_may_be_another_word_of_the_case_is_not_guessed(case):
    with pytest.raises(NotRecorded, match=r"'12' may be \{size\} or not"):
        Wording(case, VALUES).written("12 pieces")


def test_actions_are_written_as_a_person_would_say_them(case):
    click = {"click": {"index": 3}}
    told = calls(
        case,
        enter("ada abcdefgh"),
        step(click, {"wait": {"seconds": 1}}, elements=[BUTTON | {"id": "order"}, None]),
        enter("{{shop}}", clear=False),
        step({"select_dropdown": {"index": 2, "text": "spade"}}, elements=[BOX]),
        step({"send_keys": {"keys": "Control+a"}}, {"scroll": {"down": True, "pages": 10.0}}),
        step({"navigate": {"url": "http://shop.test/orders?x=1", "new_tab": False}}),
        step(click, elements=[BUTTON | {"id": ":r1:"}], results=[FAILED]),
        step(click, click, elements=[BUTTON, BUTTON], url="http://shop.test/orders/17/v2/x?y=1"),
        step({"go_back": {}}, {"extract": {"query": "all"}}, {"done": {"text": "done"}}),
    )  # fmt: skip
    assert told == [
        "wait url=/",
        "fill ref='textbox \"Name\" field:user' value='ada {unique}'",
        "click ref='button \"Order\" #order'",
        "type ref='textbox \"Name\" field:user' text={{shop}}",
        "select ref='combobox \"Name\" field:user' value={tool}",
        "press key=Control+a",
        "scroll text=bottom",
        "navigate url={base_url}/orders?x=1",
        "wait url=/orders/*/*/x",
        "click ref='button \"Order\"'",
        "click ref='button \"Order\"'",
        "back",
    ]


CLICK = {"click": {"index": 1}}
REFUSED = {
    "which has no plain equivalent": step({"evaluate": {"code": "1"}}),
    "navigate, which has no plain": step({"navigate": {"url": "/x", "new_tab": True}}),
    "no plain keys": step({"send_keys": {"keys": "hello"}}),
    "the element of a click is not known": step({"click": {"coordinate_x": 1}}, elements=[None]),
    "has no role to find it by": step(CLICK, elements=[BUTTON | {"role": "generic"}]),
    "a button has no name": step(CLICK, elements=[BUTTON | {"name": "", "id": "b17"}]),
    "2 elements are button 'Order'": step(CLICK, elements=[BUTTON | {"alike": 2}]),
    "3 elements are button 'Order'": step(CLICK, elements=[BUTTON | {"alike": 3, "testid": "b"}]),
    "4 elements are button 'Order'": step(
        CLICK, elements=[BUTTON | {"alike": 4, "id": "b17", "testid": "send", "apart": ["id"]}]
    ),
    "a secret stands in the row": step(CLICK, elements=[BUTTON | {"alike": 2, "row": "{{a}}"}]),
    "a secret stands in the name": step(CLICK, elements=[BUTTON | {"name": "Pay {{shop}}"}]),
    "is longer than what is kept": step(CLICK, elements=[BUTTON | {"name": "x" * 599 + "…"}]),
    "which is not from the case": enter("invented"),
    "an address with a secret": step({"navigate": {"url": "http://x/{{shop}}"}}),
    "a person took part": step(by="person"),
    "nobody knows what": step(CLICK, results=[{"error": "late", "kind": "step_timeout"}]),
    "82 things": step(*[CLICK] * 81, elements=[BUTTON] * 81),
}  # fmt: skip


@pytest.mark.parametrize("why", REFUSED)
def test_what_cannot_be_replayed_is_not_recorded(case, why):
    with pytest.raises(NotRecorded, match=why):
        recorded(case, REFUSED[why])


def test_of_equal_elements_one_that_an_attribute_or_its_row_tells_apart_is_recorded(case):
    apart = BUTTON | {"alike": 2, "testid": "send", "apart": ["testid"]}
    row = BUTTON | {"alike": 2, "row": "a spade Order"}
    framed = BUTTON | {"frame": "f1"}
    assert calls(
        case, *(step(CLICK, elements=[each], url="") for each in (apart, row, framed))
    ) == [
        "click ref='button \"Order\" testid:send'",
        'click ref=\'button "Order" in "a {tool} Order"\'',
        "click ref='button \"Order\" in frame'",
    ]


def test_texts_that_the_agent_made_up_are_recorded_where_that_is_allowed(case):
    [_, line] = calls(case, enter("invented"), derived=True)
    assert line.endswith("value=invented")


def written(path):
    click = call("click", ref='button "Order …"')
    recording = Recording(segments=[[click], [call("press", key="Enter")]], steps="0f")
    write(recording, "Order", path)
    return path.read_text()


def test_a_recording_is_read_as_it_was_written(tmp_path):
    path = tmp_path / "replays" / "one.strap"
    assert read(path) is None
    text = written(path)
    assert text == (
        '# strap script 1\n# case of steps 0f, 2 calls: "Order"\n'
        "click ref='button \"Order …\"'\n# segment 2\npress key=Enter\n"
    )
    write(read(path), "Order", path)
    assert path.read_text() == text
    assert [each.name for each in path.parent.iterdir()] == ["one.strap"]
    assert [line.action for line in read_script(text).lines] == ["click", "press"]
    nothing = Recording(segments=[[], []], steps="0f")
    write(nothing, "Order", path)
    assert read(path).does_the_same(nothing)


WRONG = {
    "empty": (lambda text: "", 1, "The script has no call"),
    "newer": (lambda text: text.replace("script 1", "script 2"), 1, "its format is 2"),
    "other": (lambda text: "[]\n", 1, "is no call"),
    "conflict": (lambda text: text.replace("click", "<<<<\nclick"), 3, "is no call"),
    "torn in a line": (lambda text: text[:-10], 5, "is no call of a recording"),
    "torn after a line": (lambda text: text[: text.index("press")], 5, "its head says 2"),
    "unknown field": (lambda text: text.replace("ref=", "reef="), 3, "is no call of a recording"),
    "unknown action": (lambda text: text.replace("press", "push"), 5, "is no call of a recording"),
    "forbidden": (lambda text: text.replace("press", "batch"), 5, "no batch in a script"),
    "other resource": (lambda text: text.replace("press key=", "http fetch url="), 5, "is no call"),
    "script": (lambda text: text.replace("press key", "evaluate text"), 5, "is no call"),
    "order": (lambda text: text.replace("segment 2", "segment 1"), 4, "comes after"),
    "head": (lambda text: text.replace("case of", "case off"), 2, "says of no case"),
    "long": (lambda text: text + " " * 300_000, 1, "more than 256 KiB"),
    "bytes": (lambda text: text.encode() + b"\xff\xfe\n", 6, "is no call"),
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG)
def test_a_file_that_is_wrong_is_told_by_its_line(tmp_path, name):
    change, line, why = WRONG[name]
    path = tmp_path / "one.strap"
    changed = change(written(path))
    path.write_bytes(changed if isinstance(changed, bytes) else changed.encode())
    with pytest.raises(BadCases) as raised:
        read(path)
    [problem] = raised.value.problems
    assert (problem.path, problem.line) == (path, line), problem
    assert why in problem.text
    assert "--update" in problem.text


@pytest.mark.anyio
async def test_a_recording_that_cannot_be_written_changes_no_verdict(case, tmp_path):
    (tmp_path / "replays").write_text("in the way")

    async def attempt(number, recording):
        passed = Verdict(status="passed")
        return Attempt(number=number, verdict=passed, recorded=Recording(segments=[[call("back")]]))

    trying = CaseAttempts(case=case, attempt=attempt, mode="auto", anew=True, retries=0, params={})
    came = await trying.result()
    assert (came.verdict.status, came.recording.came_to) == ("passed", "not recorded")
    assert "cannot be written: " in came.recording.why


def test_no_two_cases_share_a_file(read):
    names = ["A b", "a B", "A-b", "É", "…", "A " * 99, "A " * 98]
    cases = read("\n".join(f"## {name}\nGo.\n- `url /`" for name in names))
    places = {place_of(case).as_posix().casefold() for case in cases}
    assert len(places) == len(names)
    assert place_of(cases[0]).parent.parts[-2:] == ("replays", "shop")


def test_the_command_says_what_is_wrong_before_anything_runs(run, tmp_path):
    folder = tmp_path / "replays" / "shop"
    folder.mkdir(parents=True)
    from strap_cases.reading import read_cases

    for case in read_cases([tmp_path / "shop.case.md"]):
        (folder / place_of(case).name).write_text("# strap script 2\n")
    status, _, said = run(".")
    assert status == 2
    assert said.count(":1: a recording: its format is 2, and this strap reads 1") == 4
    status, _, said = run(".", "--update", "--replay", "read")
    assert (status, "--update writes what" in said) == (2, True)

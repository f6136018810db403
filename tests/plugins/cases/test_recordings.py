"""Recordings: what is written of what the agent did, and what is said of files that are wrong."""

import pytest

from strap_cases.problems import BadCases
from strap_cases.replays.recorder import acts_of
from strap_cases.replays.recordings import Act, Head, Recording, Target, place_of, read, write
from strap_cases.replays.wording import NotRecorded, Wording
from strap_cases.replays.wording import read as worded
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


def acts(case, *steps, derived=False):
    return acts_of([steps], Wording(case, VALUES), derived=derived)


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
        (r"a {b} \{c", r"a \{b\} \\\{c"),
    ],
)
def test_values_stand_in_texts_by_their_names(case, text, written):
    assert Wording(case, VALUES).written(text) == written
    assert worded(written, VALUES) == text


def test_a_value_that_may_be_another_word_of_the_case_is_not_guessed(case):
    with pytest.raises(NotRecorded, match=r"'12' may be \{size\} or not"):
        Wording(case, VALUES).written("12 pieces")


def test_actions_are_written_as_a_person_would_say_them(case):
    click = {"click": {"index": 3}}
    told = acts(
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
    name = Target(role="textbox", name="Name", field="user")
    order = Target(role="button", name="Order")
    assert told == [
        Act(do="fill", at="/", find=name, text="ada {unique}"),
        Act(do="click", at="/", find=order.model_copy(update={"id": "order"})),
        Act(do="type", at="/", find=name, text="{{shop}}"),
        Act(do="select", at="/", find=name.model_copy(update={"role": "combobox"}), text="{tool}"),
        Act(do="press", at="/", text="Control+a"),
        Act(do="scroll", text="bottom"),
        Act(do="open", at="/", text="/orders?x=1"),
        Act(do="click", at="/orders/*/*/x", find=order),
        Act(do="click", find=order),
        Act(do="back", at="/"),
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
    "51 things": step(*[CLICK] * 51, elements=[BUTTON] * 51),
}  # fmt: skip


@pytest.mark.parametrize("why", REFUSED)
def test_what_cannot_be_replayed_is_not_recorded(case, why):
    with pytest.raises(NotRecorded, match=why):
        acts(case, REFUSED[why])


def test_of_equal_elements_one_that_an_attribute_or_its_row_tells_apart_is_recorded(case):
    [act] = acts(
        case,
        step(CLICK, elements=[BUTTON | {"alike": 2, "testid": "send", "apart": ["testid"]}]),
    )
    assert act.find == Target(role="button", name="Order", testid="send")
    [act] = acts(case, step(CLICK, elements=[BUTTON | {"alike": 2, "row": "a spade Order"}]))
    assert act.find == Target(role="button", name="Order", row="a {tool} Order")


def test_texts_that_the_agent_made_up_are_recorded_where_that_is_allowed(case):
    [act] = acts(case, enter("invented"), derived=True)
    assert act.text == "invented"


def written(path):
    find = Target(role="button", name="Order …")
    lines = [Act(do="click", segment=1, find=find), Act(do="press", segment=2, text="Enter")]
    write(Recording(Head(case="Order", steps="0f", actions=2), lines), path)
    return path.read_text()


def test_a_recording_is_read_as_it_was_written(tmp_path):
    path = tmp_path / "replays" / "one.jsonl"
    assert read(path) is None
    text = written(path)
    assert text == (
        '{"format": 1, "case": "Order", "steps": "0f", "actions": 2}\n'
        '{"do": "click", "find": {"role": "button", "name": "Order …"}}\n'
        '{"do": "press", "segment": 2, "text": "Enter"}\n'
    )
    write(read(path), path)
    assert path.read_text() == text
    assert [each.name for each in path.parent.iterdir()] == ["one.jsonl"]


WRONG = {
    "empty": (lambda text: "", 1, "it is empty"),
    "newer": (lambda text: text.replace('"format": 1', '"format": 2'), 1, "its format is 2"),
    "other": (lambda text: "[]\n", 1, "this is not a JSON object"),
    "conflict": (lambda text: text.replace('{"do": "c', '<<<<\n{"do": "c'), 2, "not a JSON object"),
    "torn in a line": (lambda text: text[:-20], 3, "not a JSON object"),
    "torn after a line": (lambda text: text[: text.index('{"do": "press"')], 2, "its head says 2"),
    "unknown key": (lambda text: text.replace('"role"', '"rolle"'), 2, "find.role: Field required"),
    "unknown action": (lambda text: text.replace('"press"', '"push"'), 3, "do: Input should be"),
    "no element": (lambda text: text.replace("press", "click"), 3, "click needs find"),
    "no text": (lambda text: text.replace(', "text": "Enter"', ""), 3, "press needs text"),
    "order": (lambda text: text.replace('k", "f', 'k", "segment": 3, "f'), 3, "comes after"),
    "head": (lambda text: text.replace('"steps"', '"stairs"'), 1, "steps: Field required"),
    "long": (lambda text: text + " " * 300_000, 1, "more than 256 KiB"),
    "bytes": (lambda text: text.encode() + b"\xff\xfe\n", 4, "not a JSON object"),
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG)
def test_a_file_that_is_wrong_is_told_by_its_line(tmp_path, name):
    change, line, why = WRONG[name]
    path = tmp_path / "one.jsonl"
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
        return Attempt(number=number, verdict=passed, recorded=[Act(do="open", text="/")])

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
        (folder / place_of(case).name).write_text("{}\n")
    status, _, said = run(".")
    assert status == 2
    assert said.count(":1: a recording: its format is null, and this strap reads 1") == 4
    status, _, said = run(".", "--update", "--replay", "read")
    assert (status, "--update writes what" in said) == (2, True)

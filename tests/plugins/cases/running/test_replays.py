"""Cases are recorded and replayed: the right elements or none, and no model is asked."""

import json
import re

import pytest

from strap_cases.reading import read_cases
from strap_cases.replays.recordings import Recording, call, place_of, write
from strap_cases.running.case_attempts import digest
from strap_cases.running.results import Recorded
from tests.plugins.browser.runs.lab import index_before
from tests.support.model_server import acts, done

from .shop import by_page, click, finished

pytestmark = pytest.mark.anyio
ORDER = """---
expect: ["no failed requests"]
---
## Buy a tool
1. Log in as ada@shop.test with {{shop}}.
   - `url /home`
2. Put one {tool} into the basket.
   - `text "1 item"`
3. Open the basket and order, with the note "run {unique}".
### Expect
- `text "Total 12.50"`
### Examples
| tool  |
| ----- |
| spade |
| rake  |
"""
DOORS = """---
url: /door
expect_timeout_s: 1
---
## Open a door
Go through the door.
### Expect
- `text "You are in"`
## Say what is red
Go through the door and look.
### Expect
- `text "You are in"`
- The room is red.
"""
DOOR = "<!doctype html><title>Door</title><h1>A door</h1><form action=/in>{}</form>"
OPEN, SHUT = (
    "<button name=by value=right>Open it</button>",
    "<button name=by value=no>Shut it</button>",
)
THROUGH = [
    by_page(
        ("You are in", finished("1: yes - red")),
        ("Unlock it", click("Unlock it")),
        ("Open it", click("Open it")),
    )
]


class Doors:
    """A page with a form whose buttons can be changed, and who went through."""

    def __init__(self, shop):
        self.went = []
        self.form = OPEN + SHUT
        shop.routes["/door"] = lambda asked: DOOR.format(self.form)
        shop.routes["/in"] = self._in

    def _in(self, asked):
        self.went.append(asked.query["by"][0])
        return "<!doctype html><title>In</title><h1>You are in</h1>"


@pytest.fixture(scope="module")
def doors(shop, model):
    model.scripts["Go through the door"] = THROUGH
    model.scripts["1: The room is red"] = [done("1: yes - it is red")]
    return Doors(shop)


def record(case, *lines):
    write(Recording(segments=[lines], steps=digest(case, {})), case.name, place_of(case))


def recordings(folder):
    return {path.name: path.read_text() for path in folder.glob("replays/*/*.strap")}


def test_what_passed_is_recorded_and_replayed_without_a_model(strap_test, folder, model, shop):
    first = strap_test("order.case.md", "-k", "spade", order=ORDER)
    record = first.records["Buy a tool [spade]"]
    assert (first.status, record["recording"]["came_to"]) == (0, "recorded"), first.out
    [text] = recordings(folder).values()
    assert " value={{shop}}\n" in text
    assert " value='run {unique}'\n" in text
    assert 'wait url=/home\nclick ref=\'button "Add {tool}"' in text
    assert "correct-horse" not in text
    assert str(shop.site) not in text

    asked, again = len(model.asked), strap_test("order.case.md", "-k", "spade")
    assert again.of("Buy a tool [spade]") == ("passed", "", ["replayed"]), again.out
    assert len(model.asked) == asked
    assert len({order["note"] for order in shop.orders}) == 2
    assert [order["tool"] for order in shop.orders] == ["spade", "spade"]
    assert [text] == list(recordings(folder).values())
    assert "1 of them replayed" in again.lines[-1]

    kept = folder / ".strap" / "test"
    assert "\nflags: replayed\n" in (kept / "junit.xml").read_text()
    assert "What was replayed" in (kept / "index.html").read_text()
    [case] = json.loads((kept / "results.json").read_text())["cases"]
    assert [each["how"] for each in case["attempts"]] == ["replay"]
    secrets = [path.read_bytes() for path in folder.glob("replays/*/*")]
    assert not any(b"correct-horse" in content for content in secrets)

    [path] = folder.glob("replays/*/*.strap")
    path.write_text(text.replace("# strap script 1", "# strap script 2"))
    ran = strap_test("order.case.md", "-k", "spade")
    assert ran.status == 2
    where = re.escape(str(path.relative_to(folder)))
    assert re.match(f"{where}:1: a recording: its format is 2, .*--update", ran.err), ran.err


async def test_a_page_that_changed_is_never_acted_on_wrongly(play, folder, model, doors):
    async def run(**options):
        doors.went.clear()
        [came] = await play(DOORS, "Open a door", **options)
        return came, came.verdict.status, sorted(came.verdict.flags)

    came, *rest = await run()
    assert (rest, doors.went) == (["passed", []], ["right"]), came

    asked = len(model.asked)
    doors.form = "<p>New here?</p>" + SHUT + OPEN  # moved
    came, *rest = await run(replay="only")
    assert (rest, doors.went) == (["passed", ["replayed"]], ["right"]), came

    doors.form = OPEN + OPEN.replace("right", "wrong") + SHUT  # twins
    came, *rest = await run(replay="only")
    assert (rest, doors.went) == (["failed", ["drift"]], [])
    assert came.verdict.reason.startswith(
        'click button "Open it" field:by: 2 elements are button "Open it" field:by.'
    )

    doors.form = OPEN.replace("name=by", "name=other") + SHUT  # another one of that name
    came, *rest = await run(replay="only")
    assert (rest, doors.went) == (["failed", ["drift"]], [])
    assert len(model.asked) == asked

    doors.form = SHUT + OPEN.replace("Open it", "Unlock it")  # renamed
    came, *rest = await run(replay="read")
    assert (rest, doors.went) == (["passed", ["drift"]], ["right"]), came
    said = 'click button "Open it" field:by: No element is button "Open it" field:by. Nearest: '
    assert came.recording.why.startswith(said)
    assert "Unlock" not in str(recordings(folder))
    came, *rest = await run()
    assert (rest, doors.went) == (["passed", ["healed"]], ["right"]), came
    assert [each.how for each in came.attempts] == ["replay", "live"]
    assert "Unlock it" in str(recordings(folder))

    asked = len(model.asked)
    came, *rest = await run()
    assert (rest, doors.went) == (["passed", ["replayed"]], ["right"]), came
    changed = DOORS.replace("Go through the door.", "Go through that door.")
    [came] = await play(changed, "Open a door", replay="only")
    assert "the case has changed since" in came.verdict.reason
    assert len(model.asked) == asked
    came, *rest = await run(replay="off")
    assert (rest, len(model.asked) > asked) == (["passed", []], True), came


async def test_what_is_expected_in_words_is_looked_at_by_a_model(play, model, doors):
    doors.form = OPEN
    [came] = await play(DOORS, "Say what", replay="only")
    assert "there is no recording " in came.verdict.reason
    [came] = await play(DOORS, "Say what")
    assert came.verdict.status == "passed"
    asked = len(model.asked)
    [came] = await play(DOORS, "Say what")
    assert (came.verdict.status, came.verdict.flags) == ("passed", {"replayed"}), came
    assert len(model.asked) == asked + 1
    [only] = await play(DOORS, "Say what", replay="only")
    assert "plain words asks a model" in only.verdict.reason
    [updated] = await play(DOORS, "Say what", update=True)
    assert updated.recording == Recorded(file=came.recording.file, came_to="recorded")


MOONS = "\n".join(f"## {name}\nBuy a moon.\n- `url /`" for name in ("First", "Second", "Third"))


async def test_tokens_are_counted_and_bounded(play, model):
    model.scripts["Buy a moon"] = [finished("bought")]
    came = await play(f"---\nexpect_timeout_s: 0.3\n---\n{MOONS}\n", max_tokens=20)
    usage = {"model_calls": 1, "input_tokens": 10, "cached_tokens": 0, "output_tokens": 5}
    assert [(each.case.name, each.usage) for each in came] == [("First", usage), ("Second", usage)]
    assert came[0].as_json([""])["source"].startswith("## First\nBuy a moon.")


FORM = """<!doctype html><title>Form</title><h1>A form</h1><form onsubmit="return false">
<label>Full name <input name=full></label> <input placeholder=Town name=town>
<textarea aria-label=Wish name=wish></textarea> <input type=date aria-label=Day name=day>
<input type=number aria-label=Number name=amount> <input type=search aria-label=Find name=find>
<select aria-label=Size name=size><option>small<option>large</select>
<label><input type=checkbox name=agree> I agree</label>
<label><input type=radio name=colour value=red> Red</label>
<label><input type=radio name=colour value=blue> Blue</label></form>
<div role=button tabindex=0 id=custom>Custom button</div>
<ul><li><button data-testid=del-one>Delete</button>
<li><button data-testid=del-two>Delete</button></ul>
<table><tr><td>Spade</td> <td><b>12</b>.50</td><td><button id=:r1:>Add</button>
<tr><td>Rake</td><td>9.00<td><button id=:r2:>Add</button></table>
<iframe srcdoc="<button onclick='parent.note(`inside`)'>Inside</button>" width=200></iframe>
<a href=/popup target=_blank>More</a>
<output></output><script>
  const said = [];
  window.note = (what) => {
    if (what) said.push(what);
    const values = [...new FormData(document.forms[0])].map(([name, value]) => `${name}=${value}`);
    document.querySelector('output').textContent = `Log: ${values.join(' ')} ${said.join(' ')}`;
  };
  addEventListener('change', () => note());
  addEventListener('keydown', ({key}) => { if (key === 'Enter') note('Enter'); });
  addEventListener('click', ({target}) => note(target.dataset.testid || target.id));
</script>"""
FIELDS = {"full": "Ada", "town": "Turin", "wish": "a spade", "day": "2026-11-24", "amount": "12"}
FILLED = (
    "Log: full=Ada town=Turin wish=a spade day=2026-11-24 amount=12 find=rakes size=large"
    " agree=on colour=blue Enter custom del-two :r2: inside"
)
FORMS = f"""---
url: /form
expect_timeout_s: 2
---
## Fill in a form
Fill in the form: Ada, Turin, a spade, 2026-11-24, 12, rakes, large.
### Expect
- `text "{FILLED}"`
## Look at more
Look at more of it.
### Expect
- `url /popup`
- `text "More of it"`
"""


def fill_in(page, told):
    if "Log: " not in page:
        fields = [
            {"input": {"index": index_before(page, f"name={name}"), "text": text}}
            for name, text in FIELDS.items()
        ]
        return acts(*fields)
    if "Enter" not in page:
        size = {"index": index_before(page, "name=size"), "text": "large"}
        find = {"index": index_before(page, "name=find"), "text": "rakes"}
        enter = {"send_keys": {"keys": "Enter"}}
        return acts({"input": find}, enter, {"select_dropdown": size})
    names = ["name=agree", "value=blue", "id=custom"]
    places = [index_before(page, name) for name in names]
    places += [index_before(page.partition(two)[2], two) for two in ("Delete", "Add")]
    if "del-two :r2:" in page:
        places = [index_before(page, "Inside")]
    return acts(*[{"click": {"index": place}} for place in places])


async def test_every_kind_of_field_is_found_again(play, model, shop):
    shop.routes["/form"] = FORM
    model.scripts["Fill in the form"] = [
        by_page(("inside", finished()), ("A form", fill_in)),
    ]
    [first] = await play(FORMS, "Fill")
    assert first.recording.came_to == "recorded", first
    assert """click ref='button "Add" in "Rake 9.00 Add"'""" in first.recording.file.read_text()
    asked, [again] = len(model.asked), await play(FORMS, "Fill", replay="only")
    assert (again.verdict.status, again.verdict.flags) == ("passed", {"replayed"}), again
    assert len(model.asked) == asked


async def test_a_replay_goes_on_in_the_page_that_a_click_opens(play, folder, shop):
    shop.routes |= {"/form": FORM, "/popup": "<!doctype html><title>More</title>More of it"}
    path = folder / "played.case.md"
    path.write_text(FORMS)
    _, case = read_cases([path], base_url=str(shop.site))
    record(case, call("wait", url="/form"), call("click", ref='link "More"'))
    [came] = await play(FORMS, "Look", replay="only")
    assert (came.verdict.status, came.verdict.flags) == ("passed", {"replayed"}), came


ROWS = """---
url: /rows
expect_timeout_s: 0.3
---
## Add a rake
Add the rake.
### Expect
- `text "Added: rake"`
"""


def rows(*tools):
    """A list in which each button is called the same; blanks are nobody's business."""
    entries = "".join(
        f"<li>\n <b>{tool}</b>\n\n9.00 <button onclick=\"out.textContent = 'Added: {tool}'\">Add"
        "</button>"
        for tool in tools
    )
    return f"<!doctype html><title>Rows</title><ul>{entries}</ul><output id=out></output>"


async def test_an_element_is_told_by_its_row(play, folder, shop):
    path = folder / "played.case.md"
    path.write_text(ROWS)
    [case] = read_cases([path], base_url=str(shop.site))
    record(case, call("click", ref='button "Add" in "rake 9.00 Add"'))
    came = {}
    for tools in (("spade", "rake", "hoe"), ("rake", "spade"), ("rake", "rake"), ("spade", "hoe")):
        shop.routes["/rows"] = rows(*tools)
        [result] = await play(ROWS, "Add", replay="only")
        came[tools] = result.verdict.reason
    swapped, back, twice, gone = came.values()
    assert (swapped, back) == ("", "")
    assert twice.startswith('click button "Add" in "rake 9.00 Add": 2 elements are '), twice
    assert gone.startswith('click button "Add" in "rake 9.00 Add": No element is '), gone


QUIET = """<!doctype html><title>Quiet</title><select aria-label=Size><option>small<option>large
</select><label><input type=checkbox> I agree</label>"""
WISHES = """---
url: /quiet
---
## Wish
Wish for a large one.
### Expect
- `js "document.querySelector('input').checked"`
- `value "select" "large"`
"""


async def test_nobody_waits_for_what_a_box_or_a_list_may_lead_to(play, folder, shop, monkeypatch):
    """They show themselves what was done to them, and the next element is looked for anyway."""
    monkeypatch.setattr("strap_browser.interaction.news.NEWS_LIMIT", 60)
    shop.routes["/quiet"] = QUIET
    path = folder / "played.case.md"
    path.write_text(WISHES)
    [case] = read_cases([path], base_url=str(shop.site))
    size = call("select", ref='combobox "Size"', value="large")
    record(case, size, call("click", ref='checkbox "I agree"'))
    [came] = await play(WISHES, replay="only")
    assert came.verdict.status == "passed", came

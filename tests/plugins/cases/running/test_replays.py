"""Cases are recorded and replayed: the right elements or none, and no model is asked."""

import json
import re

import pytest

from strap_cases.reading import read_cases
from strap_cases.replays.recordings import Act, Head, Recording, Target, place_of, write
from strap_cases.running.trying import digest
from tests.plugins.browser.runs.lab import index_before
from tests.support.model_server import acts, done

from .shop import by_page, click, finished

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


def recordings(folder):
    return {path.name: path.read_text() for path in folder.glob("replays/*/*.jsonl")}


def test_what_passed_is_recorded_and_replayed_without_a_model(strap_test, folder, model, shop):
    first = strap_test("order.case.md", "-k", "spade", order=ORDER)
    record = first.records["Buy a tool [spade]"]
    assert (first.status, record["recording"]["came_to"]) == (0, "recorded"), first.out
    [text] = recordings(folder).values()
    assert '"text": "{{shop}}"' in text
    assert '"text": "run {unique}"' in text
    assert '"at": "/home", "find": {"role": "button", "name": "Add {tool}"' in text
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
    assert '<property name="flags" value="replayed"' in (kept / "junit.xml").read_text()
    assert "What was replayed" in (kept / "index.html").read_text()
    [case] = json.loads((kept / "results.json").read_text())["cases"]
    assert [each["how"] for each in case["attempts"]] == ["replay"]
    secrets = [path.read_bytes() for path in folder.rglob("*.jsonl")]
    assert not any(b"correct-horse" in content for content in secrets)

    missing = strap_test("order.case.md", "-k", "rake", "--replay", "only")
    assert missing.status == 1
    assert "there is no recording replays" in missing.out
    changed = strap_test(
        "order.case.md", "-k", "spade", "--replay", "only", order=ORDER.replace("Put one", "Put a")
    )
    assert "the case has changed since" in changed.out
    assert len(model.asked) == asked


def test_a_page_that_changed_is_never_acted_on_wrongly(strap_test, folder, model, doors):
    def run(*words):
        doors.went.clear()
        ran = strap_test("doors.case.md", "-k", "Open a door", *words, doors=DOORS)
        return ran, *ran.of("Open a door")

    ran, status, _, flags = run()
    assert (status, flags, doors.went) == ("passed", [], ["right"]), ran.out

    asked = len(model.asked)
    doors.form = "<p>New here?</p>" + SHUT + OPEN  # moved
    ran, status, _, flags = run("--replay", "only")
    assert (status, flags, doors.went) == ("passed", ["replayed"], ["right"]), ran.out

    doors.form = OPEN + OPEN.replace("right", "wrong") + SHUT  # twins
    ran, status, why, flags = run("--replay", "only")
    assert (ran.status, status, flags, doors.went) == (1, "failed", ["drift"], [])
    assert why == 'click button "Open it": 2 fit on /door'

    doors.form = OPEN.replace("name=by", "name=other") + SHUT  # another one of that name
    ran, status, why, flags = run("--replay", "only")
    assert (status, flags, doors.went) == ("failed", ["drift"], [])
    assert len(model.asked) == asked

    doors.form = SHUT + OPEN.replace("Open it", "Unlock it")  # renamed
    ran, status, why, flags = run("--replay", "read")
    assert (status, flags, doors.went) == ("passed", ["drift"], ["right"]), ran.out
    assert 'drift: click button "Open it": none on /door; there: button "Shut it", ' in ran.out
    assert "Unlock" not in str(recordings(folder))
    ran, status, why, flags = run()
    assert (status, flags, doors.went) == ("passed", ["healed"], ["right"]), ran.out
    assert [each["how"] for each in ran.records["Open a door"]["attempts"]] == ["replay", "live"]
    assert "Unlock it" in str(recordings(folder))

    asked = len(model.asked)
    ran, status, _, flags = run()
    assert (status, flags, doors.went) == ("passed", ["replayed"], ["right"]), ran.out
    assert len(model.asked) == asked
    ran, status, _, flags = run("--replay", "off")
    assert (status, flags, len(model.asked) > asked) == ("passed", [], True), ran.out


def test_what_is_expected_in_words_is_looked_at_by_a_model(strap_test, model, doors):
    doors.form = OPEN
    words = ("doors.case.md", "-k", "Say what")
    assert strap_test(*words, doors=DOORS).of("Say what is red")[0] == "passed"
    asked = len(model.asked)
    ran = strap_test(*words)
    assert ran.of("Say what is red") == ("passed", "", ["replayed"]), ran.out
    assert len(model.asked) == asked + 1
    assert "plain words asks a model" in strap_test(*words, "--replay", "only").out
    recording = ran.records["Say what is red"]["recording"]
    updated = strap_test(*words, "--update").records["Say what is red"]["recording"]
    assert updated == {"file": recording["file"], "came_to": "recorded", "why": ""}


def test_a_recording_that_cannot_be_read_stops_the_run(strap_test, folder, doors):
    [path] = [each for each in folder.glob("replays/doors/*.jsonl") if "open" in each.name]
    text = path.read_text()
    path.write_text(text.replace('"format": 1', '"format": 2'))
    ran = strap_test("doors.case.md", "-k", "Open a door")
    assert ran.status == 2
    where = re.escape(str(path.relative_to(folder)))
    assert re.match(f"{where}:1: a recording: its format is 2, .*--update", ran.err), ran.err
    path.write_text(text)


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
    " agree=on colour=blue Enter custom del-two inside"
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
    places += [index_before(page.partition("Delete")[2], "Delete"), index_before(page, "Inside")]
    return acts(*[{"click": {"index": place}} for place in places])


def test_every_kind_of_field_is_found_again(strap_test, folder, model, shop):
    shop.routes["/form"] = FORM
    model.scripts["Fill in the form"] = [
        by_page(("inside", finished()), ("A form", fill_in)),
    ]
    first = strap_test("forms.case.md", "-k", "Fill", forms=FORMS)
    assert first.records["Fill in a form"]["recording"]["came_to"] == "recorded", first.out
    asked, again = len(model.asked), strap_test("forms.case.md", "-k", "Fill", "--replay", "only")
    assert again.of("Fill in a form") == ("passed", "", ["replayed"]), again.out
    assert len(model.asked) == asked


def test_a_replay_goes_on_in_the_page_that_a_click_opens(strap_test, folder, shop):
    shop.routes |= {"/form": FORM, "/popup": "<!doctype html><title>More</title>More of it"}
    (folder / "forms.case.md").write_text(FORMS)
    _, case = read_cases([folder / "forms.case.md"], base_url=str(shop.site))
    click = Act(do="click", at="/form", find=Target(role="link", name="More"))
    write(
        Recording(Head(case=case.name, steps=digest(case, {}), actions=1), [click]), place_of(case)
    )
    done = strap_test("forms.case.md", "-k", "Look", "--replay", "only")
    assert done.of("Look at more") == ("passed", "", ["replayed"]), done.out

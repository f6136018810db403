"""Results of cases: the example of the documentation, and an agent that tells untruths."""

import re
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from tests.support.model_server import done

from .shop import by_page, click, finished

DOCS = Path(__file__).resolve().parents[4] / "docs" / "cases.md"
EXAMPLE = re.search(r"```markdown\n(---.*?)```\n", DOCS.read_text("utf-8"), re.DOTALL)[1]
SAYINGS = """---
expect_timeout_s: 0.3
---
## Liar
Buy a moon.
- `url /thanks`
- `no text "Welcome"`
## Silent
Say nothing.
- `url /`
## Pessimist
Despair.
- `text "Welcome"`
## Believed
```yaml case
trust: word
```
Be believed.
## Judged
```yaml case
judge: true
```
Be judged.
### Expect
- The page is green.
## Doubted
```yaml case
judge: true
```
Be doubted.
### Expect
- The page is red.
## Unmet in words
Look closely.
- `url /`
### Expect
- The page is loud.
## Badly begun
Begin badly.
- `url /`
### Given
- `http fetch url={base_url}/test/broken`
## Expected to fail
```yaml case
xfail: the moon is not for sale
```
Buy a moon.
- `url /thanks`
## Left out
```yaml case
skip: no time
```
Rest.
- `url /`
## Far from its services
```yaml case
needs: [NO_SUCH_SERVICE_OF_TESTS, PATH]
```
Rest.
- `url /`
## Second try
```yaml case
retries: 1
```
Try for time {attempt}.
- `url /`
### Finally
- `http fetch url={base_url}/test/broken`
## In trouble
```yaml case
url: /moon
```
Take the moon.
- `text "Bought"`
- `no console errors`
## Not gone on
1. Buy a moon.
   - `url /thanks`
2. Never asked.
"""
ORIGINAL = """---
name: Written long ago
---
# Task
Be read from old files.
# Expected Output
The page is old.
"""
SAID = {
    "Buy a moon": finished("bought"),
    "Say nothing": done("It is done."),
    "Despair": finished("It cannot be done.", "failed"),
    "Be believed": finished(),
    "The page is green": finished("1: yes - green"),
    "The page is red": finished("1: no - blue"),
    "The page is loud": finished("1: no - silent"),
    "Try for time 1": finished("It hung.", "not-finished"),
    "Try for time 2": finished(),
    "Take the moon": by_page(("The moon", click("Buy it")), ("Thank", finished())),
    "The page is old": finished("1: yes - old"),
}
CAME_TO = {
    "Liar": ("failed", 'line 6: `url /thanks`; line 7: `no text "Welcome"`', []),
    "Silent": ("not_finished", "no clear status tag", []),
    "Pessimist": ("failed", "It cannot be done.", ["agent disagrees"]),
    "Believed": ("passed", "", ["by word"]),
    "Judged": ("passed", "", ["by judge"]),
    "Doubted": ("failed", "expectation 1: no", []),
    "Unmet in words": ("failed", "expectation 1: no", []),
    "Badly begun": ("error", "the server answered 500", []),
    "Expected to fail": ("xfailed", "the moon is not for sale", []),
    "Left out": ("skipped", "no time", []),
    "Far from its services": ("skipped", "NO_SUCH_SERVICE_OF_TESTS not set", []),
    "Second try": ("passed", "", ["flaky"]),
    "In trouble": ("failed", '`text "Bought"`', []),
    "Not gone on": ("failed", "`url /thanks`", []),
    "Written long ago": ("passed", "", ["by word"]),
}


@pytest.fixture(scope="module")
def tested(strap_test, model):
    """One run of all of them: the browsers and what the agent needs are started once."""
    model.scripts.update({words: [said] for words, said in SAID.items()})
    done = strap_test(".", "--jobs", "2", shop=EXAMPLE, sayings=SAYINGS, old=ORIGINAL)
    assert done.status == 1, (done.out, done.err, done.error)
    return done


@pytest.mark.parametrize("name", CAME_TO)
def test_what_a_case_comes_to(tested, name):
    status, reason, flags = CAME_TO[name]
    came = tested.of(name)
    assert (came[0], came[2]) == (status, flags), came
    assert reason in came[1]


def test_each_result_is_told_with_its_reason(tested):
    text = tested.out
    assert '             line 7: `no text "Welcome"`  seen: "Welcome"' in tested.lines
    assert re.search(r"NOT_FINISHED sayings.case.md:8 +Silent .*1 step", text)
    assert "the agent said failed: It cannot be done." in text
    assert re.search(r"ok .*Second try .*2 attempts  flaky", text)
    assert tested.lines[-1].startswith("6 passed, 7 failed, 1 not finished, 1 error, 1 xfailed, ")
    assert "1 of them flaky, 2 of them by word, 1 of them by judge" in tested.lines[-1]


def test_what_was_not_to_be_asked_was_not_asked(tested, model):
    asked = str([body["messages"] for body in model.asked])
    assert "Never asked" not in asked
    assert "Begin badly" not in asked


def test_what_fails_at_the_end_is_told(tested):
    attempts = tested.records["Second try"]["attempts"]
    assert "the server answered 500" in attempts[-1]["notes"][0]


def test_what_went_wrong_is_told_with_where_the_page_ended(tested, shop):
    (attempt,) = tested.records["In trouble"]["attempts"]
    trouble = attempt["trouble"]
    assert "dialog: alert 'It is sold out' accepted" in trouble
    assert "console: no moon" in trouble
    assert "request failed: GET /test/broken 500" in trouble
    assert attempt["ended"].endswith('/thanks "Thanks"'), attempt["ended"]
    assert attempt["shown"] == "# Thank you Total 0"
    assert tested.records["In trouble"]["cause"] == "bug"
    assert tested.records["Liar"]["cause"] == "unclear"  # it did nothing
    assert f"             in the end: {attempt['ended']}" in tested.lines
    (seen,) = [each["seen"] for each in attempt["checks"] if each["check"] == "no console errors"]
    assert "\n" not in seen


def test_the_example_of_the_documentation(tested, shop, folder):
    assert tested.of("Customer is known")[0] == "passed"
    assert tested.of("Order a tool [spade]")[0] == "passed"
    assert tested.of("Order a tool [rake]")[0] == "failed"
    assert re.search(r"ok +shop.case.md:8 +Customer is known", tested.out)
    assert '             line 24: `text "Total 9.00"`  seen: "Total 12.50"' in tested.lines
    (rake,) = tested.records["Order a tool [rake]"]["attempts"]
    assert [each["line"] for each in rake["checks"] if not each["met"]] == [24]
    assert rake["acts"][0] == 'use Add rake: click button "Add rake"'
    assert re.search(r'input textbox "Note" run [a-z]{8}; click button "Order"$', rake["acts"][3])
    assert (folder / rake["picture"]).read_bytes()[:2] == b"\xff\xd8"

    assert sorted(order["tool"] for order in shop.orders) == ["rake", "spade"]
    assert len({order["note"] for order in shop.orders}) == 2
    assert "correct-horse" in shop.bodies[0]
    kept = [path.read_bytes() for path in (folder / ".strap").rglob("*") if path.is_file()]
    assert not any(b"correct-horse" in content for content in kept)
    assert not {"states", "profiles"} & {
        each.name for each in (folder / ".strap/test/data").iterdir()
    }

    suite = (
        ET.parse(folder / ".strap" / "test" / "junit.xml")
        .getroot()
        .find("testsuite[@name='shop.case.md']")
    )
    assert (suite.get("tests"), suite.get("failures")) == ("3", "1")
    failure = next(iter(suite.iter("failure")))
    assert 'seen: "Total 12.50"' in failure.text

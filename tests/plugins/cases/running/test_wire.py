"""Traffic of cases: mocked and emulated before their first page, and kept where they fail."""

import json
from pathlib import Path

import av
import pytest

from .shop import finished

CASES = """---
expect_timeout_s: 0.3
evidence: har, report, video
---
## Mocked
```yaml case
trust: word
```
Be believed.
### Given
- `browser mock url={base_url}/ value=200 body="<h1>Mocked</h1>"`
- `browser emulate value="dark, timezone=Asia/Tokyo"`
### Expect
- `text "Mocked"`
- `js "matchMedia('(prefers-color-scheme: dark)').matches"`
- `js "Intl.DateTimeFormat().resolvedOptions().timeZone == 'Asia/Tokyo'"`
## Failing
```yaml case
trust: word
```
Be believed.
### Expect
- `text "Nowhere"`
## Badly mocked
Be believed.
- `url /`
### Given
- `browser mock url=shop value=200`
"""


@pytest.fixture(scope="module")
def tested(strap_test, model):
    model.scripts["Be believed"] = [finished()]
    return strap_test("wire.case.md", "--replay", "off", wire=CASES)


def test_given_mocks_and_emulates_before_the_first_page(tested):
    assert tested.of("Mocked")[0] == "passed", tested.out
    assert tested.records["Mocked"]["attempts"][0]["evidence"] == []


def test_a_failed_case_keeps_what_was_recorded(tested, folder):
    assert tested.of("Failing")[0] == "failed"
    har, report, video = map(Path, tested.records["Failing"]["attempts"][0]["evidence"])
    entries = json.loads((folder / har).read_text())["log"]["entries"]
    assert entries[0]["response"]["status"] == 200
    assert "navigate" in (folder / report).read_text()
    with av.open(str(folder / video)) as film:
        assert sum(1 for _ in film.decode(video=0)) > 1
    assert f"recorded: {har}" in tested.out
    assert str(har) in (folder / ".strap/test/junit.xml").read_text()
    assert str(har) in (folder / ".strap/test/index.html").read_text()
    kept = [each for each in (folder / har).parent.iterdir() if each.suffix == ".har"]
    assert len(kept) == 2  # and that of the case whose Given failed


def test_a_call_of_given_that_fails_is_told(tested):
    status, reason, _ = tested.of("Badly mocked")
    assert status == "error", tested.out
    assert "No request has the address" in reason


def test_evidence_that_is_none(strap_test):
    done = strap_test("bad.case.md", bad="---\nevidence: film\n---\n## A\nB.\n- `url /`\n")
    assert "evidence: write what to record: har, video, report, profile" in done.err

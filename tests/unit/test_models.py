"""Bundles of `strap sanity` side by side, and models: on results as they are kept."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from benchmarks.of_models.__main__ import models
from benchmarks.of_models.compare import is_more
from benchmarks.of_models.leaderboard import Prices, markdown, read_prices, rows, wilson
from benchmarks.of_models.results import read_results
from strap import UsageError

ROOT = Path(__file__).parents[2]


def called(*words):
    """The exit status, and what is said."""
    done = CliRunner().invoke(models, words)
    if isinstance(done.exception, UsageError):
        return 2, str(done.exception)
    return done.exit_code, done.stdout


def record(name="a", of="pass", *, model="m", tags=(), flags=(), status="success", **more):
    expected = "soft_fail" if "bug" in tags else "pass"
    good = of == "pass" or of == expected
    usage = {"model_calls": 2, "input_tokens": 1000, "cached_tokens": 400, "output_tokens": 50}
    told = {"id": name, "model": model, "hash": "h", "class": of, "expected": expected}
    told |= {"as_expected": good, "tags": list(tags), "flags": list(flags), "status": status}
    return told | {"steps": 3, "seconds": 4.0, "usage": usage} | more


@pytest.fixture
def bundle(tmp_path):
    """Write results as a bundle has them."""

    def write(name, *records, **whole):
        folder = tmp_path / name
        folder.mkdir()
        told = {"format": 1, "strap": "1", "set": "s", "scenarios": records} | whole
        (folder / "results.json").write_text(json.dumps(told))
        return str(folder)

    return write


CHANGES = [
    (record(), record(), 0, "1 compared, 0 worse"),
    (record(), record(of="soft_fail"), 1, "worse    a  m  pass -> soft_fail"),
    (record(of="hard_fail"), record(), 0, "better   a  m  hard_fail -> pass"),
    (record(), record(of="hard_fail", hash="other"), 0, "changed  a  m  the scenario is another"),
]


@pytest.mark.parametrize(("old", "new", "status", "said"), CHANGES)
def test_what_became_of_a_scenario(bundle, old, new, status, said):
    ended, out = called("compare", bundle("old", old), bundle("new", new))
    assert (ended, said in out) == (status, True), out


def test_one_bad_repeat_is_worse_and_others_are_counted(bundle):
    old = bundle("old", record(), record(), record("gone"))
    new = bundle("new", record(), record(of="hard_fail"), record("fresh"))
    status, out = called("compare", old, new)
    assert status == 1
    assert "1 compared, 1 worse, 1 new, 1 gone (strap 1 to 1)." in out
    status, out = called("compare", old, new, "--json")
    kinds = {line["id"]: line["kind"] for line in map(json.loads, out.splitlines())}
    assert kinds == {"a": "worse", "gone": "gone", "fresh": "new"}


def test_more_steps_are_a_regression_where_they_are_always_more(bundle):
    old = [record(steps=steps) for steps in (3, 4, 4)]
    new = [record(steps=steps) for steps in (6, 6, 7)]
    status, out = called("compare", bundle("old", *old), bundle("new", *new))
    assert (status, "steps: 4 -> 6" in out) == (1, True)
    assert not is_more([3, 4, 9], [6, 6, 7])
    assert not is_more([4, 4, 4], [5, 5, 5])
    assert not is_more([3, 3], [9, 9])


def test_what_is_no_bundle_is_told(bundle, tmp_path):
    good = bundle("good", record())
    (tmp_path / "text").write_text("x")
    for path in (tmp_path / "nowhere", tmp_path / "text"):
        assert called("compare", str(path), good)[0] == 2
    for number, whole in enumerate(({"format": 2}, {"scenarios": [{"id": "a"}]})):
        with pytest.raises(UsageError, match="holds no results"):
            read_results(tmp_path / bundle(str(number), **whole))
    status, out = called("compare", good, bundle("other", record(model="n")))
    assert (status, "in common" in out) == (2, True)


RUNS = [
    record("bug", "soft_fail", tags=["bug"], status="failed"),
    record("bug", "hard_fail", tags=["bug"], flags=["false success"]),
    record("fixed", "soft_fail", tags=["fixed"], status="failed"),
    record("fixed", tags=["fixed"]),
    record("act"),
    record("act"),
    record("act", "soft_fail", flags=["infrastructure"], status="failed"),
    record("act", model="n"),
]


def test_a_row_counts_what_matters():
    found = {row.model: row for row in rows(RUNS, Prices(date="d", models={"m": PRICE}))}
    row = found["m"]
    assert (row.runs, row.infrastructure, row.as_expected) == (6, 1, 4)
    assert (row.reliable, row.scenarios) == (1, 3)
    assert (row.false_successes, row.caught, row.missed, row.false_alarms) == (1, 1, 1, 1)
    assert row.cost == pytest.approx(7 * (600 * 1.0 + 400 * 0.1 + 50 * 10.0) / 1e6)
    assert found["n"].cost is None
    assert list(found) == ["n", "m"]


PRICE = {"input": 1.0, "cached": 0.1, "output": 10.0}


def test_the_interval_is_that_of_wilson():
    assert wilson(8, 10) == pytest.approx((0.4902, 0.9433), abs=1e-4)
    assert wilson(0, 0) == (0, 1)


def test_the_table_says_how_much_it_is_worth(bundle):
    assert "calibration" in markdown(rows(RUNS[4:5]), repeats=1, prices=None)
    first = bundle("first", *RUNS[:6])
    status, out = called("leaderboard", first, bundle("second", *RUNS[6:]))
    assert out.startswith("# Models\n")
    assert "1 runs that browser" in out
    for number, other in enumerate(({"set": "t"}, {"strap": "2"})):
        status, out = called("leaderboard", first, bundle(f"other{number}", **other))
        assert (status, "side by side" in out) == (2, True)


def test_prices_have_a_date(bundle, tmp_path):
    path = tmp_path / "prices.toml"
    path.write_text('date = "2026-11-01"\n[models."m"]\ninput = 1\noutput = 10\n')
    assert read_prices(path).models["m"].cached is None
    _, out = called("leaderboard", bundle("b", *RUNS), "--prices", str(path))
    assert "Prices of 2026-11-01" in out
    for text in (
        "[models.m]\ninput = 1\noutput = 1\n",
        'date = "d"\n[models.m]\ninput = -1\n',
        "x",
    ):
        path.write_text(text)
        with pytest.raises(UsageError):
            read_prices(path)


def test_the_command_ends_with_two_for_what_is_no_bundle():
    words = [sys.executable, "-m", "benchmarks.of_models", "leaderboard", "nowhere"]
    done = subprocess.run(words, check=False, cwd=ROOT, capture_output=True, text=True)
    assert (done.returncode, "nowhere" in done.stderr, done.stdout) == (2, True, "")
